// View: one cell's terms, factor under factor, as in a calculation by hand.

import { drawText, node } from "../dom.js";
import { columnLabelHeight, drawColumnLabels, measureOverhang } from "../labels.js";
import { drawCells, drawOutline } from "../matrix.js";
import { equate, writeExact } from "../numbers.js";
import { addPointing } from "../pointing.js";
import { decodeMatrix } from "../decode.js";
import { makeCanvas } from "../canvas.js";
import { fitText, isolate, textWidth } from "../text.js";
import { registerView } from "../view_registry.js";
/** @import { View, Matrix } from "../types.d.ts" */

/** @type {View} */
function drawTerms(host, data, send, colours, room) {
    const matrices = data.matrices.map(decodeMatrix);
    const layout = termsLayout(matrices, data, room);
    const [svg, said] = makeCanvas(host, layout.width, layout.height, data, colours, room);
    const places = [];
    for (let line = 0; line < layout.lines; line++) {
        places.push(...drawTermsLine(svg, matrices, line, layout, colours));
    }
    if (data.total) {
        drawText(
            svg,
            data.total,
            layout.labelWidth,
            layout.lines * layout.block + 12,
            "ab-result-line",
        );
    }
    const over = node("g", { class: "ab-over" }, svg);
    const show = (cell) => {
        over.replaceChildren();
        if (!cell) return;
        const { place: on, j } = cell;
        const column = places.filter((place) => place.matrix.from === on.matrix.from);
        for (const place of column) {
            drawOutline(over, place, 0, 1, j, j + 1, place === on ? "chosen" : "hot");
        }
        const parts = column.map((place) => writeExact(place.matrix.at(0, j)));
        said.textContent = `${isolate(on.matrix.columns[j])}:   ${parts.slice(0, 2).join(" × ")}${
            parts[2] ? ` ${equate(parts[2])}` : ""
        }`;
    };
    addPointing(svg, places, places[0], null, show, send);
}

registerView("terms", drawTerms);

// The width of a line's name: its sign and its title.
const termsName = (matrix) =>
    textWidth(matrix.sign, "small") + textWidth(matrix.title, "small", 700);

// Terms that do not fit into one line wrap. `of` is the final number of rows, of which later beats
// add the last.
function termsLayout(matrices, data, room) {
    const [count, foot] = [matrices[0].m, 34];
    const labelWidth = Math.min(Math.max(...matrices.map(termsName)), 190) + 14;
    const free = room.w - labelWidth - 8;
    const lines = Math.ceil(count / Math.max(1, Math.floor(free / 48)));
    const perLine = Math.ceil(count / lines);
    const widthFor = (room) => Math.max(10, Math.min(72, Math.floor(room / perLine)));
    // turned labels extend at the right
    const uw = widthFor(free - termsOverhang(matrices[0], perLine, widthFor(free)));
    const top = columnLabelHeight(matrices[0], uw) + 2;
    const uh = Math.max(
        17,
        Math.min(30, Math.floor((room.h - foot - lines * (top + 10)) / (lines * data.of))),
    );
    const block = top + data.of * uh + 10;
    const width = labelWidth +
        Math.max(
            perLine * uw + termsOverhang(matrices[0], perLine, uw),
            1.04 * textWidth(data.total, "said", 600),
        ) + 8;
    return {
        count,
        top,
        labelWidth,
        lines,
        perLine,
        uw,
        uh,
        block,
        width,
        height: lines * block + foot,
    };
}

// How far turned labels extend at the right, over all lines.
function termsOverhang(matrix, perLine, uw) {
    const starts = [...matrix.columns.keys()].filter((j) => j % perLine === 0);
    return Math.max(
        0,
        ...starts.map((j) =>
            measureOverhang({
                ...matrix,
                m: perLine,
                columns: matrix.columns.slice(j, j + perLine),
            }, uw)
        ),
    );
}

// The places of one line's parts of the matrices; each part is a matrix that knows its first term.
function drawTermsLine(
    svg,
    matrices,
    line,
    { count, top, labelWidth, perLine, uw, uh, block },
    colours,
) {
    const [from, to] = [line * perLine, Math.min((line + 1) * perLine, count)];
    return matrices.map((matrix, k) => {
        const y = line * block + top + k * uh;
        const values = matrix.values.slice(from, to);
        const part = {
            ...matrix,
            m: to - from,
            values,
            columns: matrix.columns.slice(from, to),
            from,
            at: (_, j) => values[j],
        };
        if (k === 0) drawColumnLabels(svg, part, labelWidth, y, uw);
        const label = drawText(svg, "", labelWidth - 8, y + uh / 2, "ab-term-name");
        if (matrix.sign) node("tspan", {}, label, matrix.sign);
        node("tspan", { class: `ab-symbol ab-${matrix.role}` }, label, matrix.title);
        fitText(label, termsName(matrix), labelWidth - 10);
        return drawCells(svg, part, labelWidth, y, uw, uh, colours);
    });
}
