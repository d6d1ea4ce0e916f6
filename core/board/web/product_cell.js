// One cell of a matrix product: its factors are highlighted, its terms and their sum are shown in
// the free corner.

import { drawText, node } from "./dom.js";
import { drawOutline } from "./matrix.js";
import { writeEqual, writeExact } from "./numbers.js";
import { fitText, isolate, textWidth } from "./text.js";
/** @import { Place, Cell, Matrix } from "./types.d.ts" */

// The result's cell whose terms are shown: the one pointed at, or the one in the pointed row of the
// left matrix, or column of the right one, and else the `chosen` row and column.
/** @param {Place[]} places @param {Cell} cell @param {number[]} chosen */
export const findTermsCell = ([, onLeft, onRight], { place, i, j }, chosen) => [
    place === onRight ? chosen[0] : i,
    place === onLeft ? chosen[1] : j,
];

// Highlights a row at the left, a column at the right, and both in the result.
/** @param {SVGElement} over @param {Place[]} places */
export function lightProduct(over, [onResult, onLeft, onRight], row, column) {
    const { n, m } = onResult.matrix;
    drawOutline(over, onLeft, row, row + 1, 0, onLeft.matrix.m, "hot");
    drawOutline(over, onResult, row, row + 1, 0, m, "warm");
    drawOutline(over, onRight, 0, onRight.matrix.n, column, column + 1, "hot");
    drawOutline(over, onResult, 0, n, column, column + 1, "warm");
    drawOutline(over, onResult, row, row + 1, column, column + 1, "chosen");
}

export const getTermsMiddle = ({ corner, innerHeight }) =>
    corner * (innerHeight >= 11 ? 0.78 : 0.5);

// Draws the terms of one cell, each beside the row of the right matrix that it uses.
/** @param {SVGElement} over @param {any} layout @param {Matrix[]} matrices */
export function drawProducts(
    over,
    { corner, y0, innerHeight, wordsInside },
    [left, right],
    row,
    column,
    colours,
) {
    const products = Array.from(
        { length: left.m },
        (_, p) => Math.fround(left.at(row, p) * right.at(p, column)),
    );
    const top = Math.max(...products.map(Math.abs), 1e-12);
    const numbers = innerHeight >= 11;
    const middle = getTermsMiddle({ corner, innerHeight });
    const reach = Math.min(corner - middle - 12, 90);
    const factors = (p) => `${writeExact(left.at(row, p))} × ${writeExact(right.at(p, column))}`;
    const written = (p) => {
        // a number counts from 1, as in the formula
        const label = `${wordsInside ? isolate(right.rows[p]) : right.rows[p]}: `;
        if (corner >= 370) return `${label}${factors(p)} ${writeEqual(products[p])}`;
        return label + (wordsInside ? writeExact(products[p]) : factors(p));
    };
    node("path", { d: `M${middle} ${y0 - 2}v${left.m * innerHeight + 4}`, class: "ab-axis" }, over);
    products.forEach((product, p) => {
        const y = y0 + p * innerHeight;
        const length = (Math.abs(product) / top) * reach;
        node("rect", {
            x: product < 0 ? middle - length : middle,
            y: y + 1,
            width: Math.max(length, 0.5),
            height: Math.max(innerHeight - 2, 1),
            fill: `rgb(${colours.diverging[product < 0 ? 1 : 8]})`,
        }, over);
        if (!numbers) return;
        const text = written(p);
        const made = drawText(over, text, middle - reach - 4, y + innerHeight / 2, "ab-term");
        fitText(made, 1.04 * textWidth(text), middle - reach - 6);
    });
}

// `of` is the cell's name if another one is pointed at.
export function drawSum(over, { corner, y0, innerHeight, inner }, sum, bias, of = "", others = "") {
    const text = `${of && `${of}: `}${others}${others && bias ? `bias: ${bias}, ` : ""}${
        bias && !others ? `sum + bias ${bias}` : "sum"
    } = ${sum}`;
    const made = drawText(over, text, corner - 8, y0 + inner * innerHeight + 14, "ab-sum");
    fitText(made, textWidth(text, "small", 600), corner - 12);
}
