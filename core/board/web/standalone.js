// Boards without a server, in a notebook or an HTML file. A click changes only that drawing.

import { drawBoard } from "./board.js";
import { parseColour } from "./colours.js";
import { decodeMatrix } from "./decode.js";
import { make } from "./dom.js";
import { decodeBytes } from "./numbers.js";
import { describeLook } from "./matrix.js";
import { beginMenus } from "./menu.js";
import { beginMotionKeys } from "./player.js";

function begin() {
    if (window.attentionReady) return;
    window.attentionReady = true;
    make("style", {}, document.head, STYLES);
    beginMenus();
    beginMotionKeys();
    const changes = { attributes: true, attributeFilter: ["class", "style"].concat(THEME) };
    const watcher = new MutationObserver(followThemes);
    for (const each of [document.documentElement, document.body]) watcher.observe(each, changes);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", followThemes);
}

const FONT = "system-ui, sans-serif";
// What JupyterLab, VS Code and Colab say about their theme.
const THEME = ["data-jp-theme-light", "data-vscode-theme-kind", "theme"];

// Takes the theme whose text has the lightness of the text around a board; returns whether it is
// another than before.
function followTheme(place) {
    const [r, g, b] = parseColour(getComputedStyle(place.parentElement).color);
    const mode = 0.2126 * r + 0.7152 * g + 0.0722 * b > 128 ? "dark" : "light";
    if (place.dataset.mode === mode) return false;
    place.dataset.mode = mode;
    place.style.fontFamily = FONT;
    place.style.setProperty("--st-font", FONT);
    for (const [name, value] of Object.entries(THEMES[mode])) {
        place.style.setProperty(name, `${value}`);
    }
    return true;
}

function followThemes() {
    for (const place of document.querySelectorAll(".ab-standalone")) {
        if (!followTheme(place)) continue;
        for (const host of place.querySelectorAll(".ab-host")) host.redraw();
    }
}

// The chosen cell after a click on matrix k; a factor's cell chooses the product's row or column.
function chooseCell(view, [i, j], { row, column }, k) {
    return view === "product" ? [k === 1 ? i : row, k === 0 ? j : column] : [row, column];
}

// Draws a board; `opens` hears of a cell that is clicked.
function addBoard(parent, data, opens = (_cell) => {}) {
    const place = make("div", { style: "margin-bottom: 10px" }, parent);
    const draw = (chosen, main) => {
        const bytes = new TextEncoder().encode(JSON.stringify({ ...data, chosen, main }));
        drawBoard({ data: bytes, parentElement: place });
        /** @type {any} */ (place.firstElementChild).followsAlone = (cell) => {
            const k = data.matrices.findIndex(({ name }) => name === cell.matrix);
            draw(chooseCell(data.view, chosen, cell, k), k);
            opens(cell);
        };
    };
    draw(data.chosen, data.main);
}

// One row of a softmax's matrices, below each other.
function makeSoftmaxRow(matrices, row, column) {
    const cut = (packed, m) => {
        const bytes = decodeBytes(packed).slice(4 * row * m, 4 * (row + 1) * m);
        return btoa(String.fromCharCode(...bytes));
    };
    const rows = matrices.map((matrix, k) => ({
        ...matrix,
        n: 1,
        shape: matrix.shape.replace(/^\d+/, "1"),
        hideColumns: k > 0,
        rows: [matrix.rows[row]],
        values: cut(matrix.values, matrix.m),
        close: true,
        ...(matrix.sums ? { sums: cut(matrix.sums, 1) } : {}),
    }));
    const look = { stacked: true, linked: "column", main: rows.length - 1, maxWidth: 96 };
    const plays = { as: "softmax" }, alt = "One row of the softmax";
    return [{ view: "matrices", matrices: rows, chosen: [0, column], plays, alt, ...look }];
}

// A small picture of weights as lines between the words, and as a matrix with its numbers.
function enlarge(picture, chosen) {
    const look = decodeMatrix(picture);
    const said = (i, j) => describeLook({ place: { matrix: look }, i, j });
    const told = [...look.values].map((_, k) => said(Math.floor(k / look.m), k % look.m));
    const largest = (i) => {
        const row = look.values.slice(i * look.m, (i + 1) * look.m);
        return row.indexOf(Math.max(...row));
    };
    const matrix = { ...picture, columns: look.columns, bare: false, hideColumns: false, told };
    const shown = { matrices: [matrix], chosen, chooses: { fields: {} }, alt: picture.title };
    return [
        { ...shown, view: "flow", says: look.rows.map((_, i) => said(i, largest(i))) },
        { ...shown, view: "matrices" },
    ];
}

export function drawAlone(place, { board, opens }) {
    if (place.classList.contains("ab-standalone")) return;
    begin();
    place.replaceChildren();
    place.className = "ab-standalone";
    followTheme(place);
    const { matrices, main = 0, chosen } = board;
    const open = ({ matrix, row, column }) => {
        const picture = matrices.find(({ name }) => name === matrix);
        below.replaceChildren();
        const found = opens[matrix]
            ? makeSoftmaxRow(opens[matrix], row, column)
            : enlarge(picture, [row, column]);
        for (const data of found) addBoard(below, data);
    };
    addBoard(place, board, opens ? open : undefined);
    const below = make("div", {}, place);
    if (opens) open({ matrix: matrices[main].name, row: chosen[0], column: chosen[1] });
}
