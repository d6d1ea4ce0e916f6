// View: all keys as arrows around one query. Each is drawn in the plane that it spans with the
// query, all planes overlaid: its length, its angle to the query and its projection onto the
// query's line are exact.

import { drawText, node } from "../dom.js";
import { clamp } from "../primitives.js";
import { equate, writeBrief, writeExact, writeSigned } from "../numbers.js";
import { decodeMatrix } from "../decode.js";
import { makeCanvas } from "../canvas.js";
import { isolate } from "../text.js";
import {
    addPicking,
    BESIDE,
    drawArrow,
    drawPlaneGrid,
    drawPlaneLabels,
    findNearest,
    groupLabels,
    listWidth,
    measureDistanceToSegment,
    planeFrame,
    planeList,
} from "./plane.js";
import { registerView } from "../view_registry.js";
/** @import { View } from "../types.d.ts" */

const FAN_LIST = ["|k|", "θ", "ω"];

/** @type {View} */
function drawKeyArrows(host, data, send, _colours, room) {
    const keys = decodeMatrix(data.matrices[0]);
    const tips = keys.rows.map((_, k) => getTip(keys, k));
    const spots = [[0, 0], [data.length, 0], ...tips];
    const wide = measureFan(spots, room, listWidth(keys.rows, FAN_LIST));
    const frame = planeFrame(spots, { ...room, w: Math.min(room.w, wide + 8) }, {
        least: 130,
        under: 22,
        wide,
    });
    const list = planeList(frame, room, keys.rows, FAN_LIST, keys.n);
    const [svg, said] = makeCanvas(host, list.width, list.height, data, null, room);
    drawPlaneGrid(svg, frame, ["along the query", "across"]);
    /** @param {number[]} spot */
    const on = ([x, y]) => [frame.x(x), frame.y(y)];
    const origin = on([0, 0]);
    const back = node("g", { class: "ab-key-arrows-others" }, svg);
    tips.forEach((tip) => drawArrow(back, origin, on(tip), "ab-k", 1.4));
    const over = node("g", { class: "ab-over" }, svg);
    const show = (k) => {
        over.replaceChildren();
        drawChosenKey(over, frame, on, data, keys, tips, k);
        list.draw(
            over,
            keys.rows.map((word, j) => [isolate(word), ...keyNumbers(keys, j)]),
            k,
            "ab-k",
        );
        said.textContent = describeScore(data, keys, k);
    };
    const under = (spot) =>
        list.under(spot) ?? findNearest(tips.map((tip) =>
            Math.min(
                measureDistanceToSegment(spot, on([0.25 * tip[0], 0.25 * tip[1]]), on(tip)),
                Math.hypot(spot[0] - on(tip)[0], spot[1] - on(tip)[1]),
            )
        ));
    return addPicking(
        svg,
        keys.n,
        data.chosen,
        under,
        show,
        (k) => send({ matrix: keys.name, row: k, column: 0 }),
    );
}

registerView("key_arrows", drawKeyArrows);

// The width of the sheet: if all keys are nearly vertical, a narrow one, on which they are as large
// as on a wide one. Leaves room for the list where possible.
function measureFan(spots, room, list) {
    const [wide, high] = [0, 1].map((k) =>
        Math.max(...spots.map((spot) => spot[k])) - Math.min(...spots.map((spot) => spot[k]))
    );
    const tall = Math.min(400, room.h) - 70;
    const beside = room.w - list - BESIDE.gap - 8;
    return clamp(
        340,
        tall * (wide / (high || 1e-9)) + 220,
        room.fit ? room.w : beside < 340 ? 640 : Math.min(640, beside),
    );
}

// A key's numbers as in the list beside the fan.
const keyNumbers = (
    keys,
    k,
) => [
    writeBrief(keys.at(k, 0)),
    Number.isNaN(keys.at(k, 1)) ? "–" : `${keys.at(k, 1).toFixed(1)}°`,
    writeBrief(keys.at(k, 4)),
];

// A key's first two numbers are its length and its angle in degrees; a zero vector has no angle.
function getTip(keys, k) {
    const angle = ((keys.at(k, 1) || 0) * Math.PI) / 180;
    return [keys.at(k, 0) * Math.cos(angle), keys.at(k, 0) * Math.sin(angle)];
}

// Draws the query, the chosen key, the angle between them, and the key's projection onto the query.
function drawChosenKey(over, frame, on, data, keys, tips, k) {
    const origin = on([0, 0]);
    const [query, tip, foot] = [on([data.length, 0]), on(tips[k]), on([tips[k][0], 0])];
    drawArrow(over, origin, query, "ab-q", 4);
    node("path", { d: `M${tip}L${foot}`, class: "ab-key-arrows-drop" }, over);
    node("path", {
        d: `M${origin[0]} ${origin[1] + 6}H${foot[0]}`,
        class: "ab-key-arrows-shadow ab-scores",
    }, over);
    const angle = (keys.at(k, 1) * Math.PI) / 180;
    const radius = Math.min(34, 0.5 * keys.at(k, 0) * frame.unit, 0.5 * data.length * frame.unit);
    if (angle > 0.02 && radius > 6) {
        const end = [origin[0] + radius * Math.cos(angle), origin[1] - radius * Math.sin(angle)];
        node("path", {
            d: `M${origin[0] + radius} ${origin[1]}A${radius} ${radius} 0 0 0 ${end}`,
            class: "ab-key-arrows-angle",
        }, over);
        const [x, y] = [Math.cos(angle / 2), -Math.sin(angle / 2)].map((share, axis) =>
            origin[axis] + (radius + 9) * share
        );
        drawText(over, "θ", x, y, "ab-label", { "text-anchor": "middle" });
    }
    drawArrow(over, origin, tip, "ab-k", 2.6);
    const named = groupLabels(tips.map(on), keys.rows, "k", k);
    const labels = named.map((label) => ({
        ...label,
        text: label.first ? `k, ${label.text}` : label.text,
    }));
    labels.push({
        x: query[0],
        y: query[1],
        text: `q, ${isolate(data.query)}`,
        role: "q",
        first: true,
        below: true,
    });
    drawPlaneLabels(over, frame, labels);
}

// ω = |q| |k| cos θ with its numbers, with ≈ where rounding their last digits shows.
function describeScore(data, keys, k) {
    const name = `ω[${isolate(data.query)}, ${isolate(keys.rows[k])}]`;
    const [length, degrees, cosine] = [0, 1, 2].map((j) => keys.at(k, j));
    const score = writeExact(keys.at(k, 4));
    if (!length) {
        return `${name} = ${score}: the key is zero, so it has no direction and there is no angle`;
    }
    const [ofQuery, ofKey] = [data.length, length].map(writeExact);
    const value = (text) => Number(text.replaceAll(",", "").replace("−", "-"));
    const written = [
        writeExact(cosine),
        ...[5, 6, 7].map((digits) => writeSigned(cosine, (size) => size.toFixed(digits))),
    ];
    const fits = written.find((text) =>
        writeExact(value(ofQuery) * value(ofKey) * value(text)) === score
    );
    const factors = [ofQuery, ofKey, fits ?? written[0]];
    return `${name} = |q| |k| cos θ = ${factors.join(" × ")} ${
        equate(score, fits ? "=" : "≈")
    }   (θ = ${degrees.toFixed(1)}°)`;
}
