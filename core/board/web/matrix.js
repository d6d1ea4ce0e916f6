// One matrix: its numbers, and its cells as an image with one pixel per cell, with numbers on top
// where they fit.
// Its place is { matrix, x, y, uw, uh, group }: the upper left corner and the size of one cell.

import { chooseInk, getColour } from "./colours.js";
import { make, node } from "./dom.js";
import { equate, writeBrief, writeExact, writePercent, writeSigned } from "./numbers.js";
import { isolate } from "./text.js";
/** @import { Matrix, Place, Colours, Colour, Packed } from "./types.d.ts" */

export const GAP = 14; // between two matrices
export const NUMBERED = 30; // the width of a cell with a number

// The name of a cell; a vector is a matrix of one row without a label.
/** @param {Pick<Packed, "symbol" | "name">} matrix */
export const getSymbol = (matrix) => matrix.symbol || matrix.name;
/** @param {Matrix} matrix */
export const nameCell = (matrix, i, j) =>
    `${getSymbol(matrix)}[${
        [matrix.rows[i], matrix.columns[j]].filter(Boolean).map(isolate).join(", ")
    }]`;
/** @param {Matrix} matrix */
export const describeCell = (matrix, i, j) =>
    matrix.told?.[i * matrix.m + j] ??
        `${nameCell(matrix, i, j)} ${
                equate(
                    matrix.texts
                        ? spellOutSigns(matrix.texts[i * matrix.m + j])
                        : writeInFull(matrix, i, j),
                )
            }` +
            `${matrix.before ? ` (held: ${writeValue(matrix, matrix.before(i, j))})` : ""}${
                matrix.isMarked(i, j) ? `, ${matrix.marked || "edited"}` : ""
            }`;
// The result of checking a number, in words; a wrong one is described by its mark.
const SIGNS = {
    "✗": "",
    "↳": ", follows from an earlier step",
    "≈": ", right but for rounding",
    "·": "nothing",
};
const spellOutSigns = (text) => text.replace(/ ?([✗↳≈·])/, (_, sign) => SIGNS[sign]);
/** @param {Matrix} matrix */
export const writeInFull = (matrix, i, j) => writeValue(matrix, matrix.at(i, j));
/** @param {Pick<Matrix, "whole">} matrix */
const writeValue = ({ whole }, value) => (whole ? writeSigned(value, String) : writeExact(value));

/** @param {Pick<Matrix, "values" | "scale" | "top">} matrix @param {Colours} colours */
export const chooseColours = (matrix, colours) =>
    Array.from(matrix.values, (v) => getColour(v, matrix, colours));

/** @param {{ n: number, m: number }} matrix @param {Colour[]} cells */
export function paintMatrix(matrix, cells) {
    const canvas = make("canvas", { width: matrix.m, height: matrix.n });
    const context = canvas.getContext("2d");
    const pixels = context.createImageData(matrix.m, matrix.n);
    cells.forEach((colour, k) => pixels.data.set([...colour, 255], 4 * k));
    context.putImageData(pixels, 0, 0);
    return canvas;
}

/** @param {Matrix} matrix @param {Colours} colours */
export function drawCells(svg, matrix, x, y, uw, uh, colours) {
    const group = node("g", { class: "ab-matrix", "data-name": matrix.name }, svg);
    const place = { matrix, x, y, uw, uh, group };
    const cells = chooseColours(matrix, colours);
    const box = { x, y, width: matrix.m * uw, height: matrix.n * uh };
    node("image", {
        href: paintMatrix(matrix, cells).toDataURL(),
        ...box,
        preserveAspectRatio: "none",
        class: "ab-cells",
        "data-rows": matrix.n,
        "data-columns": matrix.m,
    }, group);
    if (matrix.before && uh >= 12) drawHeld(place, box, colours);
    drawGrid(place);
    if (matrix.marks) drawMarks(place);
    if (fitsNumbers(matrix, uw, uh)) drawNumbers(place, cells);
    else drawClosed(place);
    if (matrix.dim) fadeRows(place, (i) => i < matrix.dim);
    node("rect", { ...box, class: `ab-frame ab-${matrix.role}` }, group);
    return place;
}

// Whether each number has room in its cell; one without a sign, below 10, is narrower.
/** @param {Matrix} matrix */
function fitsNumbers(matrix, uw, uh) {
    if (uw < 26 || uh < 15 || matrix.n * matrix.m > 1600) return false;
    return uw >= NUMBERED - 1 ||
        (!matrix.texts && matrix.values.every((v) => v >= 0 && v < 9.995));
}

// Fades these rows to a third of their colour; their numbers stay fully opaque.
/** @param {Place} place @param {(i: number) => boolean} fades */
export function fadeRows({ matrix: { n, m }, x, y, uw, uh, group }, fades) {
    const rows = Array.from({ length: n }, (_, i) => fades(i));
    group.querySelector(".ab-dim")?.remove();
    group.querySelectorAll(".ab-numbers text").forEach((text, k) =>
        text.classList.toggle("ab-faded", rows[Math.floor(k / m)])
    );
    if (!rows.includes(true)) return;
    const d = rows.map((
        fades,
        i,
    ) => (fades ? `M${x} ${y + i * uh}h${m * uw}v${uh}h${-m * uw}z` : "")).join("");
    group.querySelector("image").after(node("path", { d, class: "ab-dim" }, group));
}

