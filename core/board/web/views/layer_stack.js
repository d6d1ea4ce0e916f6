// View: a stack of layers, the first at the bottom, each with small pictures of its heads. Between
// the layers the chosen word's row of their output is drawn.

import { drawText, node } from "../dom.js";
import { columnLabelHeight, drawColumnLabels, drawRowLabels, measureOverhang } from "../labels.js";
import {
    chooseColours,
    describeLook,
    drawCaption,
    drawCells,
    drawOutline,
    GAP,
    paintMatrix,
} from "../matrix.js";
import { addPointing } from "../pointing.js";
import { decodeMatrix } from "../decode.js";
import { makeCanvas } from "../canvas.js";
import { measureWidest } from "../text.js";
import { drawNote, drawWire } from "../arrows.js";
import { registerView } from "../view_registry.js";
/** @import { View, Matrix } from "../types.d.ts" */

const STRIP = 8; // the height of that row

/** @type {View} */
function drawLayerStack(host, data, send, colours, room) {
    const matrices = data.matrices.map(decodeMatrix);
    const layout = towerLayout(matrices, data, room);
    const [svg, said] = makeCanvas(host, layout.width, layout.height, data, colours, room);
    const { values, n, m } = decodeMatrix(data.rows);
    const rows = Array.from(
        { length: n },
        (_, layer) => values.subarray(layer * m, (layer + 1) * m),
    );
    drawLayers(svg, data, layout, rows, colours);
    const places = matrices.map((matrix, k) => drawLook(svg, matrix, k, data, layout, colours));
    const over = node("g", { class: "ab-over" }, svg);
    const show = (cell) => {
        over.replaceChildren();
        said.textContent = cell ? describeLook(cell) : "";
        if (!cell) return;
        for (const place of places) {
            drawOutline(
                over,
                place,
                cell.i,
                cell.i + 1,
                0,
                place.matrix.m,
                place === cell.place ? "hot" : "warm",
            );
        }
        drawOutline(over, cell.place, cell.i, cell.i + 1, cell.j, cell.j + 1, "chosen");
    };
    const follow = addPointing(svg, places, places[data.main], data.chosen, show, send);
    for (const box of svg.querySelectorAll(".ab-layer-box")) {
        const layer = Number(box.dataset.layer),
            { name } = matrices[layer * data.across + (data.main % data.across)]; // keeps the head
        box.addEventListener(
            "click",
            () => send({ matrix: name, row: data.chosen[0], column: data.chosen[1] }),
        );
    }
    return follow;
}

registerView("layer_stack", drawLayerStack);

const LINES_APART = 22; // between two lines of one layer's pictures

// Labels are beside the first picture of each layer and above the topmost ones, if large enough to
// read.
export function towerLayout(matrices, data, room) {
    const { box, between, count, perLine, words, cell } = towerSizes(matrices, data, room);
    const [{ n, m }] = matrices;
    const heads = { ...matrices[0], hideColumns: false }; // its labels are above all topmost ones
    const head = cell >= 15 && !room.fit ? columnLabelHeight(heads, cell) : 0;
    const [left, line] = [box + 16 + words, n * cell + LINES_APART];
    const high = Math.ceil(data.across / perLine) * line - LINES_APART; // of a layer's pictures
    const pitch = Math.max(high, 46) + between;
    const tall = Math.min(46, Math.max(high, 30)); // of a layer's box
    const top = Math.max(24 + head, 36 + (tall - high) / 2);
    const spot = (k) => {
        const [layer, at] = [Math.floor(k / data.across), k % data.across];
        return {
            x: left + (at % perLine) * (m * cell + GAP),
            y: top + (count - 1 - layer) * pitch + Math.floor(at / perLine) * line,
        };
    };
    const width = left + perLine * (m * cell + GAP) +
        (head ? Math.max(0, measureOverhang(heads, cell) - GAP) : 0);
    const boxAt = (layer) => {
        const middle = spot(layer * data.across).y + high / 2;
        return { middle, y: middle - tall / 2 };
    };
    // The y of the input row of `layer`, from 0: between two layers, below the first, above the
    // last.
    const handedAt = (layer) => {
        if (layer === 0) return boxAt(0).y + tall + Math.min(30, pitch / 2);
        return layer === count ? boxAt(count - 1).y - 30 : boxAt(layer).y + (tall + pitch) / 2;
    };
    const strip = { cx: box / 2, wide: box - 6 };
    return {
        box,
        tall,
        words,
        cell,
        head,
        pitch,
        top,
        count,
        perLine,
        high,
        spot,
        boxAt,
        handedAt,
        strip,
        width: Math.ceil(width),
        height: Math.max(spot(0).y + high, handedAt(0) + 20) + 8,
    };
}

