// Script of a product: the numbers of a row and of a column meet, their products are added up, and
// the sum goes into its cell. The chosen cell goes first; then the rest of its row, then all rows.

import { inFull, nameOf } from "../matrix.js";
import { brief, decode, exact } from "../numbers.js";
import { inTurn, middleOf, range, rowsFrom, some, within } from "../primitives.js";
import { termsMiddle } from "../product_cell.js";
import { columnInWhole } from "../read.js";
import { isolated } from "../text.js";
/** @import { Script } from "../types.d.ts" */

/** @returns {Script} */
export function productScript({ data, matrices, places, layout }, [i, j]) {
    const [left, right, result] = matrices, [onResult, onLeft, onRight] = places;
    const inner = left.m, { n, m } = result;
    const rows = data.only === "row" ? [i] : rowsFrom(i, n);
    const columns = range(m).map((k) => (j + k) % m); // from the chosen cell on, and around
    const others = columns.slice(1), foot = layout.y0 + inner * layout.innerHeight + 14;
    const bias = data.bias && decode(data.bias)[columnInWhole(result, j)];
    const products = range(inner).map((p) => left.at(i, p) * right.at(p, j));
    const sums = products.map((_, p) => products.slice(0, p + 1).reduce((a, b) => a + b, 0));
    const whole = `${bias ? `sum + bias ${exact(bias)}` : "sum"} = ${exact(result.at(i, j))}`;
    const typed = (texts) => (
        {
            does: "type",
            texts,
            at: [layout.corner - 8, foot],
            kind: "sum",
            width: layout.corner - 12,
        }
    );
    const lit = (place, cells, kind = "hot") => ({ does: "light", place, cells, kind });
    const row = lit(onLeft, [[i, i + 1, 0, inner]]);
    const meeting = [row, lit(onRight, [[0, inner, j, j + 1]])];
    const terms = { does: "terms", layout, matrices, cells: [[i, j]] };
    const middle = termsMiddle(layout);
    const flown = some(inner);
    const pair = (p, rank) => {
        const y = layout.y0 + (p + 0.5) * layout.innerHeight;
        const way = { does: "fly", over: inTurn(rank, flown.length), leaves: true };
        const [from, other] = [middleOf(onLeft, i, p), middleOf(onRight, p, j)];
        return [
            { ...way, text: brief(left.at(i, p)), from, to: [middle - 22, y] },
            { ...way, text: brief(right.at(p, j)), from: other, to: [middle + 22, y] },
        ];
    };
    const factors = [
        lit(onLeft, range(inner).map((p) => [i, i + 1, p, p + 1]), "chosen"),
        lit(onRight, range(inner).map((p) => [p, p + 1, j, j + 1]), "chosen"),
    ];
    const said = saidProduct(data, matrices, [i, j], rows.length, Boolean(bias));
    /** @type {Script["stations"]} */
    const stations = [
        {
            says: said.multiply,
            lasts: within(2500, 900 * inner, 7000),
            steps: [...meeting, ...factors, terms, ...flown.flatMap(pair)],
        },
        {
            says: said.add,
            lasts: within(2000, 350 * inner, 4500),
            steps: [
                ...meeting,
                { ...terms, cells: [[i, j], [i, j]], stays: 1 },
                typed([
                    ...sums.slice(0, -1).map((sum, p) =>
                        `sum of ${p + 1} term${p ? "s" : ""} = ${exact(sum)}`
                    ),
                    whole,
                ]),
            ],
        },
        {
            says: said.land,
            lasts: 1800,
            steps: [
                ...meeting,
                typed([whole]),
                {
                    does: "fly",
                    text: exact(result.at(i, j)),
                    from: [layout.corner - 40, foot],
                    to: middleOf(onResult, i, j),
                    over: [0, 0.8],
                    leaves: true,
                },
                { does: "uncover", cells: [0, 1], over: [0, 0.8] },
                { ...lit(onResult, [[i, i + 1, j, j + 1]], "chosen"), over: [0.8, 1] },
            ],
        },
    ];
    if (others.length) {
        stations.push({
            says: said.row,
            lasts: within(2000, 500 * m, 6000),
            steps: [
                row,
                lit(onRight, others.map((c) => [0, inner, c, c + 1])),
                lit(onResult, others.map((c) => [i, i + 1, c, c + 1]), "chosen"),
                { ...terms, cells: [...others, others.at(-1)].map((c) => [i, c]) },
                typed(others.map((c) => `${nameOf(result, i, c)} = ${exact(result.at(i, c))}`)),
                { does: "uncover", cells: [1, m] },
            ],
        });
    }
    if (rows.length > 1) {
        const rest = rows.slice(1);
        stations.push({
            says: said.all,
            lasts: within(2000, 700 * n, 8000),
            steps: [
                lit(onLeft, rest.map((r) => [r, r + 1, 0, inner])),
                lit(onRight, [[0, inner, 0, m]]),
                lit(onResult, rest.map((r) => [r, r + 1, 0, m])),
                { does: "uncover", cells: [m, m * rows.length] },
            ],
        });
    }
    return { stations, covers: [{ place: onResult, rows, start: j }] };
}

function saidProduct({ axes }, [left, right, result], [i, j], rows, hasBias) {
    const called = (label, axis) => (axis === "words" ? `“${isolated(label)}”` : label);
    const row = `row ${called(left.rows[i], axes[0])} of ${left.title}`;
    const column = `column ${called(right.columns[j], axes[2])} of ${right.title}`;
    const first = `${inFull(left, i, 0)} × ${inFull(right, 0, j)} = ${
        exact(Math.fround(left.at(i, 0) * right.at(0, j)))
    }`;
    const bias = hasBias ? ", and the bias is added" : "", number = inFull(result, i, j);
    const [terms, shown] = [left.m === 1 ? "1 term" : `${left.m} terms`, result.cut];
    return {
        multiply: `For ${nameOf(result, i, j)}, ${row} meets ${column}: ` +
            (left.m === 1
                ? `their only numbers are multiplied, ${first}.`
                : `first number times first, second times second, and so on. ${terms}, the first ${first}.`),
        add: left.m === 1
            ? `The one term is the sum${bias}: ${number}.`
            : `The ${terms} are added up one after the other${bias}: ${number}.`,
        land: `The sum is one number of the result: ${nameOf(result, i, j)} = ${number}.`,
        row: `So the row fills${
            shown ? ", as far as it is shown" : ""
        }: ${result.m} sums of ${terms} each.`,
        all: `So every other row fills: ${rows} × ${result.m} sums of ${terms} each are ${
            shown ? "what is shown of the matrix" : "the matrix"
        }.`,
    };
}
