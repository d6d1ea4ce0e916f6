// Motion of concat: the heads' contexts, each a matrix of its own, slide together until they stand
// side by side.

import { colourOf } from "../colours.js";
import { fill, node } from "../dom.js";
import { outline, picture } from "../matrix.js";
import { isolated, textWidth } from "../text.js";
import { shown, within } from "./moves.js";

export const CONCAT_ROOM = 26; // for their names, below them

// `places` is the one matrix; its `blocks` say where a head's columns begin.
export function concatMotion({ places: [place], colours }, { chosen: [i] }) {
    const { matrix } = place;
    const starts = [0, ...(matrix.blocks ?? [])];
    const [heads, size] = [starts.length, matrix.m / starts.length];
    const numbers = size === 1 ? "1 number" : `${size} numbers`;
    const says = heads === 1
        ? [`There is only one head: its context, ${matrix.n} × ${size}, is concat as it is.`]
        : [
            `Each of the ${heads} heads made a context of its own, ${matrix.n} × ${size}: ${numbers} for each row.`,
            `They slide together, head 1 at the left, head ${heads} at the right. ` +
            `Nothing is computed: all ${matrix.n} × ${heads} × ${size} numbers stay what they are.`,
            `The row of “${
                isolated(matrix.rows[i])
            }” now is ${heads} · ${size} = ${matrix.m} numbers long: ` +
            `${numbers} from each head, in the heads’ order.`,
        ];
    return {
        count: says.length,
        room: CONCAT_ROOM,
        says: (k) => says[k],
        lasts: (k) => [2200, 3500, 3000][k],
        enter: (layer, k) => enterConcat(layer, place, starts, i, colours, heads === 1 ? 2 : k),
        reached: () => null,
    };
}

function enterConcat(layer, place, starts, i, colours, k) {
    const { x, y, uh, uw, matrix: { n, m } } = place;
    const veil = node("rect", {
        x: x - 5,
        y: y - 6,
        width: m * uw + 10,
        height: n * uh + 12,
        class: "ab-veil",
    }, layer);
    const pieces = starts.map((_, head) => drawHead(layer, place, starts, head, colours));
    const rows = node("g", {}, layer);
    starts.forEach((from, head) =>
        outline(rows, place, i, i + 1, from, starts[head + 1] ?? m, "chosen")
    );
    return (t) => {
        const together = [0, within(0, t / 0.85, 1), 1][k];
        pieces.forEach((piece, head) =>
            piece(1 - together, k > 0 || t * starts.length >= head, together === 1)
        );
        shown(veil, together < 1);
        [...rows.children].forEach((row, head) => shown(row, k === 2 && t * starts.length >= head));
    };
}

// One head's block: `apart` is how far they are from each other, from 1 to 0. To have room for gaps
// they are narrower then.
function drawHead(layer, { x, y, uh, uw, matrix }, starts, head, colours) {
    const { n, m } = matrix;
    const size = m / starts.length;
    const value = (cell) => matrix.at(Math.floor(cell / size), starts[head] + (cell % size));
    const cells = Array.from(
        { length: n * size },
        (_, cell) => colourOf(value(cell), matrix, colours),
    );
    const box = { y, height: n * uh };
    const group = node("g", {}, layer);
    const href = picture({ n, m: size }, cells).toDataURL();
    const image = node(
        "image",
        { ...box, href, preserveAspectRatio: "none", class: "ab-cells" },
        group,
    );
    const frame = node("rect", { ...box, class: `ab-frame ab-${matrix.role}` }, group);
    const whole = m * uw;
    const gap = Math.min(28, (0.4 * whole) / starts.length);
    const hasRoom = textWidth(`head ${starts.length}`) + 4 <= whole / starts.length;
    const called = hasRoom ? `head ${head + 1}` : head + 1;
    const name = node(
        "text",
        { y: y + n * uh + 18, class: "ab-label", "text-anchor": "middle" },
        layer,
        called,
    );
    return (apart, isThere, isDone) => {
        const width = (whole - apart * gap * (starts.length - 1)) / starts.length;
        const left = x + head * (width + apart * gap);
        for (const part of [image, frame]) fill(part, { x: left, width });
        name.setAttribute("x", left + width / 2);
        shown(group, isThere && !isDone);
        shown(name, isThere);
    };
}
