// Motion of a mixture: each value row shrinks to its weight's share of the height and is stacked on
// those before it, the largest weight first; below the stack stands their sum, until it is z. Then
// every other row fills.

import { fill, node } from "../dom.js";
import { drawCells, outline } from "../matrix.js";
import { brief, exact } from "../numbers.js";
import { fitted, isolated, textWidth } from "../text.js";
import { drawVeil, shown, within } from "./moves.js";
import { drawRowPicture } from "./rows.js";
/** @import { Station } from "../types.d.ts" */

// in the drawing's measure; `high` is a weight of 1
const STACK = { above: 26, high: 96, between: 12, sum: 24, below: 14 };
export const STACK_ROOM = Object.values(STACK).reduce((total, part) => total + part, 0);

// `drawn` is what the view of a product made; the left matrix holds weights, the right one values.
export function valuesMotion(drawn, { chosen }) {
    const mix = readMixture(drawn, chosen);
    const count = mix.order.length;
    /** @type {Station[]} */
    const stations = [{ phase: "weights", lasts: 2200 }, {
        phase: "first",
        from: 0,
        to: 1,
        lasts: 4000,
    }];
    if (count > 1) stations.push({ phase: "next", from: 1, to: 2, lasts: 3500 });
    if (count > 2) {
        stations.push({
            phase: "rest",
            from: 2,
            to: count,
            lasts: within(2500, 1500 * (count - 2), 10000),
        });
    }
    stations.push({ phase: "land", lasts: 2500 });
    if (mix.rows.length > 1) {
        stations.push({ phase: "all", lasts: within(2500, 700 * mix.rows.length, 8000) });
    }
    const says = stations.map(({ phase }) => saidStack(mix, phase));
    return {
        count: stations.length,
        room: STACK_ROOM,
        says: (k) => says[k],
        lasts: (k) => stations[k].lasts,
        enter: (layer, k) => enterMixture(layer, mix, stations[k]),
        reached: () => null,
    };
}

// Of the chosen row: its weights in their order, the largest first, and the sums of the values
// times their weights so far.
function readMixture(drawn, [i, column]) {
    const { data, matrices: [left, right, result], layout: { height } } = drawn;
    const weights = Array.from({ length: left.m }, (_, j) => left.at(i, j));
    const order = weights.map((_, j) => j).sort((a, b) => weights[b] - weights[a]);
    const sums = [Array(right.m).fill(0)];
    for (const j of order) {
        sums.push(sums.at(-1).map((sum, c) => sum + weights[j] * right.at(j, c)));
    }
    const before = order.map((_, rank) =>
        order.slice(0, rank).reduce((total, j) => total + weights[j], 0)
    );
    const others = Array.from({ length: left.n }, (_, row) => row).filter((row) => row !== i);
    const rows = data.only === "row" ? [i] : [i, ...others];
    return {
        ...drawn,
        left,
        right,
        result,
        i,
        column,
        weights,
        order,
        sums,
        before,
        rows,
        top: height + STACK.above,
    };
}

function saidStack({ left, right, result, i, column, weights, order, sums, rows }, phase) {
    const word = (j) => `“${isolated(right.rows[j])}”`;
    const asks = `“${isolated(left.rows[i])}”`;
    const [largest, second] = order;
    const others = order.length - 2;
    const of = (j) => `${exact(weights[j])} × ${exact(right.at(j, column))}`;
    const inColumn = `in column ${right.columns[column]}`;
    const shrinks = order.length === 1
        ? "stays as it is, since its weight is 1; "
        : `shrinks to ${exact(weights[largest])} of its height, its weight. So do its numbers: `;
    return {
        weights: `The row of ${asks} in α says how much of each value goes into its z: ` +
            `most, ${exact(weights[largest])}, of ${word(largest)}.`,
        first: `The value of ${word(largest)} ${shrinks}` +
            `${inColumn}, ${of(largest)} = ${exact(sums[1][column])}.`,
        next: `On it comes the next largest weight, that of ${word(second)}; ` +
            `${inColumn}, ${of(second)} is added: ${exact(sums[2]?.[column])}.`,
        rest: `So ${others === 1 ? "does the last one" : `do the other ${others}`}. ` +
            `Together they are as high as one value, since the weights add up to 1.`,
        land: `The sum is z, the row of ${asks} in Z; ${inColumn}, ${exact(result.at(i, column))}.`,
        all: `Every other word mixes the same values by its own row of α: ${rows.length} rows are Z.`,
    }[phase];
}

