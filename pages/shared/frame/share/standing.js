// In a page that was saved as a file: each board is drawn of the numbers that the file holds, again where its colours change.

import { beginBoards, drawBoard } from "../../board/board.js";
import { drawOpenedCell } from "../../board/running_sum.js";

const boards = JSON.parse(document.getElementById("boards").textContent);
const drawAll = () => document.querySelectorAll("figure.board, figure.sum").forEach((figure, k) => {
  const draw = figure.matches(".board") ? drawBoard : drawOpenedCell;
  draw({ data: new TextEncoder().encode(boards[k]), parentElement: figure });
});
// The boards ask of the address, and there is none that they could change.
window.attentionAddress = new Proxy(/** @type {any} */ ({}), { get: (_, name) => (name === "edits" ? () => [] : () => undefined) });
beginBoards();
drawAll();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
