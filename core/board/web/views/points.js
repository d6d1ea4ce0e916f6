// View: rows as points of a plane, each with its word; equal rows share a point. Beside it the
// cosine similarity of the chosen row with each row, in all dimensions.

import { node } from "../dom.js";
import { writeExact } from "../numbers.js";
import { decodeMatrix } from "../decode.js";
import { makeCanvas } from "../canvas.js";
import { isolate } from "../text.js";
import {
    addPicking,
    drawDots,
    drawPlaneGrid,
    drawPlaneLabels,
    findNearest,
    groupLabels,
    planeFrame,
    planeList,
} from "./plane.js";
import { registerView } from "../view_registry.js";
/** @import { View } from "../types.d.ts" */

/** @type {View} */
function drawPoints(host, data, send, _colours, room) {
    const [rows, cosines] = data.matrices.map(decodeMatrix);
    const spots = rows.rows.map((_, k) => [rows.at(k, 0), rows.at(k, 1)]);
    const frame = planeFrame(spots, room);
    const list = planeList(frame, room, rows.rows, ["cosine"], rows.n);
    const [svg, said] = makeCanvas(host, list.width, list.height, data, null, room);
    drawPlaneGrid(svg, frame, data.axes);
    const places = spots.map(([x, y]) => [frame.x(x), frame.y(y)]);
    const over = node("g", { class: "ab-over" }, svg);
    const show = (k) => {
        over.replaceChildren();
        drawDots(over, places, rows.role, () => 4, k);
        drawPlaneLabels(over, frame, groupLabels(places, rows.rows, rows.role, k));
        const order = [...rows.rows.keys()].sort((a, b) =>
            (cosines.at(k, b) || 0) - (cosines.at(k, a) || 0)
        );
        list.draw(
            over,
            order.map((other) => [isolate(rows.rows[other]), writeExact(cosines.at(k, other))]),
            order.indexOf(k),
            `ab-${rows.role}`,
            `to “${isolate(rows.rows[k])}”`,
        );
        const [x, y] = spots[k];
        said.textContent = `“${isolate(rows.rows[k])}” stands at (${writeExact(x)}, ${
            writeExact(y)
        })`;
    };
    const under = (spot) =>
        findNearest(places.map(([x, y]) => Math.hypot(spot[0] - x, spot[1] - y)));
    return addPicking(
        svg,
        rows.n,
        data.chosen,
        under,
        show,
        (k) => send({ matrix: rows.name, row: k, column: 0 }),
    );
}

registerView("points", drawPoints);
