// Motion of the shuffle: the words change places, go through the same stack once more, and carry
// what comes out back to where they were typed; how far each result moved is what the matrix says,
// a row for each kind of positions.

import { node } from "../dom.js";
import { exact } from "../numbers.js";
import { fitted, isolated, textWidth } from "../text.js";
import { drawVeil, shown, within } from "./moves.js";

// where words stand, below the matrix, and where their results do
export const SHUFFLE_ROOM = { first: 32, result: 22, all: 104 };

// `places` is the one matrix, a column for each word as it was typed; `order` says which word
// stands in each place, from 0.
export function shuffleMotion({ data: { plays: { order } }, places: [place] }) {
    if (order.every((token, at) => token === at)) {
        return { why: "This order is the one that was typed: nothing changes places." };
    }
    const { matrix } = place;
    const most = (i) => Math.max(...Array.from({ length: matrix.m }, (_, j) => matrix.at(i, j)));
    const says = [
        "The words go through the stack in the order that was typed, and each gets its result: the square below it.",
        `The same words change places: “${
            isolated(matrix.columns[order[0]])
        }” now comes first. They go through the same stack once more.`,
        "Each word carries its new result back to where it was typed, to be held against the first one.",
        `How far a result moved, at most: with ${
            matrix.rows.map((kind, i) => `${kind}, ${exact(most(i))}`).join("; ")
        }.`,
    ];
    return {
        count: says.length,
        room: SHUFFLE_ROOM.all,
        says: (k) => says[k],
        lasts: (k) => [2500, 3500, 3500, 3000][k],
        enter: (layer, k) => enterShuffle(layer, place, order, k),
        reached: () => null,
    };
}

function enterShuffle(layer, place, order, k) {
    const { matrix: { n, m, columns }, x, y, uw, uh } = place;
    const veil = drawVeil(layer, place, {
        rows: Array.from({ length: n }, (_, i) => i),
        start: () => 0,
    });
    const top = y + n * uh + SHUFFLE_ROOM.first;
    const words = order.map((_, token) => drawCarrier(layer, columns[token], uw));
    const middle = (at) => x + (at + 0.5) * uw;
    return (t) => {
        const [made, changed, back] = [0, 1, 2].map((
            phase,
        ) => (k > phase ? 1 : k === phase ? within(0, t / 0.8, 1) : 0));
        veil(k === 3 ? Math.floor(within(0, t / 0.8, 1) * n + 1e-9) * m : 0);
        words.forEach((carry, token) => {
            const [typed, shuffled] = [middle(token), middle(order.indexOf(token))];
            const away = changed - back;
            // those that go right pass above
            const over = Math.sign(shuffled - typed) * 16 * Math.sin(Math.PI * away);
            carry(
                typed + (shuffled - typed) * away,
                top - (away < 1 ? over : 0),
                made * order.length > token,
                changed === 1,
            );
        });
    };
}

// A word and its result, which is a square: empty as it was first, full once it was made anew.
function drawCarrier(layer, word, uw) {
    const group = node("g", {}, layer);
    const size = within(4, uw - 4, 16);
    const written = textWidth(word) <= 3 * uw &&
        node("text", { class: "ab-label", "text-anchor": "middle" }, group, word);
    if (written) fitted(written, textWidth(word), uw - 4);
    const square = node("rect", {
        x: -size / 2,
        y: SHUFFLE_ROOM.result,
        width: size,
        height: size,
        class: "ab-mote",
    }, group);
    return (x, y, hasResult, isNew) => {
        group.setAttribute("transform", `translate(${x},${y})`);
        shown(square, hasResult);
        square.setAttribute("fill-opacity", isNew ? 0.6 : 0);
    };
}
