// K is turned over, the beginning of the scores' motion: each key, a row of K over the columns of
// Q, becomes the column that it is in Kᵀ. Its first number stays first, so a row turns a quarter to
// the right.

import { node } from "../dom.js";
import { rowLabels } from "../labels.js";
import { caption } from "../matrix.js";
import { drawVeil, shown, within } from "./moves.js";
import { drawRowPicture } from "./rows.js";

export const TURN = { phase: "turn", from: 0, to: 0, lasts: 3000 };
const HOLD = 0.2; // of the time: K stands still, to be seen

export const turnsOver = ({ matrices: [, right] }) => right.name === "k_t";

export const saidTurn = (right) =>
    `K is turned over: each key, a row of K, becomes a column of Kᵀ, so that a row of Q can meet it. ` +
    `Not one of its ${right.n === 1 ? "numbers" : `${right.n} numbers`} changes.`;

export function enterTurn(
    layer,
    { matrices: [, right], places: [onResult, onLeft, { x, y, uw, uh }], colours },
    order,
) {
    const [count, size] = [right.m, right.n];
    const high = Math.min(20, (size * uh) / count); // a row of K
    const keys = { ...right, n: count, m: size, at: (key, p) => right.at(p, key) };
    drawVeil(layer, onResult, order)(0);
    const group = node("g", {}, layer);
    node("rect", { x, y, width: count * uw, height: size * uh, class: "ab-veil" }, group);
    node("rect", { x, y, width: count * uw, height: size * uh, class: "ab-frame ab-k" }, group);
    const names = node("g", {}, group);
    caption(
        names,
        { role: "k", title: "K", shape: `${count} × ${size} (key, d_k)` },
        onLeft.x,
        y - 10,
    );
    if (high >= 11) rowLabels(names, { rows: right.columns }, onLeft.x, y, high, onLeft.x - 8);
    const strips = right.columns.map((_, key) =>
        drawRowPicture(group, keys, key, { x: 0, y: 0, width: 1, height: 1 }, colours)
    );
    return (t) => {
        const started = within(0, (t - HOLD) / (1 - HOLD), 1);
        shown(group, t < 1);
        names.setAttribute("opacity", 1 - started);
        strips.forEach((strip, key) => {
            const begins = count > 1 ? (0.5 * key) / (count - 1) : 0;
            const u = within(0, (started - begins) / 0.5, 1);
            const between = (start, end) => start + (end - start) * u;
            const [left, top] = [between(onLeft.x, x + (key + 1) * uw), between(y + key * high, y)];
            strip.setAttribute(
                "transform",
                `translate(${left},${top}) rotate(${90 * u}) scale(${
                    between(size * onLeft.uw, size * uh)
                },${between(high, uw)})`,
            );
        });
    };
}
