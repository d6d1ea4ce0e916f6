// View: a sum on its way from 0 to its total, a bar for each summand that begins where the one
// before it ends.

import { colourOf } from "../colours.js";
import { node } from "../dom.js";
import { outline, saidCell } from "../matrix.js";
import { exact } from "../numbers.js";
import { pointing } from "../pointing.js";
import { read } from "../read.js";
import { sheet } from "../sheet.js";
/** @import { View, Matrix } from "../types.d.ts" */

const [FALL_LEFT, FALL_HEAD, FALL_FOOT] = [8, 18, 34]; // pixels beside, above and below the bars

/** @type {View} */
export function drawFall(host, data, send, colours, room) {
    const own = data.matrices.map(read), top = Math.max(...own.map((matrix) => matrix.top));
    const matrices = own.map((matrix) => ({ ...matrix, top })); // one scale for all
    const bars = fallBars(matrices.flatMap((matrix) => [...matrix.values]));
    const [low, high] = [Math.min(...bars.flat()), Math.max(...bars.flat())];
    const tall = room.fit ? Math.max(room.h - FALL_HEAD - FALL_FOOT - 12, 120) : 190,
        uw = Math.min(
            Math.max(44, 480 / (bars.length + 1)),
            (room.w - FALL_LEFT - 8) / (bars.length + 1),
        );
    const y = (v) => FALL_HEAD + ((high - v) / (high - low || 1)) * tall;
    const width = Math.max(FALL_LEFT + (bars.length + 1) * uw + 8, Math.min(room.w, 330));
    const [svg, said] = sheet(host, width, FALL_HEAD + tall + FALL_FOOT, data, colours, room);
    node(
        "path",
        { d: `M0 ${y(0)}H${FALL_LEFT + (bars.length + 1) * uw}`, class: "ab-fall-zero" },
        svg,
    );
    let j = 0;
    const places = matrices.map((matrix) => {
        const place = {
            matrix,
            x: FALL_LEFT + j * uw,
            y: FALL_HEAD,
            uw,
            uh: tall,
            group: node("g", { class: "ab-matrix", "data-name": matrix.name }, svg),
        };
        matrix.values.forEach((v, k) => {
            // of a layer, attention is broad and the other part narrow
            const [from, to] = bars[j + k], thin = matrix.m > 1 && k % 2 ? 0.26 : 0.1;
            const box = {
                x: place.x + (k + thin) * uw,
                y: Math.min(y(from), y(to)),
                width: (1 - 2 * thin) * uw,
                height: Math.max(Math.abs(y(from) - y(to)), 1),
            };
            node("rect", {
                ...box,
                fill: `rgb(${colourOf(v, matrix, colours)})`,
                class: "ab-fall-bar",
            }, place.group);
            node("path", {
                d: `M${place.x + (k + thin) * uw} ${y(to)}H${place.x + (k + 1.1) * uw}`,
                class: "ab-fall-level",
            }, place.group);
        });
        j += matrix.m;
        return place;
    });
    const x = FALL_LEFT + bars.length * uw, sum = bars.at(-1)[1];
    node("rect", {
        x: x + 0.1 * uw,
        y: Math.min(y(0), y(sum)),
        width: 0.8 * uw,
        height: Math.max(Math.abs(y(0) - y(sum)), 1),
        class: "ab-fall-total",
    }, svg);
    const last = node(
        "text",
        { x: x + uw, y: Math.max(y(Math.max(sum, 0)) - 5, 13), class: "ab-fall-sum" },
        svg,
        exact(data.total),
    );
    node("title", {}, last, data.alt);
    drawFallAxis(svg, places, data.axis, FALL_HEAD + tall + 15);
    const over = node("g", { class: "ab-over" }, svg);
    const show = (cell) => {
        over.replaceChildren();
        said.textContent = cell ? saidCell(cell.place.matrix, cell.i, cell.j) : "";
        if (cell) outline(over, cell.place, 0, 1, cell.j, cell.j + 1, "hot");
    };
    return pointing(svg, places, places[1], data.chosen, show, send);
}

// Where each bar begins and ends.
export function fallBars(values) {
    let sum = 0;
    return values.map((v) => [sum, sum += v]);
}

// Below the bars: what comes before the layers, the layers' numbers as far as there is room, and
// what the axis has.
function drawFallAxis(svg, places, axis, y) {
    const layers = places[1];
    const wide = 2 * layers.uw, every = Math.ceil(18 / wide);
    for (let n = 0; n < layers.matrix.m / 2; n++) {
        if (n % every === 0) {
            node(
                "text",
                { x: layers.x + (n + 0.5) * wide, y, class: "ab-fall-layer" },
                svg,
                String(n + 1),
            );
        }
    }
    node("text", { x: FALL_LEFT, y: y + 15, class: "ab-fall-axis" }, svg, axis);
}
