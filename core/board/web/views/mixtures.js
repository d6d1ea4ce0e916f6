// View: values as points, the weighted sum of each query, and for one query how it adds up: the
// values' arrows scaled by their weights, tip to tail from zero. A convex combination lies in the
// hull of the points.

import { node } from "../dom.js";
import { decode, writeExact } from "../numbers.js";
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

/** @type {View} */
function drawMixtures(host, data, send, _colours, room) {
    const [values, mixed] = data.matrices.map(decodeMatrix);
    const weights = decode(data.weights);
    const spotsOf = (matrix) => matrix.rows.map((_, k) => [matrix.at(k, 0), matrix.at(k, 1)]);
    const [from, to] = [spotsOf(values), spotsOf(mixed)];
    const chain = (i) => listPartialSums(from, weights.subarray(i * values.n, (i + 1) * values.n));
    const spots = [[0, 0], ...from, ...to, ...mixed.rows.flatMap((_, i) => chain(i))];
    const [across, up] = [0, 1].map((k) =>
        Math.max(...spots.map((spot) => spot[k])) - Math.min(...spots.map((spot) => spot[k]))
    );
    // a flat plot takes the full width
    const frame = planeFrame(spots, room, { high: 460, wide: up < 0.4 * across ? 960 : 640 });
    const on = ([x, y]) => [frame.x(x), frame.y(y)];
    const [svg, said] = makeCanvas(host, frame.width, frame.height, data, null, room);
    drawPlaneGrid(svg, frame, data.axes);
    const [places, ends] = [from.map(on), to.map(on)];
    node("path", { d: `M${findHull(places).join("L")}z`, class: "ab-hull ab-v" }, svg);
    const over = node("g", { class: "ab-over" }, svg);
    const show = (i) => {
        over.replaceChildren();
        const given = (k) => weights[i * values.n + k];
        const radius = (k) => 3 + 7 * Math.sqrt(given(k));
        drawDots(over, places, "v", radius, data.own ? i : -1);
        drawDots(over, ends, "output", () => 2.5, -1);
        if (data.own) drawArrow(over, places[i], ends[i], "ab-moved", 1.4);
        const way = chain(i).map(on);
        way.slice(1).forEach((end, k) => drawArrow(over, way[k], end, "ab-v", 2));
        drawDots(over, [ends[i]], "output", () => 5, 0);
        const zero = on([0, 0]);
        drawDots(over, [zero], "x", () => 2.5, -1);
        const named = groupLabels(places, values.rows, "v", data.own ? i : -1).map((label) => (
            {
                ...label,
                gap: 5 + Math.max(...label.of.map(radius)),
                text: label.first ? `v, ${label.text}` : label.text,
            }
        ));
        const covering = places.map((
            [x, y],
            k,
            // the point of a value
        ) => (Math.hypot(x - ends[i][0], y - ends[i][1]) < radius(k) ? radius(k) : 0));
        const gap = Math.max(8, 4 + Math.max(...covering)); // clear of the points under z
        drawPlaneLabels(over, frame, [
            {
                x: ends[i][0],
                y: ends[i][1],
                text: `z, ${isolate(mixed.rows[i])}`,
                role: "output",
                first: true,
                gap,
            },
            ...named,
            { x: zero[0], y: zero[1], text: "0", role: "x", first: true },
        ]);
        said.textContent = describeChain(mixed.rows[i], values.rows, given);
    };
    const under = (spot) => {
        const distances = [...places, ...ends].map(([x, y]) =>
            Math.hypot(spot[0] - x, spot[1] - y)
        );
        const found = findNearest(distances);
        if (found === null || data.own) return found === null ? null : found % values.n;
        // values of a second sentence have no query
        return found < values.n ? null : found - values.n;
    };
    return addPicking(
        svg,
        mixed.n,
        data.chosen,
        under,
        show,
        (k) => send({ matrix: values.name, row: k, column: 0 }),
    );
}

registerView("mixtures", drawMixtures);

// The partial sums, starting at zero: one more than there are values.
function listPartialSums(values, shares) {
    const way = [[0, 0]];
    values.forEach(([x, y], k) => {
        const [a, b] = way.at(-1);
        way.push([a + shares[k] * x, b + shares[k] * y]);
    });
    return way;
}

// The corners of the convex hull in order (Andrew 1979).
function findHull(points) {
    const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const turn = ([ax, ay], [bx, by], [cx, cy]) => (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
    const half = (given) =>
        given.reduce((corners, point) => {
            while (corners.length > 1 && turn(corners.at(-2), corners.at(-1), point) <= 0) {
                corners.pop();
            }
            return [...corners, point];
        }, []);
    const [lower, upper] = [half(sorted), half(sorted.reverse())];
    return [...lower.slice(0, -1), ...upper.slice(0, -1), ...(points.length === 1 ? points : [])];
}

// The terms with the largest weights.
function describeChain(name, words, given) {
    const ranked = words.map((word, k) => [given(k), word]).sort((a, b) => b[0] - a[0]);
    const terms = ranked.slice(0, 4).map(([share, word]) =>
        `${writeExact(share)} v[${isolate(word)}]`
    );
    return `z[${isolate(name)}] = ${terms.join(" + ")}${words.length > 4 ? " + …" : ""}`;
}