// The cell size and the pictures per line. With many heads a low stack has up to four lines per
// layer, or on a narrow screen as many as needed unless the tower would get too high; a lecture
// chooses the number with the largest pictures.
function towerSizes(matrices, data, room) {
    const [{ n, m }] = matrices;
    const count = matrices.length / data.across;
    const box = room.w < 560 ? 62 : 96; // of a layer
    const wide = Math.max(room.w - 8, 240);
    const long = Math.min(110, measureWidest(matrices[0].rows)) + 10;
    const cellWithin = (before, lines = 1) =>
        Math.floor(((wide - before) / Math.ceil(data.across / lines) - GAP) / m);
    const between = room.fit ? 32 : 48;
    const highWithin = (lines) =>
        Math.floor((((room.h - 60) / count - between + LINES_APART) / lines - LINES_APART) / n);
    const cellOf = (lines, before = box + 20) =>
        Math.min(
            data.maxCell,
            room.fit ? highWithin(lines) : data.maxCell,
            cellWithin(before, lines),
        );
    const best = cellOf(1, box + 16 + long);
    if (best >= 11) return { box, between, count, perLine: data.across, words: long, cell: best };
    const legible = Math.min(data.maxCell, Math.ceil(48 / n));
    const most = Math.max(1, Math.min(4, Math.floor(8 / count)));
    const narrow = Math.max(2 * m, 30) + GAP; // the minimum width of a picture: its title
    const taken = Math.ceil(data.across / Math.max(1, Math.floor((wide - box - 20) / narrow)));
    let lines = room.fit || taken * count > 24 ? 1 : taken;
    while (
        lines < most &&
        (room.fit ? cellOf(lines + 1) > cellOf(lines) : cellWithin(box + 20, lines) < legible)
    ) lines += 1;
    return {
        box,
        between,
        count,
        perLine: Math.ceil(data.across / lines),
        words: 4,
        cell: Math.max(2, cellOf(lines)),
    };
}

// Draws the attention weights of one layer and head.
/** @param {SVGElement} svg @param {Matrix} matrix */
function drawLook(svg, matrix, k, data, { spot, cell, words, head, count, perLine }, colours) {
    const { x, y } = spot(k);
    const isTop = k >= (count - 1) * data.across && k % data.across < perLine;
    drawCaption(svg, matrix, x, y - 7 - (isTop ? head : 0));
    const place = drawCells(svg, matrix, x, y, cell, cell, colours);
    if (words > 4 && k % data.across === 0) drawRowLabels(svg, matrix, x, y, cell, words - 8);
    if (head && isTop) drawColumnLabels(svg, matrix, x, y, cell);
    if (matrix.frame) drawOutline(svg, place, ...matrix.frame, "chosen");
    return place;
}

// The layers as boxes with their input row below and output row above, Xˡ; the shape only at the
// bottom.
function drawLayers(svg, data, { box, tall, strip, boxAt, handedAt, count }, rows, colours) {
    const { cx } = strip;
    for (let layer = 0; layer < count; layer++) {
        const { y, middle } = boxAt(layer);
        const kind = layer === data.layer ? "ab-layer-box ab-layer-chosen" : "ab-layer-box";
        node("rect", {
            x: 1,
            y,
            width: box - 2,
            height: tall,
            rx: 8,
            class: kind,
            "data-layer": layer,
        }, svg);
        drawText(svg, `layer ${layer + 1}`, cx, middle, "ab-word");
        if (layer) {
            drawWire(svg, {
                points: [[cx, boxAt(layer - 1).y - 3], [cx, handedAt(layer) + STRIP / 2]],
                goesOn: true,
            });
        }
        drawWire(svg, { points: [[cx, handedAt(layer) - STRIP / 2], [cx, y + tall + 2]] });
    }
    drawWire(svg, {
        points: [[cx, boxAt(count - 1).y - 3], [cx, handedAt(count) + STRIP / 2 + 2]],
    });
    rows.forEach((values, layer) => {
        const y = handedAt(layer);
        drawStrip(svg, values, { ...strip, y }, colours);
        drawNote(svg, {
            x: cx + 8,
            y: layer === count ? y + 19 : y - 9,
            text: nameLayerOutput(layer),
            anchor: "start",
        });
    });
    drawNote(svg, { x: cx, y: handedAt(0) + 18, text: data.size, shape: true });
}

// One row, coloured by its own scale, around (cx, y).
function drawStrip(parent, values, { cx, y, wide }, colours) {
    const matrix = {
        values,
        top: values.reduce((most, v) => Math.max(most, Math.abs(v)), 0) || 1,
        n: 1,
        m: values.length,
    };
    const box = { x: cx - wide / 2, y: y - STRIP / 2, width: wide, height: STRIP };
    const group = node("g", { class: "ab-strip" }, parent);
    node("image", {
        href: paintMatrix(matrix, chooseColours(matrix, colours)).toDataURL(),
        ...box,
        preserveAspectRatio: "none",
    }, group);
    node("rect", { ...box, class: "ab-frame" }, group);
    return group;
}

const nameLayerOutput = (layer) =>
    `X⁽${String(layer).replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])}⁾`;
