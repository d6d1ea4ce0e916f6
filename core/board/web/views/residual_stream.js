// View: one word's vector through a block. The residual stream runs down the left; each branch
// leaves it to the right and is added back.

import { node } from "../dom.js";
import { drawCaption, drawCells, drawOutline } from "../matrix.js";
import { writeExact } from "../numbers.js";
import { addPlay } from "../player.js";
import { addPointing } from "../pointing.js";
import { decodeMatrix, findColumnInWhole } from "../decode.js";
import { blockScript } from "../scripts/block.js";
import { makeCanvas } from "../canvas.js";
import { measureTitle } from "../text.js";
import { drawSign, drawWire } from "../arrows.js";
import { registerView } from "../view_registry.js";
/** @import { Place, View } from "../types.d.ts" */

const TRUNK = 14; // the x of the stream
const PLUS = 8; // the size of the plus where a branch joins
const ROOMY = 60; // a step with room for a line above a title

/** @type {View} */
function drawResidualStream(host, data, send, colours, room) {
    const matrices = data.matrices.map(decodeMatrix);
    const layout = streamLayout(matrices, room);
    const [svg, said] = makeCanvas(
        host,
        layout.width,
        matrices.length * layout.step + 8,
        data,
        colours,
        room,
    );
    const line = node("g", {}, svg);
    const places = matrices.map((matrix, k) =>
        drawStage(svg, matrix, k, matrices[k - 1], layout, colours)
    );
    drawTrunk(line, places.filter((place) => !place.matrix.branch), layout);
    for (const place of places) if (place.matrix.branch) drawBranch(line, place, layout);
    const over = node("g", { class: "ab-over" }, svg);
    const show = (cell) => {
        over.replaceChildren();
        if (!cell) return;
        const { place: on, j } = cell;
        const alike = places.filter(({ matrix }) => matrix.inside === on.matrix.inside);
        for (const place of alike) {
            drawOutline(over, place, 0, 1, j, j + 1, place === on ? "chosen" : "hot");
        }
        const values = alike.map(({ matrix }) =>
            `${matrix.title.split(" =")[0]}: ${writeExact(matrix.at(0, j))}`
        );
        said.textContent = `column ${findColumnInWhole(on.matrix, j) + 1}:   ${
            values.join("   →   ")
        }`;
    };
    addPointing(svg, places, places[data.main], [0, data.chosen[1]], show, send);
    addPlay(host, svg, (chosen) => blockScript(listMoving(places), chosen), colours);
}

registerView("residual_stream", drawResidualStream);

// The stages of a word's row; those inside the feed-forward network are shown with its output.
/** @param {Place[]} places */
function listMoving(places) {
    const inside = places.filter(({ matrix }) => matrix.inside);
    return places.filter(({ matrix }) => !matrix.inside).map((place) =>
        place.matrix.name === "ffn_out" && inside.length
            ? { ...place, from: inside.at(-1), inside }
            : place
    );
}

function streamLayout(matrices, room) {
    const left = 32;
    const indent = room.w < 560 ? 26 : 64; // of a branch
    const wide = Math.max(room.w - 8, 240) - left - indent;
    const uwOf = ({ m, inside }) => {
        const ideal = Math.min(44, Math.max(inside ? 0.5 : 2, wide / m));
        return ideal >= 4 ? Math.floor(ideal) : ideal;
    };
    const uws = matrices.map(uwOf);
    const [uh, step] = room.h < Infinity
        ? [20, Math.max(42, Math.min(66, Math.floor((room.h - 40) / matrices.length)))]
        : [24, 66];
    const longest = Math.max(...matrices.map((matrix) => measureTitle(matrix, matrix.note)));
    return {
        trunk: TRUNK,
        left,
        indent,
        uw: uws[0],
        uws,
        uh,
        step,
        width: Math.ceil(
            left + indent + Math.max(...matrices.map(({ m }, k) => m * uws[k]), longest) + 12,
        ),
    };
}

function drawStage(svg, matrix, k, before, { left, indent, uws, uh, step }, colours) {
    const x = left + (matrix.branch ? indent : 0);
    const y = k * step + 24;
    const crossed = before?.joins && step < ROOMY; // the branch's way back would cross the title
    drawCaption(svg, matrix, crossed ? x + indent : x, y - 9, matrix.note);
    return drawCells(svg, matrix, x, y, uws[k], uh, colours);
}

// The line of the stream, from each stage to the next.
function drawTrunk(line, own, { left, uh }) {
    const middle = (place) => place.y + uh / 2;
    own.forEach((place, k) => {
        node("path", { d: `M${TRUNK} ${middle(place)}H${left - 2}`, class: "ab-wire" }, line);
        node("circle", { cx: TRUNK, cy: middle(place), r: 3.5, class: "ab-arrow" }, line);
        if (k) {
            drawWire(line, { points: [[TRUNK, middle(own[k - 1])], [TRUNK, middle(place) - 4]] });
        }
    });
}

// The arrow out of the stream above, or from an earlier stage of the same branch, past the one
// between them; and back into the stream below with a plus.
/** @param {SVGElement} line @param {Place} place */
function drawBranch(line, { matrix: { onward, joins }, x, y }, { uh, step }) {
    const middle = y + uh / 2;
    if (onward === 1 && step >= ROOMY) {
        drawWire(line, { points: [[x + 10, y - step + uh + 3], [x + 10, y - 25]] });
    } else if (onward) {
        const above = middle - onward * step + 6;
        drawWire(line, {
            points: [[x - 4, above], [x - 14, above], [x - 14, middle], [x - 4, middle]],
        });
    } else {drawWire(line, {
            points: [[TRUNK, middle - step + 4], [TRUNK, middle - 6], [x - 4, middle - 6]],
        });}
    if (!joins) return;
    const plus = y + uh + Math.min(12, (step - uh) / 4);
    drawWire(line, {
        points: [[x - 4, middle + 6], [x - 14, middle + 6], [x - 14, plus], [
            TRUNK + PLUS + 1,
            plus,
        ]],
    });
    drawSign(line, TRUNK, plus, "+", PLUS);
}
