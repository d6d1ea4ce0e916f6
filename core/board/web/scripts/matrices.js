// Scripts of matrices side by side: an embedding lookup, and rows that add up.

import { writeEqual, writeExact } from "../numbers.js";
import {
    clamp,
    drawOneRow,
    flyText,
    getMiddle,
    getPart,
    getRowBox,
    highlight,
    listRange,
    moveRow,
    uncoverCells,
} from "../primitives.js";
import { isolate, textWidth } from "../text.js";
/** @import { Script } from "../types.d.ts" */

const quote = (word) => `“${isolate(word)}”`;

// Animates the first of `count` similar items slowly, then the others in turn.
/** @returns {Script["stations"]} */
function makeOneByOne(count, first, rest, steps) {
    const others = listRange(count - 1, 1).flatMap((k) => steps(k, getPart(k - 1, count - 1)));
    const lasts = clamp(3000, 1200 * (count - 1), 10000);
    const begins = { says: first, lasts: 3500, steps: steps(0, [0, 1]) };
    return count > 1 ? [begins, { says: rest, lasts, steps: others }] : [begins];
}

// Each word’s id selects its row of the table, and the row moves to the word’s position.
export function lookupScript({ data: { plays: { ids } }, places: [onTable, onRows] }) {
    const { m, rows } = onRows.matrix, again = ids.findIndex((id, t) => ids.indexOf(id) < t);
    const label = (place, row) => {
        const [, y] = getMiddle(place, row, 0);
        return [place.x - 6 - textWidth(place.matrix.rows[row]) / 2, y];
    };
    const copied = `row ${ids[0]} of the table, counted from 0, is copied to the sentence’s row 1`;
    const first = `${quote(rows[0])} has id ${ids[0]}: ${copied}.`;
    const rest = `Every other word in the same way: the table’s rows ${ids.slice(1).join(", ")}.`;
    const twice = again < 0
        ? ""
        : ` ${quote(rows[again])} has the id of position ${ids.indexOf(ids[again]) + 1}, ` +
            "so its row is equal.";
    const steps = (t, over) => {
        const id = ids[t], [asks, comes] = [getPart(0, 2, over), getPart(1, 2, over)];
        const when = { over: comes, leaves: true };
        return [
            flyText(`id ${id}`, label(onRows, t), label(onTable, id), asks),
            highlight(onTable, [[id, id + 1, 0, m]], "chosen", when),
            moveRow(
                drawOneRow(onTable.matrix, id),
                getRowBox(onTable, id),
                getRowBox(onRows, t),
                when,
            ),
            uncoverCells(t * m, (t + 1) * m, { over: [over[1] - 1e-4, over[1]] }),
        ];
    };
    const stations = makeOneByOne(ids.length, first, rest + twice, steps);
    return { stations, covers: [{ place: onRows }] };
}

// Rows move one by one to the place of their sum, which shows the partial sum. `plays.each` rows of
// W_o contribute to one head’s row. `places` are the rows, and their sum of one row.
/** @returns {Script} */
export function rowsScript({ data: { plays }, places: [onParts, onSum] }, [, j]) {
    const parts = onParts.matrix, sum = onSum.matrix, each = plays?.each, others = parts.n - 1;
    const sums = [Array(parts.m).fill(0)];
    listRange(parts.n).forEach((i) =>
        sums.push(sums[i].map((before, c) => before + parts.at(i, c)))
    );
    const own = (i) => {
        if (!each || i >= plays.heads) return "";
        const which = each === 1 ? `row ${i + 1}` : `rows ${i * each + 1} to ${(i + 1) * each}`;
        return `, made with ${which} of W_o,`;
    };
    const inColumn = `in column ${sum.columns[j]},`;
    const whole = `the sum is ${sum.title}, ${inColumn} ${writeExact(sum.at(0, j))}.`;
    const first = `The row ${quote(parts.rows[0])}${own(0)} comes to the place of the sum: ${
        others ? `${inColumn} ${writeExact(parts.at(0, j))}.` : whole
    }`;
    const rest = () =>
        `${quote(parts.rows[1])}${own(1)} is added to it, number by number: ${inColumn} ${
            writePlus(parts.at(0, j), parts.at(1, j))
        } ${writeEqual(sums[2][j])}. ${
            others > 1 ? `So are all others; ${whole}` : capitalize(whole)
        }`;
    const steps = (i, over) => {
        const comes = getPart(0, 2, over), when = { over: comes, leaves: true };
        const soFar = i === others ? Array.from(sum.values) : sums[i + 1];
        return [
            moveRow(drawOneRow(parts, i), getRowBox(onParts, i), getRowBox(onSum, 0), when),
            {
                does: "sum",
                place: onSum,
                sums: [soFar],
                over: [comes[1] - 1e-4, over[1]],
                stays: 1,
            },
            highlight(onSum, [[0, 1, j, j + 1]], "chosen", { over }),
            uncoverCells(0, i === others ? sum.m : 0, { over: [over[1] - 1e-4, over[1]] }),
        ];
    };
    const stations = makeOneByOne(parts.n, first, others ? rest() : "", steps);
    return { stations, covers: [{ place: onSum }] };
}

export const writePlus = (a, b) =>
    `${writeExact(a)} ${b < 0 ? "−" : "+"} ${writeExact(Math.abs(b))}`;
export const capitalize = (text) => text[0].toUpperCase() + text.slice(1);
