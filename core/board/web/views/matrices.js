// View: matrices side by side or stacked, with a shared highlight.

import { drawText, make, node } from "../dom.js";
import {
    columnLabelHeight,
    drawColumnLabels,
    drawRowLabels,
    hasTick,
    measureOverhang,
} from "../labels.js";
import {
    describeCell,
    describeLook,
    drawCaption,
    drawCells,
    drawOutline,
    GAP,
    getSymbol,
    nameCell,
    NUMBERED,
    writeInFull,
} from "../matrix.js";
import { decode, equate, writeBrief, writeEqual, writeExact } from "../numbers.js";
import { addPlay } from "../player.js";
import { addPointing } from "../pointing.js";
import { decodeMatrix } from "../decode.js";
import { lookupScript, rowsScript } from "../scripts/matrices.js";
import { softmaxScript } from "../scripts/softmax.js";
import { makeCanvas } from "../canvas.js";
import { isolate, measureTitle, measureWidest, textWidth } from "../text.js";
import { registerView } from "../view_registry.js";
/** @import { Matrix, Data, View } from "../types.d.ts" */

// The scripts by the name in `plays`.
const PLAYS = {
    lookup: lookupScript,
    softmax: softmaxScript,
    rows: rowsScript,
};

/** @type {View} */
function drawMatrices(host, data, send, colours, room) {
    if (data.nothing) { // an empty result is shown as text
        host.replaceChildren();
        make("div", { class: "ab-nothing" }, host, data.nothing);
        return;
    }
    room = roomSideways(data, room);
    data = chooseMatricesPerRow(data, room);
    const matrices = shortenTitles(data, room);
    const frame = matricesFrame(matrices, data, room);
    const sizes = cellSizes(matrices, data, frame, room);
    const { spots, width, height } = matrixSpots(matrices, data, frame, sizes);
    const [svg, said] = makeCanvas(host, Math.ceil(width), Math.ceil(height), data, colours, room);
    const places = matrices.map((matrix, k) =>
        drawLabelled(svg, matrix, spots[k], sizes[k], frame, colours)
    );
    const over = node("g", { class: "ab-over" }, svg);
    const show = (cell) => {
        over.replaceChildren();
        said.textContent = cell ? describeLinked(cell, places, data) : "";
        if (cell) lightLinked(over, places, cell, data.linked);
    };
    const follow = addPointing(svg, places, places[data.main || 0], data.chosen, show, send);
    const drawn = { data, matrices, places, colours, width };
    const plays = data.plays ?? (data.addUp && { as: "rows" });
    if (plays) addPlay(host, svg, (chosen) => PLAYS[plays.as](drawn, chosen), colours);
    return follow;
}

registerView("matrices", drawMatrices);

// ---------- layout ----------

const SUMS = 64; // the width of a row sum beside its matrix

// On a phone, matrices whose cells are compared stay side by side and scroll sideways.
const EACH = 340; // the width of each then
const roomSideways = (
    data,
    room,
) => (data.linked === "values" && !room.fit && room.w < 560
    ? { ...room, seen: room.w, w: Math.max(room.w, EACH * data.across) }
    : room);

// On a phone a row of many small pictures is split in two. More than MOST_LINES rows are paired up
// where two fit beside each other with their titles.
const MOST_LINES = 12, ASIDE = 18; // pixels between the two
export function chooseMatricesPerRow(data, room) {
    const { across, matrices } = data;
    if (!(across > 1) || !matrices.every((matrix) => matrix.bare)) return data;
    if (room.w < 560) {
        return across > 8 ? { ...data, across: Math.ceil(across / 2), group: across } : data;
    }
    // reserves room for a mark, so that the layout is stable
    const titled = ({ title }) => textWidth(`${title.split(" ")[0]} ◆`, "small", 700) + 6;
    const fits = (matrix) =>
        Math.max(titled(matrix), 2 * matrix.m + 8) <= (room.w - 8 - ASIDE) / (2 * across);
    return matrices.length > MOST_LINES * across && matrices.every(fits)
        ? { ...data, across: 2 * across, pairs: true }
        : data;
}

