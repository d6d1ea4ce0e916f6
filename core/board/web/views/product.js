// View: left · right = result, with the result where its rows and columns meet, and a cell's terms
// in the free corner.

import { drawText, node } from "../dom.js";
import { columnLabelHeight, drawColumnLabels, drawRowLabels, measureOverhang } from "../labels.js";
import {
    describeCell,
    drawCaption,
    drawCells,
    drawOutline,
    fadeRows,
    GAP,
    nameCell,
    NUMBERED,
} from "../matrix.js";
import { decode, writeExact } from "../numbers.js";
import { addPlay } from "../player.js";
import { addPointing } from "../pointing.js";
import { drawProducts, drawSum, findTermsCell, lightProduct } from "../product_cell.js";
import { decodeMatrix, findColumnInWhole } from "../decode.js";
import { mixtureScript } from "../scripts/mixture.js";
import { productScript } from "../scripts/product.js";
import { makeCanvas } from "../canvas.js";
import { measureTitle, measureWidest } from "../text.js";
import { registerView } from "../view_registry.js";
/** @import { Matrix, Place, Room, View } from "../types.d.ts" */

const TITLE = 34; // the height of a title with its margins
const LEAST_TERMS = 76; // the minimum width of a cell's terms, in pixels

/** @type {View} */
function drawProduct(host, data, send, colours, room) {
    const matrices = data.matrices.map(decodeMatrix);
    const layout = productLayout(matrices, data.axes, room);
    const [svg, said] = makeCanvas(host, layout.width, layout.height, data, colours, room);
    const places = drawProductMatrices(svg, matrices, layout, colours);
    if (data.only === "row") hideOtherRows(places[0], data.chosen[0]);
    labelProduct(svg, matrices, layout);
    const over = node("g", { class: "ab-over" }, svg);
    const bias = (column) => data.bias && decode(data.bias)[findColumnInWhole(matrices[2], column)];
    const count = layout.inner + (data.others || 0) + (data.bias ? 1 : 0);
    let followed = data.chosen;
    const show = (cell) => {
        over.replaceChildren();
        if (!cell) return dimOthers(places, null);
        const { place, i, j } = cell;
        const ofResult = place === places[0];
        dimOthers(places, data.oneRow && place !== places[2] && i === followed?.[0] ? i : null);
        const [row, column] = findTermsCell(places, cell, followed ?? [0, 0]);
        lightProduct(over, places, row, column);
        if (!ofResult) drawOutline(over, place, i, i + 1, j, j + 1, "chosen");
        said.textContent = describeCell(place.matrix, i, j) +
            (ofResult ? `, the sum of ${count} ${count === 1 ? "term" : "terms"}` : "");
        drawProducts(over, layout, matrices, row, column, colours);
        drawSum(
            over,
            layout,
            writeExact(matrices[2].at(row, column)),
            data.bias && writeExact(bias(column)),
            ofResult ? "" : nameCell(matrices[2], row, column),
            data.others
                ? describeOthers(data.others, bias(column) || 0, matrices, row, column)
                : "",
        );
    };
    const onward = addPointing(svg, places, places[0], data.chosen, show, send);
    const follow = (chosen) => {
        followed = chosen;
        onward(chosen);
    };
    const drawn = { data, matrices, places, layout, colours };
    const script = matrices[0].role === "weights" ? mixtureScript : productScript;
    if (!data.others) addPlay(host, svg, (chosen) => script(drawn, chosen), colours);
    // the corner has room for Play
    host.querySelector(":scope > .ab-lead")?.classList.add("ab-lead-corner");
    return data.only === "row" ? null : follow; // which rows are veiled depends on the cell too
}

registerView("product", drawProduct);

// ---------- layout ----------

