// Script of a weighted sum: each value row moves to a stack, as high as its weight, the largest
// first; below it grows their sum until it is z and moves to its row. Then all other rows fill.

import { writeBrief, writeExact } from "../numbers.js";
import {
    clamp,
    drawOneRow,
    getPart,
    getRowBox,
    highlight,
    listRange,
    listRowsFrom,
    moveRow,
    typeTexts,
    uncoverCells,
} from "../primitives.js";
import { isolate } from "../text.js";
/** @import { Script } from "../types.d.ts" */

// in the drawing's units; `high` is the height of weight 1
const STACK = { above: 26, high: 96, between: 12, sum: 24, below: 14 };
const STACK_ROOM = Object.values(STACK).reduce((total, part) => total + part, 0);

// `drawn` is the product view; the left matrix holds weights, the right one values.
/** @returns {Script} */
export function mixtureScript(drawn, [i, column]) {
    const { data, matrices: [left, right, result], places, layout: { height } } = drawn;
    const [onResult, onLeft, onRight] = places, { x, uw } = onResult, { m } = result;
    const weights = listRange(left.m).map((j) => left.at(i, j));
    const order = listRange(left.m).sort((a, b) => weights[b] - weights[a]), count = order.length;
    const rows = data.only === "row" ? [i] : listRowsFrom(i, left.n);
    const top = height + STACK.above, foot = top + STACK.high + STACK.between;
    const sums = [Array(m).fill(0)];
    for (const j of order) {
        sums.push(sums.at(-1).map((sum, c) => sum + weights[j] * right.at(j, c)));
    }
    let y = top;
    const stack = (j, rank) => {
        const high = weights[j] * STACK.high, over = getPart(rank, count);
        const box = { x, y, width: m * uw, height: Math.max(high, 0.5) };
        const name = high < 11 ? "" : `${writeBrief(weights[j])} × ${isolate(right.rows[j])}`;
        const landed = { anchor: "end", over: [over[1] - 0.001, 1], stays: 1 };
        y += high;
        return [
            moveRow(drawOneRow(right, j), getRowBox(onRight, j), box, {
                kind: "frame",
                over,
                stays: 1,
            }),
            typeTexts([name], [x - 8, y - high / 2 + 4], landed),
            highlight(onLeft, [[i, i + 1, j, j + 1]], "chosen", { over, leaves: true }),
            highlight(onRight, [[j, j + 1, 0, m]], "chosen", { over, leaves: true }),
        ];
    };
    const sum = { does: "sum", place: { matrix: result, x, y: foot, uw, uh: STACK.sum }, row: i };
    const label = typeTexts(["sum"], [x - 8, foot + STACK.sum / 2 + 4], { anchor: "end" });
    const start = { ...getRowBox(onResult, 0), y: foot, height: STACK.sum };
    const row = highlight(onLeft, [[i, i + 1, 0, left.m]]), rest = rows.slice(1);
    const said = describeMixture(drawn, [i, column], weights, order, sums.at(-1), rows.length);
    /** @type {Script["stations"]} */
    const stations = [
        { says: said.weights, lasts: 2200, steps: [{ ...row, kind: "chosen" }] },
        {
            says: said.stack,
            lasts: clamp(3000, 1600 * count, 10000),
            steps: [row, ...order.flatMap(stack), { ...sum, sums }, label],
        },
        {
            says: said.land,
            lasts: 2600,
            steps: [
                row,
                label,
                { ...sum, sums: [sums.at(-1)], over: [0, 0.2], leaves: true },
                moveRow(drawOneRow(result, i), start, getRowBox(onResult, i), { over: [0.2, 0.9] }),
                uncoverCells(0, m, { over: [0.89, 0.9] }),
            ],
        },
    ];
    if (rest.length) {
        const both = [onLeft, onResult].map((place) =>
            highlight(place, rest.map((r) => [r, r + 1, 0, place.matrix.m]))
        );
        stations.push({
            says: said.all,
            lasts: clamp(2000, 700 * rows.length, 8000),
            steps: [...both, uncoverCells(m, m * rows.length)],
        });
    }
    return { stations, covers: [{ place: onResult, rows }], room: STACK_ROOM };
}

function describeMixture(
    { matrices: [left, right, result] },
    [i, column],
    weights,
    order,
    sums,
    rows,
) {
    const word = (j) => `“${isolate(right.rows[j])}”`, asks = `“${isolate(left.rows[i])}”`;
    const [largest, second] = order, inColumn = `in column ${right.columns[column]}`;
    const of = (j) => `${writeExact(weights[j])} × ${writeExact(right.at(j, column))}`;
    const next = second === undefined ? "" : `, then ${of(second)} of ${word(second)}, and so on`;
    return {
        weights: `The row of ${asks} in α says how much of each value goes into its z: ` +
            `most, ${writeExact(weights[largest])}, of ${word(largest)}.`,
        stack: `Each value shrinks to its weight, that of ${word(largest)} first: ${inColumn}, ` +
            `${of(largest)}${next}. The sum is ${writeExact(sums[column])}. ` +
            "The weights add up to 1: so does the stack.",
        land: `The sum is z, the row of ${asks} in Z; ${inColumn}, ${
            writeExact(result.at(i, column))
        }.`,
        all: `Every other word mixes the same values by its own row of α: ${rows} rows are Z.`,
    };
}
