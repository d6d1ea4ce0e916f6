// View: a whole computation as one drawing. Its stations form a line from the words to the result,
// each with the matrix computed there; branches run below the line and rejoin it. If the line does
// not fit, it runs from top to bottom. Each arrow is labelled with its operation, so that the
// labels read like the formula, with the shapes below.
// All rows have the same height and all columns the same width (scores and weights are square
// cells), so the query's row forms one straight band.

import { address } from "../address.js";
import { drawText, make, node } from "../dom.js";
import { drawCells, drawOutline } from "../matrix.js";
import { addPlay } from "../player.js";
import { addStepping } from "../pointing.js";
import { decodeMatrix } from "../decode.js";
import { machineScript } from "../scripts/pipeline.js";
import { makeCanvas } from "../canvas.js";
import { fitText, measureWidest, textWidth } from "../text.js";
import { drawNote, drawWire } from "../arrows.js";
import { machinePlan, measureInLine } from "./pipeline_layout.js";
import { registerView } from "../view_registry.js";
/** @import { View } from "../types.d.ts" */

/** @type {View} */
function drawPipeline(host, data, send, colours, room) {
    const stations = data.stations.map((
        station,
    ) => (station.words ? station : { ...station, matrix: decodeMatrix(station.matrix) }));
    const plan = machinePlan(stations, room, Boolean(data.after));
    const [svg, said] = makeCanvas(host, plan.width, plan.height, data, null, room);
    const threads = node("g", {}, svg);
    const wires = node("g", {}, svg);
    plan.wires.forEach((wire) => drawWire(wires, wire));
    plan.notes.forEach((note) => drawNote(svg, note));
    const lit = stations.find((station) => station.words);
    const rows = plan.spots.filter((spot) =>
        spot.station.words || (spot.station.matrix.n === lit.words.length && !spot.station.other)
    );
    const words = plan.spots.map((spot) => drawStation(svg, spot, plan.uh, colours)).find(Boolean);
    const over = node("g", { class: "ab-over" }, svg);
    const layer = drawLayerOver(svg, plan, room.scale);
    plan.spots.forEach((spot) => stationLink(layer, spot, room.scale));
    for (const extra of plan.extras) drawExtra(svg, layer, extra, colours, room.scale, send);
    if (data.after) drawAfter(layer, data.after, plan.after, room.scale);
    let followed = data.chosen[0];
    const show = (i) => {
        threads.replaceChildren();
        over.replaceChildren();
        threadRow(threads, over, rows, i, plan);
        words.forEach((word, k) => {
            word.classList.toggle("ab-followed-word", k === i);
            // where there is no room for all words
            word.classList.toggle("ab-left-out", plan.uh < 10 && k !== i);
        });
        said.textContent = data.says[i];
    };
    const choose = data.chooses.fields.query
        ? (row) => {
            host.motion?.end();
            send({ matrix: "words", row, column: 0 });
        }
        : null;
    machinePointing(layer, rows, room.scale, (i) => show(i ?? followed), choose);
    addStepping(
        svg,
        ["ArrowUp", "ArrowDown"],
        lit.words.length,
        followed,
        show,
        choose ?? (() => {}),
    );
    show(followed);
    // The animation follows one sentence; in cross-attention the words of the second are not drawn.
    if (!stations.some((station) => station.other)) {
        addPlay(host, svg, (chosen) => machineScript(plan, lit, chosen), colours);
    }
    return ([row]) => show(followed = row);
}

registerView("pipeline", drawPipeline);

// ---------- drawing a station ----------

// Draws the matrix with its name and shape above; for the words, draws and returns each at its row.
function drawStation(svg, { station, x, y, w, cx, top, uw, inLine }, uh, colours) {
    const name = drawText(
        svg,
        station.title,
        cx,
        top + 13,
        `ab-station-name ab-symbol ab-${station.role}`,
    );
    if (inLine) node("tspan", { dx: 6, class: "ab-station-shape" }, name, station.shape);
    else drawText(svg, station.shape, cx, top + 29, "ab-station-shape");
    if (!station.words) {
        const place = drawCells(svg, station.matrix, x, y, uw, uh, colours);
        const { frame } = place.matrix;
        if (frame) drawOutline(svg, place, ...frame, "hot");
        return null;
    }
    const behind = station.ids ? measureWidest(station.ids) + 10 : 0;
    return station.words.map((word, i) => {
        const group = node("g", { class: "ab-flow-word" }, svg);
        const middle = y + (i + 0.5) * uh;
        const text = drawText(group, word, x + w - behind, middle, "ab-asks");
        fitText(text, textWidth(word, "label", 700), w - behind);
        if (station.ids) {
            drawText(group, station.ids[i], x + w, middle, "ab-asks ab-id");
        }
        return group;
    });
}