// Decodes the matrices; if the titles of small pictures in a row are too wide, their shapes lose
// the names in parentheses.
function shortenTitles(data, room) {
    const matrices = data.matrices.map(decodeMatrix);
    const fits = (matrix) => measureTitle(matrix, matrix.shape) + 60 <= room.w / data.across;
    if (!(data.maxHeight < 11) || !(data.across > 1) || matrices.every(fits)) return matrices;
    return matrices.map((matrix) => ({ ...matrix, shape: matrix.shape.replace(/ \(.*/, "") }));
}

// The common layout: stacked or side by side, and how many per row.
/** @param {Matrix[]} matrices @param {Data} data */
export function matricesFrame(matrices, data, room) {
    const stacked = Boolean(data.stacked);
    // small pictures in a row, without labels
    const bare = matrices.every((matrix) => matrix.bare);
    // no room for a label on each row: ticks, and no label extends at the right
    const small = data.maxHeight && data.maxHeight < 11;
    const wide = Math.max(room.w - (small ? 0 : 8), 240);
    const rowWords = () =>
        Math.min(Math.max(...matrices.map((matrix) => measureWidest(matrix.rows))), 150) + 12;
    // On a phone, matrices of one row are named only above the first, so their cells fit numbers.
    const isRow = stacked && room.w < 560 && !room.fit &&
        matrices.every((matrix) => matrix.n === 1);
    const labelWidth = bare || isRow ? 2 : small ? 20 : rowWords();
    // in one row of matrices, only these need room for it
    const summed = matrices.filter((matrix) => matrix.sums).length;
    const sums = stacked || matrices.length > (data.across || 1)
        ? (summed ? SUMS : 0)
        : (SUMS * summed) / matrices.length;
    const around = labelWidth + GAP + sums;
    // wider than the cells and their sums
    const titles = Math.max(...matrices.map((matrix) => measureTitle(matrix, matrix.shape)));
    const least = labelWidth + GAP + Math.max(100 + sums, titles + 8);
    const perRow = stacked ? 1 : Math.min(data.across || 1, Math.max(1, Math.floor(wide / least)));
    return { stacked, bare, wide, labelWidth, around, perRow, isRow };
}

// The cell size of each matrix. If the last turned label extends beyond the right edge, all cells
// become narrower.
/** @param {Matrix[]} matrices @param {Data} data */
export function cellSizes(matrices, data, frame, room) {
    const { bare, wide, labelWidth } = frame;
    if (bare) { // keeps each row of the grid in one line, down to cells of two pixels
        const lines = Math.ceil(matrices.length / data.across);
        return matrices.map((matrix) => {
            // a lecture shows all of them
            const high = room.fit ? (room.h / lines - 36) / matrix.n : data.maxCell;
            const cell = Math.max(
                2,
                Math.min(
                    data.maxCell,
                    high,
                    Math.floor(
                        (data.pairs
                            ? (wide - ASIDE) / data.across - 8
                            : wide / data.across - labelWidth - GAP) / matrix.m,
                    ),
                ),
            );
            return { uw: cell, uh: cell };
        });
    }
    const sizesWithin = (width) => {
        const widths = matrices.map((matrix) =>
            cellWidth(matrix, data, (width - frame.perRow * frame.around) / frame.perRow)
        );
        const labelled = Math.max(
            18,
            ...matrices.map((
                matrix,
                k,
            ) => (matrix.hideColumns ? 0 : columnLabelHeight(matrix, widths[k]))),
        );
        return matrices.map((matrix, k) => ({
            uw: widths[k],
            uh: cellHeight(matrix, matrices, data, frame, room, labelled),
        }));
    };
    const sizes = sizesWithin(wide);
    const beyond = Math.max(
        0,
        ...matrices.map((matrix, k) =>
            measureOverhang(matrix, sizes[k].uw) - (matrix.sums ? SUMS : 0) - GAP
        ),
    );
    return beyond ? sizesWithin(wide - beyond) : sizes;
}

function cellWidth(matrix, data, share) {
    const ideal = share / matrix.m;
    const [low, high] = matrix.wide
        ? [data.minWidth || 1, matrix.m <= 8 || ideal >= NUMBERED ? 44 : 20]
        : [data.minWidth || 9, data.maxWidth || 52];
    return Math.min(high, Math.max(low, ideal >= 4 ? Math.floor(ideal) : ideal));
}

// The height of a cell. If all must fit on one screen, each row of matrices gets its share of the
// height, without the labels above it (`labelled`).
function cellHeight(matrix, matrices, data, { stacked, perRow }, room, labelled) {
    if (!room.fit) {
        return Math.max(
            data.minHeight || 14,
            Math.min(data.maxHeight || 26, Math.floor(460 / matrix.n)),
        );
    }
    const sum = (values) => values.reduce((total, value) => total + value, 0);
    const lines = Math.ceil(matrices.length / perRow);
    const rows = matrices.map((other) => other.n);
    const around = matrices.map((other) =>
        36 + (other.hideColumns ? 0 : 18) - (other.close ? 10 : 0)
    );
    const fitting = stacked
        ? (room.h - sum(around)) / sum(rows)
        : (room.h - lines * (44 + labelled)) / (Math.max(...rows) * lines);
    return Math.max(data.minHeight || 12, Math.min(data.maxHeight || 30, Math.floor(fitting)));
}

// The upper left corner of each matrix's cells, the top of its title, the right end of its row
// sums, and the total size.
export function matrixSpots(matrices, data, { stacked, bare, wide, labelWidth }, sizes) {
    const labelsHigh = (
        matrix,
        k,
    ) => (matrix.hideColumns ? 0 : columnLabelHeight(matrix, sizes[k].uw));
    const highest = Math.max(...matrices.map(labelsHigh)); // side by side, cells begin on one line
    const sumsAt = measureSums(matrices, sizes);
    const column = bare
        ? Math.floor(
            Math.min(
                wide / data.across,
                Math.max(
                    ...matrices.map((matrix) => measureTitle(matrix, "") + 8 + labelWidth + GAP),
                ),
            ),
        )
        : 0;
    let [x, y, line, right] = [0, 0, 0, 0];
    const spots = matrices.map((matrix, k) => {
        const cells = matrix.m * sizes[k].uw;
        const titled = measureTitle(matrix, matrix.shape) + 8;
        const head = 20 + (stacked ? labelsHigh(matrix, k) : highest);
        const titleRoom = stacked ? 0 : Math.min(titled, wide - labelWidth - GAP);
        const own = labelWidth + Math.max(matrix.sums ? sumsAt(matrix, k) + 6 : cells, titleRoom) +
            GAP;
        const w = data.pairs ? Math.floor((wide - ASIDE) / data.across) : Math.max(own, column);
        if (data.pairs && k % data.across === data.across / 2) x += ASIDE;
        const h = head + matrix.n * sizes[k].uh + 16;
        if (
            !stacked && x > 0 &&
            (x + w > wide || (bare && k % (data.group ?? data.across) % data.across === 0))
        ) {
            [x, y, line] = [0, y + line, 0];
        }
        // a title longer than its room starts further left
        const titleX = Math.max(x, Math.min(x + labelWidth, wide - titled));
        const spot = {
            titleX,
            x: x + labelWidth,
            y: y + head,
            top: y,
            sumsEnd: x + labelWidth + sumsAt(matrix, k),
        };
        if (stacked) y += h - (matrix.close ? 10 : 0);
        else [x, line] = [x + w, Math.max(line, h)];
        right = Math.max(
            right,
            spot.x + w - labelWidth,
            titleX + titled,
            spot.x + cells + measureOverhang(matrix, sizes[k].uw),
        );
        return spot;
    });
    return { spots, width: right, height: stacked ? y : y + line };
}

// Where row sums end, from the matrix's left edge. If “row sum” is in the title's line, it is after
// the longest title.
function measureSums(matrices, sizes) {
    const beside = matrices.filter((matrix) => matrix.sums && matrix.hideColumns);
    const least = Math.max(
        0,
        ...beside.map((matrix) => measureTitle(matrix, matrix.shape) + 12 + textWidth("row sum")),
    );
    return (matrix, k) => Math.max(matrix.m * sizes[k].uw + 58, least);
}

// ---------- drawn once ----------

/** @param {SVGElement} svg @param {Matrix} matrix */
function drawLabelled(
    svg,
    matrix,
    { x, y, top, sumsEnd, titleX },
    { uw, uh },
    { bare, labelWidth, isRow },
    colours,
) {
    drawCaption(
        svg,
        matrix,
        titleX,
        top + 12,
        isRow && !matrix.hideColumns && matrix.rows[0]
            ? `“${isolate(matrix.rows[0])}”, ${matrix.shape}`
            : matrix.shape,
    );
    const place = drawCells(svg, matrix, x, y, uw, uh, colours);
    if (!bare && !isRow) drawRowLabels(svg, matrix, x, y, uh, labelWidth - 8);
    if (!matrix.hideColumns) drawColumnLabels(svg, matrix, x, y, uw);
    if (matrix.sums) {
        drawText(svg, "row sum", sumsEnd, y - 9, "ab-tick", { "text-anchor": "end" });
        decode(matrix.sums).forEach((v, i) => { // beside low rows only the numbered ones
            if (uh >= 11 || hasTick(i + 1, matrix.n)) {
                drawText(svg, writeBrief(v), sumsEnd, y + (i + 0.5) * uh, "ab-rowsum");
            }
        });
    }
    if (matrix.frame) drawOutline(svg, place, ...matrix.frame, "mark");
    return place;
}

// ---------- redrawn with the pointer ----------

// `linked` highlights the same cell in all matrices of a family; "values" also lists its values;
// "row" highlights its row too in those as wide, "column" its whole column instead. Of a small
// picture, whose cells are too small for a frame, the whole is highlighted.
export function lightLinked(over, places, { place: on, i, j }, linked) {
    if (on.matrix.bare) {
        drawOutline(over, on, 0, on.matrix.n, 0, on.matrix.m, "chosen");
        return;
    }
    const column = linked === "column";
    for (
        const place of linked
            ? places.filter((other) => other.matrix.family === on.matrix.family)
            : [on]
    ) {
        const { n, m } = place.matrix;
        if (linked === "row" && i < n && m === on.matrix.m) {
            drawOutline(over, place, i, i + 1, 0, m, "warm");
        }
        const [from, to] = column ? [0, n] : [i, i + 1];
        if (from < n && j < m) {
            drawOutline(
                over,
                place,
                from,
                to,
                j,
                j + 1,
                place === on && !column ? "chosen" : "hot",
            );
        }
    }
}

function describeLinked({ place, i, j }, all, data) {
    const { matrix } = place,
        places = all.filter((other) => other.matrix.family === matrix.family),
        matrices = places.map((other) => other.matrix);
    if (data.addUp) return describeSum(matrices, j);
    if (data.linked === "values") return describeValues(matrices, i, j);
    if (data.linked !== "column") {
        return matrix.bare ? describeLook({ place: { matrix }, i, j }) : describeCell(matrix, i, j);
    }
    const values = matrices.filter((other) => j < other.m).map((other) => {
        const row = Math.min(i, other.n - 1);
        return `${getSymbol(other)}${other.n > 1 ? `[${isolate(other.rows[row])}]` : ""} ${
            writeExact(other.at(row, j))
        }`;
    });
    return `${values.join("   →   ")}   (${isolate(matrix.columns[j])})`;
}

// The same cell in each matrix that has it: “α[is, dessert], with it = 0.0000”.
function describeValues(matrices, i, j) {
    const having = matrices.filter((matrix) => i < matrix.n && j < matrix.m);
    return having.map((matrix) =>
        `${nameByTitle(matrix, i, j)} ${equate(writeInFull(matrix, i, j))}`
    )
        .join(
            "\n",
        );
}

// The name of a cell with what its title adds after the symbol and a comma. An element of X is an
// x.
/** @param {Matrix} matrix */
export function nameByTitle(matrix, i, j) {
    const [symbol, name] = [getSymbol(matrix), nameCell(matrix, i, j)];
    if (matrix.title.split(" =")[0].toLowerCase() === symbol.toLowerCase()) return name;
    return matrix.title.startsWith(`${symbol},`)
        ? name + matrix.title.slice(symbol.length)
        : `${matrix.title}: ${name}`;
}

// How many lines the longest readout takes.
export function countLines({ linked, matrices }) {
    const inFamily = ({ family }) => matrices.filter((other) => other.family === family).length;
    return linked === "values" ? Math.max(...matrices.map(inFamily)) : 1;
}

// The sum of the first matrix's column j, which is the second's entry j.
export function describeSum([parts, sum], j) {
    const terms = Array.from(
        { length: Math.min(parts.n, 8) },
        (_, k) => writeExact(parts.at(k, j)),
    );
    const more = parts.n > 8 ? " + …" : "";
    return `${terms.join(" + ").replaceAll("+ −", "− ")}${more} ${
        writeEqual(sum.at(0, j))
    }   (column ${sum.columns[j]})`;
}
