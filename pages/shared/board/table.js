// A table of numbers as they are written: a heading for each column, and in each row its label
// first. Plain HTML: Streamlit's own table paints itself on a canvas, which takes longer than all
// else that a click does. Where its shape stays, only what it says is written anew.

import { make, renew } from "./dom.js";
/** @import { Matrix } from "./types.d.ts" */

export function writeTable(frame, { columns, rows, alt }) {
    frame.setAttribute("aria-label", alt);
    const shape = `${rows.length} × ${columns.length}`;
    if (frame.dataset.shape !== shape) drawEmptyTable(frame, rows.length, columns.length);
    frame.dataset.shape = shape;
    const texts = [columns, ...rows].flat().map((text) => text ?? ""); // a bias has one factor only
    frame.querySelectorAll("th, td").forEach((cell, k) => renew(cell, {}, texts[k]));
}

function drawEmptyTable(frame, rows, columns) {
    frame.replaceChildren();
    const table = make("table", {}, frame);
    const head = make("tr", {}, make("thead", {}, table));
    for (let j = 0; j < columns; j++) make("th", { scope: "col" }, head);
    const body = make("tbody", {}, table);
    for (let i = 0; i < rows; i++) {
        const line = make("tr", {}, body);
        make("th", { scope: "row" }, line);
        for (let j = 1; j < columns; j++) make("td", {}, line);
    }
}

// A matrix's labels, and a cell for each of its numbers: `cell(line, i, j)` adds it to its line.
/** @param {Matrix} matrix */
export function tableOf(table, matrix, name, cell) {
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