/** @param {SVGElement} layer @param {any} mix @param {Station} station */
function enterMixture(layer, mix, { phase, from, to }) {
    const { places: [onResult, onLeft], i, order, rows, top, result } = mix;
    const { x, uw, matrix: { m } } = onResult;
    const veil = drawVeil(layer, onResult, { rows, start: () => 0 });
    outline(layer, onLeft, i, i + 1, 0, onLeft.matrix.m, phase === "weights" ? "chosen" : "hot");
    const after = { weights: 0, land: order.length, all: order.length };
    const strips = phase === "weights" ? () => {} : drawStrips(layer, mix);
    if (phase !== "weights") {
        node(
            "rect",
            { x, y: top, width: m * uw, height: STACK.high, class: "ab-frame ab-v" },
            layer,
        );
    }
    const group = node("g", {}, layer);
    const landing = phase === "land" ? drawLanding(layer, mix) : () => {};
    let written = -1;
    return (t) => {
        const reached = after[phase] ?? from + (to - from) * t;
        strips(reached);
        landing(t);
        veil(
            phase === "all"
                ? (1 + Math.floor(t * (rows.length - 1) + 1e-9)) * result.m
                : phase === "land" && t === 1
                ? result.m
                : 0,
        );
        const count = Math.floor(reached + 1e-9);
        if (count === written) return;
        written = count;
        group.replaceChildren();
        if (count) drawSumSoFar(group, mix, count);
    };
}

// Each value, in its colours: out of its row to where a weight of 1 would be, and down to the
// height of its own.
function drawStrips(layer, { right, places: [, , onRight], weights, order, before, top, colours }) {
    const { x, y, uw, uh } = onRight;
    const width = right.m * uw;
    const taken = node("g", {}, layer);
    const strips = order.map((j) => drawRowPicture(layer, right, j, { x, width }, colours));
    const labels = node("g", {}, layer);
    const mix = (start, end, share) => start + (end - start) * share;
    return (reached) => {
        taken.replaceChildren();
        labels.replaceChildren();
        order.forEach((j, rank) => {
            const u = within(0, reached - rank, 1);
            const [out, down] = [within(0, u / 0.45, 1), within(0, (u - 0.5) / 0.4, 1)];
            const height = mix(mix(uh, STACK.high, out), weights[j] * STACK.high, down);
            shown(strips[rank], u > 0 && height > 0);
            const above = mix(mix(y + j * uh, top, out), top + before[rank] * STACK.high, down);
            fill(strips[rank], { y: above, height, opacity: down < 1 ? 0.85 : 1 });
            if (u > 0 && u < 1) outline(taken, onRight, j, j + 1, 0, right.m, "chosen");
            const high = weights[j] * STACK.high;
            if (down === 1 && high >= 11) {
                nameStrip(
                    labels,
                    x,
                    top + before[rank] * STACK.high + high / 2,
                    weights[j],
                    right.rows[j],
                );
            }
        });
    };
}

function nameStrip(labels, x, y, weight, word) {
    const text = `${brief(weight)} × ${isolated(word)}`;
    fitted(
        node("text", { x: x - 8, y, class: "ab-label", "text-anchor": "end" }, labels, text),
        textWidth(text),
        x - 12,
    );
}

const sumAt = ({ top }) => top + STACK.high + STACK.between;

// A matrix of one row: the numbers so far, on the scale of the result.
function drawSumSoFar(group, mix, count) {
    const { places: [{ x, uw }], result, sums, order, column, colours, top } = mix;
    const values = sums[count];
    const row = { ...result, n: 1, values, at: (_, j) => values[j], marks: null, frame: null };
    const place = drawCells(group, row, x, sumAt(mix), uw, STACK.sum, colours);
    outline(group, place, 0, 1, column, column + 1, "chosen");
    const stack = { x, y: top, uw, uh: STACK.high };
    outline(group, stack, 0, 1, column, column + 1, "hot");
    const text = count === order.length ? "sum" : `sum of ${count}`;
    node(
        "text",
        { x: x - 8, y: sumAt(mix) + STACK.sum / 2, class: "ab-label", "text-anchor": "end" },
        group,
        text,
    );
}

// The sum on its way into its row.
function drawLanding(layer, mix) {
    const { places: [{ x, y, uw, uh }], result, i, colours } = mix;
    const image = drawRowPicture(layer, result, i, { x, width: result.m * uw }, colours);
    const frame = node("rect", { x, width: result.m * uw, class: "ab-chosen" }, layer);
    return (t) => {
        const share = within(0, t / 0.8, 1);
        const start = sumAt(mix);
        for (const part of [image, frame]) {
            fill(part, {
                y: start + (y + i * uh - start) * share,
                height: STACK.sum + (uh - STACK.sum) * share,
            });
        }
        shown(image, t < 1);
    };
}
