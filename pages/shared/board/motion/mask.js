// Motion of a mask: what it holds is added to the scores, 0 or −∞, and the softmax makes shares of
// what is left, row by row.

import { fill, node } from "../dom.js";
import { drawCells } from "../matrix.js";
import { isolated } from "../text.js";
import { drawVeil, shown, within } from "./moves.js";

const READABLE = 18; // pixels: a narrower cell has no room for a −∞ on its way

// `places` are those of the scores, of the mask, and of the weights.
export function maskMotion({ places: [scores, mask, weights], colours }, { chosen: [i] }) {
    const { n, m, rows } = scores.matrix;
    const closed = [...mask.matrix.values.keys()].filter((k) =>
        mask.matrix.values[k] === -Infinity
    );
    const inRow = closed.filter((k) => Math.floor(k / m) === i).length;
    const masked = {
        ...scores.matrix,
        at: (row, column) => scores.matrix.at(row, column) + mask.matrix.at(row, column),
    };
    masked.values = scores.matrix.values.map((value, k) => value + mask.matrix.values[k]);
    const says = [
        `The mask is added to ω′. 0 changes nothing; −∞, at ${closed.length} of ${
            n * m
        } places, leaves −∞. The sum is ω″.`,
        `The softmax takes each row of ω″. e^−∞ is 0: “${isolated(rows[i])}” ${
            inRow < m
                ? `divides its attention among ${m - inRow} of ${m} places`
                : "may look nowhere, and its row is zeros"
        }.`,
    ];
    return {
        count: says.length,
        says: (k) => says[k],
        lasts: (k) => [3500, within(2000, 600 * n, 6000)][k],
        enter: (layer, k) => {
            const sum = drawMasked(layer, scores, masked, colours);
            const fly = k === 0 && scores.uw >= READABLE
                ? drawClosedFlights(layer, closed, mask, scores)
                : () => {};
            const veil = drawVeil(layer, weights, {
                rows: Array.from({ length: n }, (_, row) => row),
                start: () => 0,
            });
            const sums = node("rect", {
                x: weights.x + m * weights.uw + 2,
                width: 62,
                class: "ab-veil",
            }, layer); // of rows to come
            return (t) => {
                const done = k > 0 ? t * n : 0, rows = Math.floor(done + 1e-9);
                shown(sum, k > 0 || t > 0.8);
                fly(within(0, t / 0.8, 1));
                veil(m * done);
                fill(sums, { y: weights.y + rows * weights.uh, height: (n - rows) * weights.uh });
            };
        },
        reached: () => null,
    };
}

// ω″ where ω′ stood.
function drawMasked(layer, { x, y, uw, uh, matrix: { n, m } }, masked, colours) {
    const group = node("g", {}, layer);
    node("rect", { x, y, width: m * uw, height: n * uh, class: "ab-veil" }, group);
    drawCells(group, masked, x, y, uw, uh, colours);
    return group;
}

// Every −∞ of the mask on its way to its own place among the scores.
function drawClosedFlights(layer, closed, from, to) {
    const m = from.matrix.m;
    const texts = closed.map(() => node("text", { class: "ab-flying" }, layer, "−∞"));
    return (share) =>
        texts.forEach((text, at) => {
            shown(text, share > 0 && share < 1);
            const [i, j] = [Math.floor(closed[at] / m), closed[at] % m];
            const middle = ({ x, y, uw, uh }) => [x + (j + 0.5) * uw, y + (i + 0.5) * uh];
            const [[x0, y0], [x1, y1]] = [middle(from), middle(to)];
            fill(text, { x: x0 + (x1 - x0) * share, y: y0 + (y1 - y0) * share });
        });
}
