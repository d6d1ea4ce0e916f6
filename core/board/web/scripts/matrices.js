// Scripts of matrices side by side: an embedding lookup, and rows that add up.

import { exact } from "../numbers.js";
import {
    flies,
    goes,
    inTurn,
    lights,
    middleOf,
    oneRow,
    range,
    rowBox,
    uncovers,
    within,
} from "../primitives.js";
import { isolated, textWidth } from "../text.js";
/** @import { Script } from "../types.d.ts" */

const quoted = (word) => `“${isolated(word)}”`;

// Animates the first of `count` similar items slowly, then the others in turn.
/** @returns {Script["stations"]} */
function oneByOne(count, first, rest, steps) {
    const others = range(count - 1, 1).flatMap((k) => steps(k, inTurn(k - 1, count - 1)));
    const lasts = within(3000, 1200 * (count - 1), 10000);
    const begins = { says: first, lasts: 3500, steps: steps(0, [0, 1]) };
    return count > 1 ? [begins, { says: rest, lasts, steps: others }] : [begins];
}

// Each word’s id selects its row of the table, and the row moves to the word’s position.
export function lookupScript({ data: { plays: { ids } }, places: [onTable, onRows] }) {
    const { m, rows } = onRows.matrix, again = ids.findIndex((id, t) => ids.indexOf(id) < t);
    const label = (place, row) => {
        const [, y] = middleOf(place, row, 0);
        return [place.x - 6 - textWidth(place.matrix.rows[row]) / 2, y];
    };
    const copied = `row ${ids[0]} of the table, counted from 0, is copied to the sentence’s row 1`;
    const first = `${quoted(rows[0])} has id ${ids[0]}: ${copied}.`;
    const rest = `Every other word in the same way: the table’s rows ${ids.slice(1).join(", ")}.`;
    const twice = again < 0
        ? ""
        : ` ${quoted(rows[again])} has the id of position ${ids.indexOf(ids[again]) + 1}, ` +
            "so its row is equal.";
    const steps = (t, over) => {
        const id = ids[t], [asks, comes] = [inTurn(0, 2, over), inTurn(1, 2, over)];
        const when = { over: comes, leaves: true };
        return [
            flies(`id ${id}`, label(onRows, t), label(onTable, id), asks),
            lights(onTable, [[id, id + 1, 0, m]], "chosen", when),
            goes(oneRow(onTable.matrix, id), rowBox(onTable, id), rowBox(onRows, t), when),
            uncovers(t * m, (t + 1) * m, { over: [over[1] - 1e-4, over[1]] }),
        ];
    };
    const stations = oneByOne(ids.length, first, rest + twice, steps);
    return { stations, covers: [{ place: onRows }] };
}

// Rows move one by one to the place of their sum, which shows the partial sum. `plays.each` rows of
// W_o contribute to one head’s row. `places` are the rows, and their sum of one row.
/** @returns {Script} */
export function rowsScript({ data: { plays }, places: [onParts, onSum] }, [, j]) {
    const parts = onParts.matrix, sum = onSum.matrix, each = plays?.each, others = parts.n - 1;
    const sums = [Array(parts.m).fill(0)];
    range(parts.n).forEach((i) => sums.push(sums[i].map((before, c) => before + parts.at(i, c))));
    const own = (i) => {
        if (!each || i >= plays.heads) return "";
        const which = each === 1 ? `row ${i + 1}` : `rows ${i * each + 1} to ${(i + 1) * each}`;
        return `, made with ${which} of W_o,`;
    };
    const inColumn = `in column ${sum.columns[j]},`;
    const whole = `the sum is ${sum.title}, ${inColumn} ${exact(sum.at(0, j))}.`;
    const first = `The row ${quoted(parts.rows[0])}${own(0)} comes to the place of the sum: ${
        others ? `${inColumn} ${exact(parts.at(0, j))}.` : whole
    }`;
    const rest = () =>
        `${quoted(parts.rows[1])}${own(1)} is added to it, number by number: ${inColumn} ${
            plus(parts.at(0, j), parts.at(1, j))
        } = ${exact(sums[2][j])}. ${others > 1 ? `So are all others; ${whole}` : capital(whole)}`;
    const steps = (i, over) => {
        const comes = inTurn(0, 2, over), when = { over: comes, leaves: true };
        const soFar = i === others ? Array.from(sum.values) : sums[i + 1];
        return [
            goes(oneRow(parts, i), rowBox(onParts, i), rowBox(onSum, 0), when),
            {
                does: "sum",
                place: onSum,
                sums: [soFar],
                over: [comes[1] - 1e-4, over[1]],
                stays: 1,
            },
            lights(onSum, [[0, 1, j, j + 1]], "chosen", { over }),
            uncovers(0, i === others ? sum.m : 0, { over: [over[1] - 1e-4, over[1]] }),
        ];
    };
    const stations = oneByOne(parts.n, first, others ? rest() : "", steps);
    return { stations, covers: [{ place: onSum }] };
}

export const plus = (a, b) => `${exact(a)} ${b < 0 ? "−" : "+"} ${exact(Math.abs(b))}`;
export const capital = (text) => text[0].toUpperCase() + text.slice(1);
