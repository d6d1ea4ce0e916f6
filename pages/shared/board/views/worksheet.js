// View: a step on paper. Its matrices as tables with cells left blank, to be filled in by pencil,
// and below them, on a sheet of its own, the same with the answers.

import { make } from "../dom.js";
import { signed } from "../numbers.js";
import { read } from "../read.js";
import { tableOf } from "../table.js";
/** @import { Data } from "../types.d.ts" */

/** @param {Data} data */
export function drawWorksheet(host, data) {
    host.replaceChildren();
    const [task, answers] = ["ab-task", "ab-answers"].map((kind) =>
        make("div", { class: kind }, host)
    );
    for (const table of data.given) paperTable(task, table, false);
    make("hr", {}, task);
    for (const table of data.asked) paperTable(task, table, true);
    make("h2", {}, answers, "Answers");
    for (const table of data.asked) paperTable(answers, table, false);
}

// From a matrix's rows and columns, the last ones not among them.
const isAsked = ({ frame: [i0, i1, j0, j1] = [0, 0, 0, 0] }, i, j) =>
    i >= i0 && i < i1 && j >= j0 && j < j1;

// A table in its pieces, one beside the other.
function paperTable(parent, { caption, pieces }, isBlank) {
    const figure = make("figure", {}, parent);
    make("figcaption", {}, figure, caption);
    const abreast = make("div", {}, figure);
    for (const piece of pieces.map(read)) {
        const table = make("table", {
            class: "ab-paper",
            style: `--label: ${piece.label}px; --cell: ${piece.cell}px`,
        }, abreast);
        tableOf(table, piece, caption, (line, i, j) => {
            const asked = isAsked(piece, i, j);
            make(
                "td",
                asked ? { class: "ab-blank" } : {},
                line,
                asked && isBlank ? "" : signed(
                    piece.at(i, j),
                    (size) => (piece.whole ? String(size) : size.toFixed(2)),
                ),
            );
        });
    }
}
