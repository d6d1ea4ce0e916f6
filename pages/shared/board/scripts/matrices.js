// Scripts of matrices that stand side by side: a lookup, and rows that add up.

import { exact } from "../numbers.js";
import { inTurn, middleOf, oneRow, range, rowBox, within } from "../primitives.js";
import { isolated, textWidth } from "../text.js";
/** @import { Script } from "../types.d.ts" */

const quoted = (word) => `“${isolated(word)}”`;

// Things that are fetched alike: the first slowly, then all others one after the other.
/** @returns {Script["stations"]} */
export function oneByOne(count, { first, rest }, steps) {
    /** @type {Script["stations"]} */
    const stations = [{ says: first, lasts: 3500, steps: steps(0, [0, 1]) }];
    if (count > 1) {
        stations.push({
            says: rest,
            lasts: within(3000, 1200 * (count - 1), 10000),
            steps: range(count - 1).flatMap((k) => steps(k + 1, inTurn(k, count - 1))),
        });
    }
    return stations;
}

// Each word’s id goes to that row of the table, and the row comes to the word’s place.
export function lookupScript({ data: { plays: { ids } }, places: [onTable, onRows] }) {
    const [table, rows] = [onTable.matrix, onRows.matrix],
        again = ids.findIndex((id, t) => ids.indexOf(id) < t);
    const named = (place, row) => {
        const [, y] = middleOf(place, row, 0);
        return [place.x - 6 - textWidth(place.matrix.rows[row]) / 2, y];
    };
    const says = {
        first:
            `${quoted(rows.rows[0])} has id ${ids[0]}: row ${
                ids[0]
            } of the table, counted from 0, ` +
            "is copied to the sentence’s row 1.",
        rest: `Every other word in the same way: the table’s rows ${ids.slice(1).join(", ")}.` +
            (again < 0
                ? ""
                : ` ${quoted(rows.rows[again])} has the id of position ${
                    ids.indexOf(ids[again]) + 1
                }, so its row is equal.`),
    };
    const steps = (t, over) => [
        {
            does: "fly",
            text: `id ${ids[t]}`,
            from: named(onRows, t),
            to: named(onTable, ids[t]),
            over: inTurn(0, 2, over),
            leaves: true,
        },
        {
            does: "light",
            place: onTable,
            cells: [[ids[t], ids[t] + 1, 0, table.m]],
            kind: "chosen",
            over: inTurn(1, 2, over),
            leaves: over[1] < 1,
        },
        {
            does: "move",
            row: oneRow(table, ids[t]),
            from: rowBox(onTable, ids[t]),
            to: rowBox(onRows, t),
            over: inTurn(1, 2, over),
            leaves: true,
        },
        { does: "uncover", cells: [t * rows.m, (t + 1) * rows.m], over: [over[1] - 1e-4, over[1]] },
    ];
    return { stations: oneByOne(ids.length, says, steps), covers: [{ place: onRows }] };
}

// Rows come down to the place of their sum one after the other, and there stands the sum so far.
// `plays.each` rows of W_o made a head’s row. `places` are the rows, and their sum of one row.
/** @returns {Script} */
export function rowsScript({ data: { plays }, places: [onParts, onSum] }, [, j]) {
    const parts = onParts.matrix, sum = onSum.matrix, each = plays?.each;
    const sums = [Array(parts.m).fill(0)];
    range(parts.n).forEach((i) => sums.push(sums[i].map((before, c) => before + parts.at(i, c))));
    const own = (i) =>
        each && i < plays.heads
            ? each === 1
                ? `, made with row ${i + 1} of W_o,`
                : `, made with rows ${i * each + 1} to ${(i + 1) * each} of W_o,`
            : "";
    const inColumn = `in column ${sum.columns[j]},`, others = parts.n - 1;
    const whole = `the sum is ${sum.title}, ${inColumn} ${exact(sum.at(0, j))}.`;
    const says = {
        first: `The row ${quoted(parts.rows[0])}${own(0)} comes to the place of the sum: ${
            others ? `${inColumn} ${exact(parts.at(0, j))}.` : whole
        }`,
        rest: others && `${quoted(parts.rows[1])}${own(1)} is added to it, number by number: ` +
                `${inColumn} ${plus(parts.at(0, j), parts.at(1, j))} = ${exact(sums[2][j])}. ` +
                (others > 1 ? `So are all others; ${whole}` : capital(whole)),
    };
    const steps = (i, over) => [
        {
            does: "move",
            row: oneRow(parts, i),
            from: rowBox(onParts, i),
            to: rowBox(onSum, 0),
            over: inTurn(0, 2, over),
            leaves: true,
        },
        {
            does: "sum",
            place: onSum,
            sums: [i === others ? range(sum.m).map((c) => sum.at(0, c)) : sums[i + 1]],
            over: [inTurn(0, 2, over)[1] - 1e-4, over[1]],
            stays: 1,
        },
        { does: "light", place: onSum, cells: [[0, 1, j, j + 1]], kind: "chosen", over },
    ];
    return { stations: oneByOne(parts.n, says, steps), covers: [{ place: onSum }] };
}

export const plus = (a, b) => `${exact(a)} ${b < 0 ? "−" : "+"} ${exact(Math.abs(b))}`;
export const capital = (text) => text[0].toUpperCase() + text.slice(1);
