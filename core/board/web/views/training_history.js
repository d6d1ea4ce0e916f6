// View: a film of training. The weights change over time, by a slider or played.
// All moments are sent with the board, so that the slider needs no message.

import { runClock } from "../clock.js";
import { make, makeButton, node } from "../dom.js";
import { drawColumnLabels, drawRowLabels } from "../labels.js";
import { drawCaption, drawCells, writeInFull } from "../matrix.js";
import { decode, equate } from "../numbers.js";
import { addPointing } from "../pointing.js";
import { decodeMatrix } from "../decode.js";
import { prefersLessMotion } from "../preferences.js";
import { makeCanvas } from "../canvas.js";
import { cellSizes, lightLinked, matricesFrame, matrixSpots, nameByTitle } from "./matrices.js";
import { registerView } from "../view_registry.js";
/** @import { View } from "../types.d.ts" */

const FILM = { player: 92, beat: 200 }; // pixels; milliseconds per moment

/** @type {View} */
function drawTrainingHistory(host, data, send, colours, room) {
    host.stopFilm?.();
    const matrices = data.matrices.map((matrix) => ({
        ...decodeMatrix(matrix),
        title: `α, ${matrix.name}`,
    }));
    const { frame, sizes, spots, width, height } = filmLayout(matrices, data, room);
    // for the legend and the tables
    const shown = { ...data, matrices: [...data.before, ...data.matrices] };
    const [svg, said] = makeCanvas(host, width, height, shown, colours, room);
    host.classList.add("ab-led"); // the player's line
    const group = node("g", {}, svg);
    const places = matrices.map((matrix, k) => {
        const { x, y, top } = spots[k];
        drawCaption(svg, matrix, x, top + 12);
        drawRowLabels(svg, matrix, x, y, sizes[k].uh, frame.labelWidth - 8);
        drawColumnLabels(svg, matrix, x, y, sizes[k].uw);
        return { matrix, x, y, ...sizes[k] };
    });
    const over = node("g", { class: "ab-over" }, svg);
    let pointed = null;
    const show = (cell) => {
        pointed = cell;
        over.replaceChildren();
        said.textContent = cell
            ? `${nameByTitle(cell.place.matrix, cell.i, cell.j)} ${
                equate(writeInFull(cell.place.matrix, cell.i, cell.j))
            }`
            : "";
        if (cell) lightLinked(over, places, cell, true);
    };
    const follow = addPointing(svg, places, places[data.main], data.chosen, show, send);
    const values = decode(data.moments);
    drawPlayer(host, data, (moment) => {
        group.replaceChildren();
        drawMoment(group, places, values, moment, colours);
        show(pointed);
    });
    return follow;
}

registerView("training_history", drawTrainingHistory);

// The places of the matrices below the slider.
function filmLayout(matrices, data, room) {
    const free = { ...room, h: room.h - FILM.player / room.scale };
    const frame = matricesFrame(matrices, data, free);
    const sizes = cellSizes(matrices, data, frame, free);
    const { spots, width, height } = matrixSpots(matrices, data, frame, sizes);
    return { frame, sizes, spots, width: Math.ceil(width), height: Math.ceil(height) };
}

// Draws the weights of one moment in the given places.
function drawMoment(group, places, values, moment, colours) {
    const size = places[0].matrix.values.length;
    places.forEach((place, k) => {
        const from = (moment * places.length + k) * size;
        const now = values.subarray(from, from + size);
        place.matrix = { ...place.matrix, values: now, at: (i, j) => now[i * place.matrix.m + j] };
        place.group = node("g", {}, group);
        drawCells(place.group, place.matrix, place.x, place.y, place.uw, place.uh, colours);
    });
}

// A mark on the slider at a moment, with its text below; the ends of the track are half the handle
// further in.
function markFound(along, [moment, text], last) {
    const share = moment / last;
    const mark = make("div", { class: "ab-training-history-found" }, along, text);
    mark.style.setProperty("--share", share);
    mark.classList.toggle("ab-training-history-found-left", share > 0.5); // on the side with more room
}

// The slider and Play button over the drawing. Nothing plays by itself; with reduced motion each
// press shows the next moment. It starts at the end of training, in a lecture at the beginning; a
// redrawn board keeps its moment.
function drawPlayer(host, data, draw) {
    const before = host.querySelector(":scope > .ab-training-history-player");
    const focused = before?.contains(document.activeElement);
    before?.remove();
    const player = make("div", { class: "ab-training-history-player" });
    host.prepend(player);
    const last = data.steps.length - 1;
    const button = makeButton(player, "Play", playFilm, {
        class: "ab-training-history-play ab-play",
    });
    const along = make("div", { class: "ab-training-history-along" }, player);
    const slider = make("input", {
        type: "range",
        min: 0,
        max: last,
        step: 1,
        "aria-label": "Moment of training",
    }, along);
    if (data.found) markFound(along, data.found, last);
    const says = make("output", { class: "ab-training-history-says" }, player);
    let stop = null;
    const go = (moment) => {
        host.moment = Math.min(moment, last);
        slider.value = host.moment;
        slider.setAttribute("aria-valuetext", data.says[host.moment]);
        says.textContent = data.says[host.moment];
        draw(host.moment);
    };
    host.stopFilm = () => {
        stop?.();
        stop = null;
        button.textContent = "Play";
    };
    function playFilm() {
        if (stop) return host.stopFilm();
        if (prefersLessMotion()) return go(host.moment === last ? 0 : host.moment + 1);
        const first = host.moment === last ? 0 : host.moment, count = last - first;
        button.textContent = "Pause";
        stop = runClock(FILM.beat * count, (t) => {
            const moment = first + Math.floor(t * count);
            if (moment !== host.moment) go(moment);
        }, host.stopFilm);
    }
    slider.addEventListener("input", () => {
        host.stopFilm();
        go(Number(slider.value));
    });
    go(host.moment ?? (data.lecture ? 0 : last));
    if (focused) slider.focus({ preventScroll: true });
}
