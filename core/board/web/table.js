// A matrix as an HTML table, for screen readers and for copying.

import { make } from "./dom.js";
/** @import { Matrix } from "./types.d.ts" */

// Fills the table with the labels of a matrix; `cell(line, i, j)` adds one cell to its row.
/** @param {Matrix} matrix */
export function fillTable(table, matrix, name, cell) {
    make("caption", {}, table, name);
    const head = make("tr", {}, make("thead", {}, table));
    make("td", {}, head);
    for (const label of matrix.columns) make("th", { scope: "col" }, head, label);
    const body = make("tbody", {}, table);
    matrix.rows.forEach((label, i) => {
        const line = make("tr", {}, body);
        make("th", { scope: "row" }, line, label);
        for (let j = 0; j < matrix.m; j++) cell(line, i, j);
    });
}
