// Script of a mixture: each value row goes down to a stack, as high there as its weight, the largest
// first; below it stands their sum, until it is z and goes to its row. Then every other row fills.

import { brief, exact } from "../numbers.js";
import { inTurn, oneRow, range, rowBox, rowsFrom, within } from "../primitives.js";
import { isolated } from "../text.js";
/** @import { Script } from "../types.d.ts" */

// in the drawing's measure; `high` is a weight of 1
const STACK = { above: 26, high: 96, between: 12, sum: 24, below: 14 };
const STACK_ROOM = Object.values(STACK).reduce((total, part) => total + part, 0);

// `drawn` is what the view of a product made; the left matrix holds weights, the right one values.
/** @returns {Script} */
export function mixtureScript(drawn, [i, column]) {
    const { data, matrices: [left, right, result], places, layout: { height } } = drawn;
    const [onResult, onLeft, onRight] = places, { x, uw } = onResult, { m } = result;
    const weights = range(left.m).map((j) => left.at(i, j));
    const order = range(left.m).sort((a, b) => weights[b] - weights[a]);
    const rows = data.only === "row" ? [i] : rowsFrom(i, left.n), count = order.length;
    const top = height + STACK.above, foot = top + STACK.high + STACK.between;
    const sums = [Array(m).fill(0)];
    for (const j of order) {
        sums.push(sums.at(-1).map((sum, c) => sum + weights[j] * right.at(j, c)));
    }
    let above = top;
    const strips = order.map((j) => {
        const box = { x, y: above, width: m * uw, height: Math.max(weights[j] * STACK.high, 0.5) };
        above += weights[j] * STACK.high;
        return { j, box };
    });
    const stack = ({ j, box }, over) => [
        {
            does: "move",
            row: oneRow(right, j),
            from: rowBox(onRight, j),
            to: box,
            kind: "frame",
            over,
            stays: 1,
        },
        {
            does: "type",
            texts: [box.height < 11 ? "" : `${brief(weights[j])} × ${isolated(right.rows[j])}`],
            at: [x - 8, box.y + box.height / 2 + 4],
            anchor: "end",
            over: [over[1] - 0.001, 1],
            stays: 1,
        },
        {
            does: "light",
            place: onLeft,
            cells: [[i, i + 1, j, j + 1]],
            kind: "chosen",
            over,
            leaves: true,
        },
        {
            does: "light",
            place: onRight,
            cells: [[j, j + 1, 0, m]],
            kind: "chosen",
            over,
            leaves: true,
        },
    ];
    const sumPlace = { matrix: result, x, y: foot, uw, uh: STACK.sum };
    const labelled = (text) => (
        { does: "type", texts: [text], at: [x - 8, foot + STACK.sum / 2 + 4], anchor: "end" }
    );
    const row = { does: "light", place: onLeft, cells: [[i, i + 1, 0, left.m]] };
    const said = saidMixture(drawn, [i, column], weights, order, sums, rows.length);
    /** @type {Script["stations"]} */
    const stations = [
        { says: said.weights, lasts: 2200, steps: [{ ...row, kind: "chosen" }] },
        {
            says: said.stack,
            lasts: within(3000, 1600 * count, 10000),
            steps: [
                row,
                ...strips.flatMap((strip, rank) => stack(strip, inTurn(rank, count))),
                { does: "sum", place: sumPlace, row: i, sums },
                labelled("sum so far"),
            ],
        },
        {
            says: said.land,
            lasts: 2600,
            steps: [
                row,
                labelled("sum"),
                {
                    does: "sum",
                    place: sumPlace,
                    row: i,
                    sums: [sums.at(-1)],
                    over: [0, 0.2],
                    leaves: true,
                },
                {
                    does: "move",
                    row: oneRow(result, i),
                    from: { ...rowBox(onResult, 0), y: foot, height: STACK.sum },
                    to: rowBox(onResult, i),
                    over: [0.2, 0.9],
                },
                { does: "uncover", cells: [0, m], over: [0.89, 0.9] },
            ],
        },
    ];
    if (rows.length > 1) {
        const rest = rows.slice(1);
        const lit = (place) => (
            { does: "light", place, cells: rest.map((r) => [r, r + 1, 0, place.matrix.m]) }
        );
        stations.push({
            says: said.all,
            lasts: within(2000, 700 * rows.length, 8000),
            steps: [lit(onLeft), lit(onResult), { does: "uncover", cells: [m, m * rows.length] }],
        });
    }
    return { stations, covers: [{ place: onResult, rows }], room: STACK_ROOM };
}

function saidMixture({ matrices: [left, right, result] }, [i, column], weights, order, sums, rows) {
    const word = (j) => `“${isolated(right.rows[j])}”`, asks = `“${isolated(left.rows[i])}”`;
    const [largest, second] = order, inColumn = `in column ${right.columns[column]}`;
    const of = (j) => `${exact(weights[j])} × ${exact(right.at(j, column))}`;
    return {
        weights: `The row of ${asks} in α says how much of each value goes into its z: ` +
            `most, ${exact(weights[largest])}, of ${word(largest)}.`,
        stack: `Each value shrinks to its weight, that of ${word(largest)} first: ${inColumn}, ` +
            `${of(largest)}${
                second === undefined ? "" : `, then ${of(second)} of ${word(second)}, and so on`
            }. The sum is ${
                exact(sums.at(-1)[column])
            }. The weights add up to 1: so does the stack.`,
        land: `The sum is z, the row of ${asks} in Z; ${inColumn}, ${exact(result.at(i, column))}.`,
        all: `Every other word mixes the same values by its own row of α: ${rows} rows are Z.`,
    };
}
