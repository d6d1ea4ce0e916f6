// In a page that was saved as a file: each board is drawn of the numbers that the file holds, again
// where its colours change.

import { beginBoards, drawBoard } from "../../board/board.js";

const boards = JSON.parse(document.getElementById("boards").textContent);
const figures = () => [...document.querySelectorAll("figure.board")];
const drawOne = (figure, k) =>
    drawBoard({ data: new TextEncoder().encode(boards[k]), parentElement: figure });
const drawAll = () => figures().forEach(drawOne);

// There is no address here: a board that is clicked keeps the cell itself.
const address = {
    edits: () => [],
    isAnswered: () => true,
    choose({ fields, by_matrix: byMatrix }, cell, host) {
        const { matrices, main, view, chosen } = host.drawing,
            k = figures().indexOf(host.parentElement);
        const [of, clicked] = [matrices[main ?? (view === "product" ? 2 : 0)].name, cell.matrix]
            .map((name) => ({ ...fields, ...byMatrix[name] }));
        const along = (axis) =>
            Object.keys(of).find((name) =>
                of[name] === axis && ["row", "column"].includes(clicked[name])
            );
        const kept = chosen &&
            ["row", "column"].map((
                axis,
                at,
            ) => (along(axis) ? cell[clicked[along(axis)]] : chosen[at]));
        if (!kept) return;
        boards[k] = JSON.stringify({ ...host.drawing, chosen: kept });
        drawOne(host.parentElement, k);
    },
};
window.attentionAddress = new Proxy(/** @type {any} */ (address), {
    get: (own, name) => own[name] ?? (() => undefined),
});
beginBoards();
drawAll();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