/** @param {Matrix[]} matrices @param {string[]} axes @param {Room} room */
function productLayout([left, right, result], axes, room) {
    const [n, inner, m] = [left.n, left.m, right.m];
    const wordsInside = axes[1] === "words";
    const captions = Math.max(
        ...[right, result].map((matrix) => measureTitle(matrix, matrix.shape)),
    );
    const across = productWithin(left, right, axes, captions, room);
    const down = productDown(left, right, wordsInside, across, room);
    const { columnWidth, x1 } = across;
    const rightLabels = wordsInside && !across.isNarrow && down.innerHeight >= 11
        ? measureWidest(right.rows) + 10
        : 0;
    const beside = Math.max(rightLabels, measureOverhang(right, columnWidth));
    const cells = x1 + m * columnWidth + beside + 8;
    const width = Math.max(cells, Math.min(x1 + captions + 8, room.w), 240);
    return {
        inner,
        wordsInside,
        rightLabels,
        ...across,
        ...down,
        width,
        height: down.y1 + n * down.rowHeight + 22,
    };
}

// The width of a cell: words need room for their labels; a dimension has many numbers.
function measureUnit(axis, count, width, room) {
    const [low, high] = axis === "words" ? [12, room.fit ? 72 : 52] : [3, count <= 8 ? 44 : 20];
    return Math.min(high, Math.max(low, Math.floor(width / count)));
}

// If the last turned label extends beyond the right edge, all cells become narrower.
function productWithin(left, right, axes, captions, room) {
    const ideal = productAcross(left, right, axes, captions, room);
    const beyond = measureOverhang(right, ideal.columnWidth) -
        (axes[1] === "words" ? measureWidest(right.rows) + 10 : 0);
    return beyond > 0
        ? productAcross(left, right, axes, captions, { ...room, w: room.w - beyond })
        : ideal;
}

// From left to right: row labels, the left matrix (the corner above it is at least as wide), the
// right matrix and the result.
function productAcross(left, right, axes, captions, room) {
    const [inner, m] = [left.m, right.m];
    const labelWidth = Math.min(measureWidest(left.rows), 120) + 12;
    const besides = room.w - labelWidth - GAP - 8, isPhone = room.w < 560;
    // On a phone the labels at the right are dropped for the weights' numbers: the terms repeat
    // those words.
    const isNarrow = isPhone && axes[1] === "words" && inner <= 8 &&
        inner * NUMBERED + 3 * m <= besides;
    const all = besides - (axes[1] === "words" && !isNarrow ? measureWidest(right.rows) + 10 : 0);
    const wordsWeigh = room.fit ? 5 : 3;
    const shares = [inner, m].map((count, k) =>
        count * (axes[k + 1] === "words" || (room.fit && count <= 8) ? wordsWeigh : 1)
    );
    // leaves room for the titles at the right
    const [wide, ideal] = [inner, m].map((count, k) => {
        const share = (all * shares[k]) / (shares[0] + shares[1]);
        return measureUnit(axes[k + 1], count, k ? share : Math.min(share, all - captions), room);
    });
    // a phone: cells of words show numbers, the terms get the rest
    const isSlim = isPhone && axes[2] === "words" && m <= 8;
    const terms = Math.min(
        190,
        all / 2,
        isSlim ? Math.max(LEAST_TERMS, all - m * NUMBERED) : Infinity,
    );
    const innerWidth = isNarrow
        ? Math.max(wide, NUMBERED)
        : isSlim
        ? Math.max(3, Math.min(wide, Math.floor(terms / inner)))
        : wide;
    const cornerWidth = Math.max(inner * innerWidth, terms);
    const free = Math.floor((all - cornerWidth) / m);
    // few columns show their numbers wherever possible
    const wanted = m <= 8 && free >= NUMBERED ? Math.max(ideal, 44) : ideal;
    const columnWidth = Math.max(axes[2] === "words" ? 12 : 3, Math.min(wanted, free));
    const corner = labelWidth + cornerWidth; // the free corner's width
    return {
        labelWidth,
        innerWidth,
        columnWidth,
        corner,
        isNarrow,
        x0: corner - inner * innerWidth,
        x1: corner + GAP,
    };
}