// Links to the pages over the drawing, reachable by keyboard and screen readers. Each keeps the
// setup in the address at the time of the click.
function stationLink(layer, { station, x, y, w, h, cx, top, inLine }, scale) {
    if (!station.path) return;
    const wide = Math.max(w, inLine ? measureInLine(station) : textWidth(station.shape)) + 8;
    // the words below their title react to the pointer
    const bottom = station.words ? top + 36 : y + h + 4;
    const link = pageLink(layer, "ab-stage", station.path, "", {
        "aria-label": station.says,
        title: station.says,
    });
    place(link, Math.min(cx - wide / 2, x - 4), top - 2, wide, bottom - top + 2, scale);
}

function pageLink(parent, kind, path, text, attributes = {}) {
    const link = make("a", { class: kind, ...attributes }, parent, text);
    const renew = () => {
        link.href = address.of(path);
    };
    for (const event of ["pointerenter", "focus"]) link.addEventListener(event, renew);
    renew();
    return link;
}

// An overlay of the drawing's size; Play and its controls are above both.
function drawLayerOver(svg, { width, height }, scale) {
    const layer = make("div", { class: "ab-layer" });
    svg.after(layer);
    Object.assign(layer.style, {
        width: `${width * scale}px`,
        height: `${height * scale}px`,
        marginTop: `${-height * scale}px`,
    });
    return layer;
}

function place(element, x, y, w, h, scale) {
    const box = { left: x, top: y, width: w, height: h };
    for (const [side, size] of Object.entries(box)) element.style[side] = `${size * scale}px`;
}

// A small picture of another head at a station; a click chooses that head.
function drawExtra(svg, layer, { given, x, y, size, label }, colours, scale, send) {
    const matrix = decodeMatrix(given.matrix);
    drawNote(svg, { x: x - 4, y: y + size / 2 + 4, text: label, anchor: "end", shape: true });
    drawCells(svg, matrix, x, y, size / matrix.m, size / matrix.n, colours);
    const button = make("button", {
        type: "button",
        class: "ab-head",
        "aria-label": given.says,
        title: given.says,
    }, layer);
    button.addEventListener(
        "click",
        () => send({ matrix: "heads", row: given.head - 1, column: 0 }),
    );
    place(button, x - 2, y - 2, size + 4, size + 4, scale);
}

// Links to the pages after this one.
function drawAfter(layer, after, spot, scale) {
    const box = make("div", { class: "ab-after" }, layer);
    place(box, spot.x, spot.y, spot.w, spot.h, scale);
    box.style.setProperty("--ab-px", `${scale}px`);
    make("span", {}, box, after.text);
    for (const page of after.pages) pageLink(box, "ab-stage", page.path, page.title);
}

// ---------- highlighting a word ----------

// The word's row in each matrix, and in a horizontal line the band between them.
function threadRow(threads, over, rows, i, { uh, across }) {
    const line = rows.filter((spot) => !spot.station.beside);
    const middle = (spot) => spot.y + (i + 0.5) * uh;
    if (across) {
        line.slice(1).forEach((spot, k) => {
            const before = line[k];
            node("path", {
                d: `M${before.x + before.w + 2} ${middle(before)}H${spot.x - 2}`,
                class: "ab-thread",
            }, threads);
        });
    }
    for (const { station, x, y, uw } of rows) {
        if (!station.words) {
            drawOutline(over, { x, y, uw, uh }, i, i + 1, 0, station.matrix.m, "hot");
        }
    }
}

function machinePointing(layer, rows, scale, show, choose) {
    const at = (event) => {
        const box = layer.getBoundingClientRect();
        const [x, y] = [(event.clientX - box.left) / scale, (event.clientY - box.top) / scale];
        const spot = rows.find((each) =>
            x >= each.x && x < each.x + each.w && y >= each.y && y < each.y + each.h
        );
        return spot ? { spot, row: Math.floor((y - spot.y) / (spot.h / each(spot))) } : null;
    };
    const each = (spot) => (spot.station.words ? spot.station.words.length : spot.station.matrix.n);
    layer.addEventListener("pointermove", (event) => {
        const found = at(event);
        layer.style.cursor = choose && found?.spot.station.words ? "pointer" : "";
        show(found?.row);
    });
    layer.addEventListener("pointerleave", () => show());
    layer.addEventListener("click", (event) => {
        const found = at(event);
        if (choose && found?.spot.station.words && !event.target.closest("a, button")) {
            choose(found.row);
        }
    });
}
