// View: one pair of dimensions of every row as an arrow, and beside it the same arrows rotated,
// each by the angle of its position.

import { drawText, node } from "../dom.js";
import { writeExact } from "../numbers.js";
import { decodeMatrix } from "../decode.js";
import { makeCanvas } from "../canvas.js";
import { isolate } from "../text.js";
import {
    addPicking,
    drawArrow,
    drawDots,
    drawPlaneGrid,
    drawPlaneLabels,
    findNearest,
    groupLabels,
    planeFrame,
} from "./plane.js";
import { registerView } from "../view_registry.js";
/** @import { View } from "../types.d.ts" */

const NEXT = 64; // between the two planes, for the arrow between them

/** @type {View} */
function drawRotation(host, data, send, _colours, room) {
    const [before, after] = data.matrices.map(decodeMatrix);
    const beside = room.w >= 560;
    const wide = beside ? (Math.min(room.w, room.fit ? room.w : 860) - NEXT) / 2 : room.w;
    const own = beside ? room : { ...room, h: room.h / 2 };
    const planes = [before, after].map((rows) => turnPlane(rows, wide, own));
    const high = Math.max(...planes.map(({ frame }) => frame.height));
    const [, right] = planes;
    const [x, y] = beside ? [planes[0].frame.width + NEXT, 0] : [0, planes[0].frame.height + 26];
    const [svg, said] = makeCanvas(
        host,
        x + right.frame.width,
        beside ? high : y + right.frame.height,
        data,
        null,
        room,
    );
    planes.forEach((plane, k) =>
        Object.assign(plane, {
            x: k * x,
            y: k * y + (beside ? (high - plane.frame.height) / 2 : 0),
        })
    );
    drawBy(svg, planes, "turned", beside);
    const overs = planes.map((plane) => drawTurnPlane(svg, plane));
    const show = (i) => {
        planes.forEach((plane, k) => drawRowParts(overs[k], plane, i));
        const at = (rows) => [0, 1].map((k) => writeExact(rows.at(i, k)));
        const [from, to] = [at(before), at(after)];
        said.textContent = `${isolate(before.rows[i])}: (${from.join(", ")}), turned by ${
            writeExact(data.angles[i])
        } → (${to.join(", ")})`;
    };
    const under = ([px, py]) =>
        findNearest(before.rows.map((_, i) =>
            Math.min(...planes.map((plane) => {
                const [tx, ty] = plane.on(plane.spots[i]);
                return Math.hypot(px - plane.x - tx, py - plane.y - ty);
            }))
        ));
    return addPicking(
        svg,
        before.n,
        data.chosen,
        under,
        show,
        (i) => send({ matrix: before.name, row: i, column: 0 }),
    );
}

registerView("rotation", drawRotation);

// The frame and the points of the rows.
function turnPlane(rows, wide, room) {
    const spots = rows.rows.map((_, k) => [rows.at(k, 0), rows.at(k, 1)]);
    const frame = planeFrame([[0, 0], ...spots], { ...room, w: wide + 8 }, {
        wide,
        high: 340,
        least: 170,
    });
    return { rows, spots, frame, on: ([x, y]) => [frame.x(x), frame.y(y)] };
}

// The grid, and an arrow for each row.
/** @param {SVGElement} svg @param {any} plane */
function drawTurnPlane(svg, { rows, spots, frame, on, x, y }) {
    const group = node("g", { transform: `translate(${x},${y})` }, svg);
    drawPlaneGrid(
        group,
        frame,
        [`${rows.title}, number ${rows.columns[0]}`, `number ${rows.columns[1]}`],
    );
    for (const spot of spots) drawArrow(group, on([0, 0]), on(spot), `ab-${rows.role}`, 1);
    return node("g", { class: "ab-over" }, group);
}

// All rows as points, the chosen one as an arrow with its word.
/** @param {SVGElement} over @param {any} plane @param {number} i */
function drawRowParts(over, { rows, spots, frame, on }, i) {
    over.replaceChildren();
    const places = spots.map(on);
    drawDots(over, places, rows.role, () => 3, -1);
    drawArrow(over, on([0, 0]), places[i], `ab-${rows.role}`, 2.6);
    const labels = groupLabels(places, rows.rows, rows.role, i);
    drawPlaneLabels(
        over,
        frame,
        labels.map((label) => ({
            ...label,
            text: label.first ? `${rows.title}, ${label.text}` : label.text,
        })),
    );
}

// The arrow from one plane to the other.
/** @param {SVGElement} svg @param {any[]} planes @param {string} by @param {boolean} beside */
function drawBy(svg, [left, right], by, beside) {
    const [from, to] = beside
        ? [[left.frame.width + 8, left.y + left.frame.height / 2], [
            right.x - 8,
            left.y + left.frame.height / 2,
        ]]
        : [[left.frame.width / 2, left.frame.height], [left.frame.width / 2, right.y + 6]];
    drawArrow(svg, from, to, "ab-moved", 2);
    drawText(
        svg,
        by,
        beside ? (from[0] + to[0]) / 2 : from[0] + 12,
        beside ? from[1] - 12 : (from[1] + to[1]) / 2,
        "ab-label",
        { "text-anchor": beside ? "middle" : "start" },
    );
}