// From top to bottom: the right matrix, then the other two. If all must fit on one screen, their
// rows share the height without titles and labels.
function productDown(left, right, wordsInside, { innerWidth, columnWidth }, room) {
    const [n, inner] = [left.n, left.m];
    const top = columnLabelHeight(right, columnWidth) + TITLE - 14;
    const leftLabels = wordsInside ? columnLabelHeight(left, innerWidth) : 18;
    const free = Math.max(room.h - top - GAP - TITLE - leftLabels - 20, 60);
    const few = inner <= 8; // rows high enough for numbers
    const shareInside = wordsInside || few ? inner / (inner + n) : 0.3;
    const high = (most, share, count) => {
        const ideal = Math.min(most, free * share) / count;
        return ideal >= 4 ? Math.floor(ideal) : ideal;
    };
    const rowHeight = Math.max(room.fit ? 15 : 18, Math.min(30, high(520, 1 - shareInside, n)));
    const innerHeight = wordsInside
        ? Math.max(room.fit ? 12 : 16, Math.min(30, high(520, shareInside, inner)))
        : Math.max(room.fit ? 1 : 5, Math.min(few ? 24 : 14, high(420, shareInside, inner)));
    const rightHeight = Math.max(inner * innerHeight, 54);
    const y1 = top + rightHeight + GAP + TITLE + leftLabels - 2;
    return { rowHeight, innerHeight, leftLabels, y0: top + rightHeight - inner * innerHeight, y1 };
}

// ---------- drawn once ----------

// The places of result, left and right; a point in two of them belongs to the result.
/** @param {SVGElement} svg @param {Matrix[]} matrices */
function drawProductMatrices(svg, [left, right, result], layout, colours) {
    const { x0, x1, y0, y1, columnWidth, innerWidth, rowHeight, innerHeight } = layout;
    return [
        drawCells(svg, result, x1, y1, columnWidth, rowHeight, colours),
        drawCells(svg, left, x0, y1, innerWidth, rowHeight, colours),
        drawCells(svg, right, x1, y0, columnWidth, innerHeight, colours),
    ];
}

// In the lecture's beat before the whole matrix, hides all other rows of the result.
function hideOtherRows({ matrix, x, y, uw, uh, group }, row) {
    const hide = (from, to) => {
        node("rect", {
            x,
            y: y + from * uh,
            width: matrix.m * uw,
            height: (to - from) * uh,
            class: "ab-veil",
        }, group);
    };
    hide(0, row);
    hide(row + 1, matrix.n);
    group.appendChild(group.querySelector(".ab-frame")); // the frame stays on top
}

/** @param {SVGElement} svg @param {Matrix[]} matrices */
function labelProduct(svg, [left, right, result], layout) {
    const { x0, x1, y0, y1, columnWidth, innerWidth, rowHeight, innerHeight } = layout;
    // A title too long for its room starts further left: above the free corner, or below the left
    // matrix.
    const titled = (matrix) =>
        Math.max(0, Math.min(x1, layout.width - measureTitle(matrix, matrix.shape) - 8));
    drawCaption(svg, right, titled(right), 12);
    drawCaption(svg, left, x0, y1 - layout.leftLabels - 4);
    drawCaption(svg, result, titled(result), y1 + left.n * rowHeight + 17);
    drawRowLabels(svg, left, x0, y1, rowHeight, layout.labelWidth - 8);
    if (layout.rightLabels) {
        right.rows.forEach((label, p) => {
            drawText(
                svg,
                label,
                x1 + right.m * columnWidth + 8,
                y0 + (p + 0.5) * innerHeight,
                "ab-label",
            );
        });
    }
    drawColumnLabels(svg, right, x1, y0, columnWidth);
    drawColumnLabels(svg, left, x0, y1, innerWidth);
}

// ---------- redrawn with the pointer ----------

// Fades all rows of the result and the left matrix except this one; null fades none.
/** @param {Place[]} places @param {number | null} row */
function dimOthers([onResult, onLeft], row) {
    const { dataset } = onResult.group, spared = String(row);
    if (dataset.spared === spared) return; // avoids updating all cells at each move of the pointer
    dataset.spared = spared;
    for (const place of [onResult, onLeft]) fadeRows(place, (i) => row !== null && i !== row);
}

// The sum of the visible terms, and the rest of the sum as one number.
/** @param {number} others @param {number} bias @param {Matrix[]} matrices */
function describeOthers(others, bias, [left, right, result], row, column) {
    let shown = 0;
    for (let p = 0; p < left.m; p++) shown += left.at(row, p) * right.at(p, column);
    const rest = result.at(row, column) - shown - bias;
    return `these ${left.m}: ${writeExact(Math.fround(shown))}, ${others} others: ${
        writeExact(Math.fround(rest))
    }, `;
}
