// View: positions above, vocabulary below, a line from each token to its entry.

import { drawText, listen, node } from "../dom.js";
import { addStepping } from "../pointing.js";
import { makeCanvas } from "../canvas.js";
import { isolate, textWidth } from "../text.js";
import { drawRoundedPath } from "../arrows.js";
import { registerView } from "../view_registry.js";
/** @import { View } from "../types.d.ts" */

/** @type {View} */
function drawVocabulary(host, data, send, _colours, room) {
    const layout = vocabularyLayout(data, room);
    const [svg, said] = makeCanvas(host, Math.ceil(layout.width), layout.height, data, null, room);
    const links = node("g", { class: "ab-over" }, svg);
    const tokens = data.tokens.map((label, t) => drawChip(svg, layout.spot(0, t), 0, t + 1, label));
    tokens[data.chosen].classList.add("ab-chip-chosen");
    const words = data.entries.map((label, id) =>
        drawChip(
            svg,
            layout.spot(1, id),
            1,
            data.unseen.includes(id) ? `id ${id}, unseen` : `id ${id}`,
            label,
        )
    );
    words.forEach((group, id) => group.classList.toggle("ab-chip-unused", !data.ids.includes(id)));
    const light = (id) => {
        links.replaceChildren();
        // If the chips wrap, only the links of one word are drawn: more could not be told apart.
        data.ids.forEach((other, k) => {
            if (layout.single) {
                drawLink(links, layout.spot(0, k), layout.spot(1, other), other === id);
            } else if (other === id) {
                drawLink(
                    links,
                    layout.spot(0, k),
                    layout.spot(1, other),
                    true,
                    drawRoundedPath(layout.way(k, other)),
                );
            }
        });
        tokens.forEach((group, k) => group.classList.toggle("ab-chip-hot", data.ids[k] === id));
        words.forEach((group, other) => group.classList.toggle("ab-chip-hot", other === id));
        const places = data.ids.flatMap((other, k) => (other === id ? [k + 1] : []));
        const stands = places.length
            ? `stands at position${places.length > 1 ? "s" : ""} ${places.join(" and ")}`
            : "is not in the sentence";
        said.textContent = `“${isolate(data.entries[id])}” has id ${id} and ${stands}` +
            (data.unseen.includes(id) ? "; not seen in training" : "");
    };
    const lightToken = (t) => light(data.ids[t]);
    const choose = (t) => send({ matrix: "tokens", row: t, column: 0 });
    tokens.forEach((group, t) => {
        group.addEventListener("pointerenter", () => lightToken(t));
        group.addEventListener("click", () => choose(t));
    });
    words.forEach((group, id) => group.addEventListener("pointerenter", () => light(id)));
    listen(svg, "pointerleave", () => lightToken(data.chosen));
    addStepping(svg, ["ArrowLeft", "ArrowRight"], tokens.length, data.chosen, lightToken, choose);
    lightToken(data.chosen);
}

registerView("vocabulary", drawVocabulary);

// The place of each chip: both rows on one line each if they fit, else wrapped.
export function vocabularyLayout(data, room) {
    const across = Math.max(room.w - 8, 240);
    const rows = [data.tokens, data.entries];
    const longest = Math.max(data.tokens.length, data.entries.length);
    const step = Math.max(
        ...rows.flat().map((label) => Math.max(textWidth(label, "said") + 26, 44)),
    );
    const perLine = Math.max(1, Math.floor(across / step));
    const single = longest <= perLine;
    const width = single
        ? Math.min(across, longest * Math.max(step, Math.min(130, across / longest)))
        : across;
    const lines = rows.map((row) => (single ? 1 : Math.ceil(row.length / perLine)));
    const lineHeight = 68;
    const bottomY = lines[0] * lineHeight + (room.fit || !single ? 62 : 120);
    const spot = (row, index) => {
        const count = single ? rows[row].length : perLine;
        const w = width / count;
        const y = (row ? bottomY : 34) + Math.floor(index / count) * lineHeight;
        return { x: (index % count) * w + w / 2, y, w: Math.min(w - 8, step) };
    };
    // From a token to a word through the gutters between lines and columns, so that it crosses no
    // other.
    const way = (t, id) => {
        const [a, b] = [spot(0, t), spot(1, id)];
        const column = t % perLine, isRight = column === 0 || (b.x >= a.x && column + 1 < perLine);
        const gutter = (column + (isRight ? 1 : 0)) * (width / perLine);
        return [[a.x, a.y + 17], [a.x, a.y + 24], [gutter, a.y + 24], [gutter, b.y - 25], [
            b.x,
            b.y - 25,
        ], [b.x, b.y - 17]];
    };
    return { single, width, height: bottomY + lines[1] * lineHeight, spot, way };
}

// A framed word with a tick: its position above it (row 0) or its id below (row 1).
function drawChip(svg, { x, y, w }, row, tick, label) {
    const group = node("g", { class: "ab-chip" }, svg);
    node("rect", { x: x - w / 2, y: y - 17, width: w, height: 34, rx: 8 }, group);
    drawText(group, label, x, y + 1, "ab-word");
    drawText(group, tick, x, row ? y + 31 : y - 26, "ab-tick", { "text-anchor": "middle" });
    return group;
}

const writeWayLink = (a, b) =>
    `M${a.x} ${a.y + 17}C${a.x} ${a.y + 70} ${b.x} ${b.y - 70} ${b.x} ${b.y - 17}`;

function drawLink(links, a, b, hot, way = writeWayLink(a, b)) {
    node("path", { d: way, class: hot ? "ab-link-hot" : "ab-link" }, links);
}
