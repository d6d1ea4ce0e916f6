// Script of a matrix product: the numbers of a row and a column meet, their products are added, and
// the sum goes into its cell. First the chosen cell, then the rest of its row, then all rows.

import { nameCell, writeInFull } from "../matrix.js";
import { decode, equate, writeBrief, writeEqual, writeExact } from "../numbers.js";
import {
    clamp,
    flyText,
    getMiddle,
    getPart,
    highlight,
    listRange,
    listRowsFrom,
    pickEvenly,
    typeTexts,
    uncoverCells,
} from "../primitives.js";
import { getTermsMiddle } from "../product_cell.js";
import { findColumnInWhole } from "../decode.js";
import { isolate } from "../text.js";
/** @import { Script } from "../types.d.ts" */

/** @returns {Script} */
export function productScript({ data, matrices, places, layout }, [i, j]) {
    const [left, right, result] = matrices, [onResult, onLeft, onRight] = places;
    const inner = left.m, { n, m } = result, factors = listRange(inner), flown = pickEvenly(inner);
    const rows = data.only === "row" ? [i] : listRowsFrom(i, n), rest = rows.slice(1);
    const others = listRange(m - 1, 1).map((k) => (j + k) % m); // after the chosen cell, and around
    const number = writeExact(result.at(i, j)), middle = getTermsMiddle(layout);
    const foot = layout.y0 + inner * layout.innerHeight + 14;
    const bias = data.bias && writeExact(decode(data.bias)[findColumnInWhole(result, j)]);
    const whole = `${bias ? `sum + bias ${bias}` : "sum"} ${equate(number)}`;
    let sum = 0;
    const sums = factors.map((p) => {
        sum += left.at(i, p) * right.at(p, j);
        return p === inner - 1 ? whole : `sum of ${p + 1} term${p ? "s" : ""} ${writeEqual(sum)}`;
    });
    const typed = (texts) =>
        typeTexts(texts, [layout.corner - 8, foot], { kind: "sum", width: layout.corner - 12 });
    const row = highlight(onLeft, [[i, i + 1, 0, inner]]);
    const meeting = [row, highlight(onRight, [[0, inner, j, j + 1]])];
    const terms = (cells, when = {}) => ({ does: "terms", layout, matrices, cells, ...when });
    const pair = (p, rank) => {
        const y = layout.y0 + (p + 0.5) * layout.innerHeight, over = getPart(rank, flown.length);
        return [
            flyText(writeBrief(left.at(i, p)), getMiddle(onLeft, i, p), [middle - 22, y], over),
            flyText(writeBrief(right.at(p, j)), getMiddle(onRight, p, j), [middle + 22, y], over),
        ];
    };
    const said = describeProduct(data, matrices, [i, j], rest.length);
    /** @type {Script["stations"]} */
    const stations = [
        {
            says: said.multiply,
            lasts: clamp(2500, 900 * inner, 7000),
            steps: [
                ...meeting,
                highlight(onLeft, factors.map((p) => [i, i + 1, p, p + 1]), "chosen"),
                highlight(onRight, factors.map((p) => [p, p + 1, j, j + 1]), "chosen"),
                terms([[i, j]]),
                ...flown.flatMap(pair),
            ],
        },
        {
            says: said.add,
            lasts: clamp(2000, 350 * inner, 4500),
            steps: [...meeting, terms([[i, j], [i, j]], { stays: 1 }), typed(sums)],
        },
        {
            says: said.land,
            lasts: 1800,
            steps: [
                ...meeting,
                typed([whole]),
                flyText(number, [layout.corner - 40, foot], getMiddle(onResult, i, j), [0, 0.8]),
                uncoverCells(0, 1, { over: [0, 0.8] }),
                highlight(onResult, [[i, i + 1, j, j + 1]], "chosen", { over: [0.8, 1] }),
            ],
        },
    ];
    if (others.length) {
        stations.push({
            says: said.row,
            lasts: clamp(2000, 500 * m, 6000),
            steps: [
                row,
                highlight(onRight, others.map((c) => [0, inner, c, c + 1])),
                highlight(onResult, others.map((c) => [i, i + 1, c, c + 1]), "chosen"),
                terms([...others, others.at(-1)].map((c) => [i, c])),
                typed(
                    others.map((c) => `${nameCell(result, i, c)} ${writeEqual(result.at(i, c))}`),
                ),
                uncoverCells(1, m),
            ],
        });
    }
    if (rest.length) {
        stations.push({
            says: said.all,
            lasts: clamp(2000, 700 * n, 8000),
            steps: [
                highlight(onLeft, rest.map((r) => [r, r + 1, 0, inner])),
                highlight(onRight, [[0, inner, 0, m]]),
                highlight(onResult, rest.map((r) => [r, r + 1, 0, m])),
                uncoverCells(m, m * rows.length),
            ],
        });
    }
    return { stations, covers: [{ place: onResult, rows, start: j }] };
}

function describeProduct({ axes, bias }, [left, right, result], [i, j], rest) {
    const called = (label, axis) => (axis === "words" ? `“${isolate(label)}”` : label);
    const row = `row ${called(left.rows[i], axes[0])} of ${left.title.split(",")[0]}`; // “x” of “x, cat”
    const column = `column ${called(right.columns[j], axes[2])} of ${right.title}`;
    const first = `${writeInFull(left, i, 0)} × ${writeInFull(right, 0, j)} ${
        writeEqual(Math.fround(left.at(i, 0) * right.at(0, j)))
    }`;
    const number = writeInFull(result, i, j), [one, name] = [left.m === 1, nameCell(result, i, j)];
    const terms = one ? "1 term" : `${left.m} terms`, shown = result.cut ? " that are shown" : "";
    return {
        multiply: `For ${name}, ${row} meets ${column}: ` +
            (one
                ? `their only numbers are multiplied, ${first}.`
                : `first number times first, second times second, and so on. ${terms}, the first ${first}.`),
        add: `${one ? "The one term is the sum" : `The ${terms} are added up one after the other`}${
            bias ? ", and the bias is added" : ""
        }: ${number}.`,
        land: `The sum is one number of the result: ${name} ${equate(number)}.`,
        row: `So the row fills: ${result.m} sums${shown} of ${terms} each.`,
        all: `So every other row fills: ${rest} × ${result.m} sums${shown} of ${terms} each.`,
    };
}