// Draws the pinned setup's value as the lowest fifth of each cell.
const FIFTHS = 5;
function drawHeld({ matrix, group }, box, colours) {
    const { n, m, before } = matrix, ghosts = [];
    for (let i = 0; i < n; i++) {
        for (let j = 0; j < m; j++) {
            ghosts[(FIFTHS * i + FIFTHS - 1) * m + j] = getColour(before(i, j), matrix, colours);
        }
    }
    node("image", {
        href: paintMatrix({ n: FIFTHS * n, m }, ghosts).toDataURL(),
        ...box,
        preserveAspectRatio: "none",
        class: "ab-held-cells",
    }, group);
}

function drawGrid({ matrix, x, y, uw, uh, group }) {
    let lines = "";
    if (uw >= 8) {
        for (let j = 1; j < matrix.m; j++) lines += `M${x + j * uw} ${y}v${matrix.n * uh}`;
    }
    if (uh >= 8) {
        for (let i = 1; i < matrix.n; i++) lines += `M${x} ${y + i * uh}h${matrix.m * uw}`;
    }
    if (lines) node("path", { d: lines, class: "ab-grid" }, group);
    for (const block of matrix.blocks || []) {
        node(
            "path",
            { d: `M${x + block * uw} ${y - 4}v${matrix.n * uh + 8}`, class: "ab-block" },
            group,
        );
    }
}

// Draws a mark in the upper right corner of each marked cell.
function drawMarks({ matrix, x, y, uw, uh, group }) {
    if (matrix.texts) { // a frame too: these numbers were found wrong
        for (let k = 0; k < matrix.n * matrix.m; k++) {
            const [i, j] = [Math.floor(k / matrix.m), k % matrix.m];
            const box = { x: x + j * uw + 1.5, y: y + i * uh + 1.5, width: uw - 3, height: uh - 3 };
            if (matrix.isMarked(i, j)) {
                for (const kind of ["ab-wrong-ground", "ab-wrong"]) {
                    node("rect", { ...box, class: kind }, group);
                }
            }
        }
    }
    const size = Math.min(uw, uh, Math.max(5, Math.min(7, uw / 4, uh / 3)));
    let corners = "";
    for (let i = 0; i < matrix.n; i++) {
        for (let j = 0; j < matrix.m; j++) {
            if (matrix.isMarked(i, j)) {
                corners += `M${x + (j + 1) * uw} ${y + i * uh}v${size}l${-size} ${-size}z`;
            }
        }
    }
    node("path", { d: corners, class: "ab-edited" }, group);
}

function drawNumbers({ matrix, x, y, uw, uh, group }, cells) {
    const texts = node("g", { class: "ab-numbers" }, group);
    cells.forEach((colour, k) => {
        const [i, j] = [Math.floor(k / matrix.m), k % matrix.m];
        node(
            "text",
            { x: x + (j + 0.5) * uw, y: y + (i + 0.5) * uh, fill: chooseInk(colour) },
            texts,
            matrix.texts?.[k] ??
                (matrix.whole ? writeSigned(matrix.at(i, j), String) : writeBrief(matrix.at(i, j))),
        );
    });
}

// Writes −∞ into masked cells where no cell shows its number; in smaller cells draws a stroke,
// which the legend explains.
function drawClosed({ matrix, x, y, uw, uh, group }) {
    if (uw >= 18 && uh >= 12) {
        const texts = node("g", { class: "ab-hidden-scores" }, group);
        matrix.values.forEach((v, k) => {
            if (v === -Infinity) {
                node(
                    "text",
                    {
                        x: x + ((k % matrix.m) + 0.5) * uw,
                        y: y + (Math.floor(k / matrix.m) + 0.5) * uh,
                    },
                    texts,
                    "−∞",
                );
            }
        });
        return;
    }
    let strokes = "";
    matrix.values.forEach((v, k) => {
        if (v === -Infinity) {
            strokes += `M${x + (k % matrix.m) * uw} ${
                y + (Math.floor(k / matrix.m) + 1) * uh
            }l${uw} ${-uh}`;
        }
    });
    if (!strokes) return;
    node("path", { d: strokes, class: "ab-closed" }, group);
    const line = group.closest(".ab-host")?.querySelector(
        ".ab-legend:not(:has(.ab-legend-closed))",
    );
    if (line) make("span", { class: "ab-legend-closed" }, line, "╱ −∞");
}

/** @param {Pick<Matrix, "role" | "title" | "shape" | "bare">} matrix */
export function drawCaption(svg, matrix, x, y, behind = matrix.shape) {
    const title = node("text", { x, y, class: "ab-title" }, svg);
    node("tspan", { class: `ab-symbol ab-${matrix.role}` }, title, matrix.title);
    if (!matrix.bare) node("tspan", { class: "ab-shape", dx: 8 }, title, behind);
}

// A frame around rows i0 to i1 and columns j0 to j1, ends excluded.
/** @param {Omit<Place, "matrix">} place */
export function drawOutline(svg, place, i0, i1, j0, j1, kind) {
    return node("rect", {
        x: place.x + j0 * place.uw - 1,
        y: place.y + i0 * place.uh - 1,
        width: (j1 - j0) * place.uw + 2,
        height: (i1 - i0) * place.uh + 2,
        class: `ab-${kind}`,
    }, svg);
}

// The function that computed a matrix, with its file and line.
/** @param {Pick<Packed, "made" | "symbol" | "title">} matrix */
export const madeOf = (
    matrix,
) => (matrix.made ? `${matrix.symbol ?? matrix.title.split(",")[0]}: ${matrix.made}` : "");

export function describeLook({ place: { matrix }, i, j }) {
    const [layer, head] = matrix.name.split("·");
    return `layer ${layer}, head ${head}: “${isolate(matrix.rows[i])}” gives ${
        writePercent(matrix.at(i, j))
    } of its attention to “${isolate(matrix.columns[j])}”`;
}
