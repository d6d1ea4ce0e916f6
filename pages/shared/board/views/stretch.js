// View: what a matrix does to the plane that it stretches most. At the left its unit circle and the
// rows' parts in it, at the right what becomes of them: an ellipse whose half-axes are the matrix's
// two largest singular values.

import { node } from "../dom.js";
import { brief, exact } from "../numbers.js";
import { read } from "../read.js";
import { sheet } from "../sheet.js";
import { isolated } from "../text.js";
import {
    drawArrow,
    drawDots,
    drawPlaneGrid,
    drawPlaneLabels,
    labelled,
    nearestOf,
    picking,
    planeFrame,
} from "./plane.js";
/** @import { View } from "../types.d.ts" */

const NEXT = 64; // between the two planes, where the arrow with the matrix's name stands

/** @type {View} */
export function drawStretch(host, data, send, _colours, room) {
    const [before, after] = data.matrices.map(read);
    const beside = room.w >= 560;
    const wide = beside ? (Math.min(room.w, room.fit ? room.w : 860) - NEXT) / 2 : room.w;
    const own = beside ? room : { ...room, h: room.h / 2 };
    const planes = [[before, data.circle], [after, data.sizes]].map(([rows, axes]) =>
        stretchPlane(rows, axes, wide, own)
    );
    const high = Math.max(...planes.map(({ frame }) => frame.height));
    const [, right] = planes;
    const [x, y] = beside ? [planes[0].frame.width + NEXT, 0] : [0, planes[0].frame.height + 26];
    const [svg, said] = sheet(
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
    drawBy(svg, planes, data.angles ? "turned" : `· ${data.by}`, beside);
    const overs = planes.map((plane, k) =>
        drawStretchPlane(svg, plane, k === 1, Boolean(data.angles))
    );
    const show = (i) => {
        planes.forEach((plane, k) => drawRowParts(overs[k], plane, i));
        const at = (rows) => [0, 1].map((k) => exact(rows.at(i, k)));
        const [from, to] = [at(before), at(after)];
        if (data.angles) {
            said.textContent = `${isolated(before.rows[i])}: (${from.join(", ")}), turned by ${
                exact(data.angles[i])
            } → (${to.join(", ")})`;
            return;
        }
        said.textContent =
            `${isolated(before.rows[i])}: (${from.join(", ")}) → (${to.join(", ")}) = ` +
            `(${
                data.sizes.map((size, k) =>
                    `${exact(size)} · ${before.at(i, k) < 0 ? `(${from[k]})` : from[k]}`
                ).join(", ")
            })`;
    };
    const under = ([px, py]) =>
        nearestOf(before.rows.map((_, i) =>
            Math.min(...planes.map((plane) => {
                const [tx, ty] = plane.on(plane.spots[i]);
                return Math.hypot(px - plane.x - tx, py - plane.y - ty);
            }))
        ));
    return picking(
        svg,
        before.n,
        data.chosen,
        under,
        show,
        (i) => send({ matrix: before.name, row: i, column: 0 }),
    );
}

// Where rows and an ellipse with these half-axes stand.
function stretchPlane(rows, axes, wide, room) {
    const spots = rows.rows.map((_, k) => [rows.at(k, 0), rows.at(k, 1)]);
    const [a, b] = axes;
    const frame = planeFrame([[a, b], [-a, -b], ...spots], { ...room, w: wide + 8 }, {
        wide,
        high: 340,
        least: 170,
    });
    return { rows, axes, spots, frame, on: ([x, y]) => [frame.x(x), frame.y(y)] };
}

// The grid, the circle or what became of it, and its half-axes with how long they are.
/** @param {SVGElement} svg @param {any} plane */
function drawStretchPlane(svg, { rows, axes: [a, b], spots, frame, on, x, y }, isAfter, isTurn) {
    const group = node("g", { transform: `translate(${x},${y})` }, svg);
    drawPlaneGrid(
        group,
        frame,
        isTurn
            ? [`${rows.title}, number ${rows.columns[0]}`, `number ${rows.columns[1]}`]
            : [`${rows.title}, along its 1st direction`, "along the 2nd"],
    );
    const [cx, cy] = on([0, 0]);
    if (isTurn) {
        for (const spot of spots) drawArrow(group, [cx, cy], on(spot), `ab-${rows.role}`, 1);
    }
    node("ellipse", {
        cx,
        cy,
        rx: a * frame.unit,
        ry: b * frame.unit,
        class: `ab-hull ab-${rows.role}`,
    }, group);
    [[a, 0], [0, b]].forEach((tip) => drawArrow(group, [cx, cy], on(tip), "ab-moved", 1.4));
    const size = (k, value) => (isAfter ? `σ${"₁₂"[k]} = ${brief(value)}` : "1");
    drawPlaneLabels(
        group,
        frame,
        [[[a, 0], 0, a], [[0, b], 1, b]].filter(([, , value]) => value).map(([tip, k, value]) => {
            const [tx, ty] = on(tip);
            return {
                x: tx,
                y: ty,
                text: size(k, value),
                role: "moved",
                first: true,
                below: k === 0,
            };
        }),
    );
    return node("g", { class: "ab-over" }, group);
}

// Every row's part as a point, the followed one's as an arrow with its word.
/** @param {SVGElement} over @param {any} plane @param {number} i */
function drawRowParts(over, { rows, spots, frame, on }, i) {
    over.replaceChildren();
    const places = spots.map(on);
    drawDots(over, places, rows.role, () => 3, -1);
    drawArrow(over, on([0, 0]), places[i], `ab-${rows.role}`, 2.6);
    const labels = labelled(places, rows.rows, rows.role, i);
    drawPlaneLabels(
        over,
        frame,
        labels.map((label) => ({
            ...label,
            text: label.first ? `${rows.title}, ${label.text}` : label.text,
        })),
    );
}

// What leads from one plane to the other.
/** @param {SVGElement} svg @param {any[]} planes @param {string} by @param {boolean} beside */
function drawBy(svg, [left, right], by, beside) {
    const [from, to] = beside
        ? [[left.frame.width + 8, left.y + left.frame.height / 2], [
            right.x - 8,
            left.y + left.frame.height / 2,
        ]]
        : [[left.frame.width / 2, left.frame.height], [left.frame.width / 2, right.y + 6]];
    drawArrow(svg, from, to, "ab-moved", 2);
    node(
        "text",
        {
            x: beside ? (from[0] + to[0]) / 2 : from[0] + 12,
            y: beside ? from[1] - 12 : (from[1] + to[1]) / 2,
            class: "ab-label",
            "text-anchor": beside ? "middle" : "start",
        },
        svg,
        by,
    );
}
