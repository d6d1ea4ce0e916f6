// View: a film of training. The curves of the loss and of what is right move together with the
// weights, by a slider or played.
//
// Every moment was sent with the board, so that moving about costs no message.

import { make, node } from "../dom.js";
import { columnLabels, rowLabels } from "../labels.js";
import { caption, drawCells, GAP, inFull } from "../matrix.js";
import { brief, decode } from "../numbers.js";
import { pointing } from "../pointing.js";
import { read } from "../read.js";
import { sheet } from "../sheet.js";
import { cellSizes, lightLinked, matricesFrame, matrixSpots, namedByTitle } from "./matrices.js";
/** @import { View } from "../types.d.ts" */

const FILM = {
    curve: 96,
    apart: 34,
    foot: 50,
    left: 52,
    narrowest: 300,
    widest: 620,
    player: 92,
    beat: 250,
    least: 60,
}; // pixels; milliseconds a moment
const STROKES = [
    { drawn: "——", dashes: {} },
    { drawn: "- - -", dashes: { "stroke-dasharray": "4 3" } },
    { drawn: "· · ·", dashes: { "stroke-dasharray": "1 3" } },
];
const CURVES = 2 * FILM.curve + FILM.apart + FILM.foot; // how high both are, one above the other

/** @type {View} */
export function drawFilm(host, data, send, colours, room) {
    host.stopFilm?.();
    const matrices = data.matrices.map((matrix) => ({
        ...read(matrix),
        title: `α, ${matrix.name}`,
    }));
    const { frame, sizes, spots, width, height, wide } = filmLayout(matrices, data, room);
    // what the legend and the tables tell of
    const shown = { ...data, matrices: [...data.before, ...data.matrices] };
    const [svg, said] = sheet(host, width, height, shown, colours, room);
    host.classList.add("ab-led"); // the player's line
    const move = drawCurves(svg, data, wide);
    const group = node("g", {}, svg);
    const places = matrices.map((matrix, k) => {
        const { x, y, top } = spots[k];
        caption(svg, matrix, x, top + 12);
        rowLabels(svg, matrix, x, y, sizes[k].uh, frame.labelWidth - 8);
        columnLabels(svg, matrix, x, y, sizes[k].uw);
        return { matrix, x, y, ...sizes[k] };
    });
    const over = node("g", { class: "ab-over" }, svg);
    let pointed = null;
    const show = (cell) => {
        pointed = cell;
        over.replaceChildren();
        said.textContent = cell
            ? `${namedByTitle(cell.place.matrix, cell.i, cell.j)} = ${
                inFull(cell.place.matrix, cell.i, cell.j)
            }`
            : "";
        if (cell) lightLinked(over, places, cell, true);
    };
    const follow = pointing(svg, places, places[data.main], data.chosen, show, send);
    const values = decode(data.moments);
    drawPlayer(host, data, (moment) => {
        group.replaceChildren();
        drawMoment(group, places, values, moment, colours);
        move(moment);
        show(pointed);
    });
    return follow;
}

// The curves stand at the left of the matrices where there is room, else above them.
function filmLayout(matrices, data, room) {
    const free = { ...room, h: room.h - FILM.player / room.scale };
    const laidOut = (given) => {
        const frame = matricesFrame(matrices, data, given);
        const sizes = cellSizes(matrices, data, frame, given);
        return { frame, sizes, ...matrixSpots(matrices, data, frame, sizes) };
    };
    let layout = laidOut(free);
    const left = Math.min(room.w - layout.width - GAP - 8, FILM.widest);
    const beside = left >= FILM.narrowest;
    if (!beside) layout = laidOut({ ...free, h: free.h - FILM.curve - FILM.foot });
    const [right, down] = beside ? [left + GAP, 0] : [0, CURVES];
    const wide = beside ? left : Math.min(Math.max(room.w - 8, 240), FILM.widest);
    const width = Math.ceil(Math.max(right + layout.width, wide));
    const height = Math.ceil(Math.max(down + layout.height, CURVES));
    const spots = layout.spots.map(({ x, y, top }) => ({
        x: right + x,
        y: down + y,
        top: down + top,
    }));
    return { frame: layout.frame, sizes: layout.sizes, spots, width, height, wide };
}

// The weights of one moment, in the places where those of all moments stand.
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

// The loss of each step, from 0 up to the largest, and below it the share that was right at each
// moment. What comes back moves the marks to a moment.
function drawCurves(svg, data, wide) {
    const [losses, { left, curve: high, apart }] = [decode(data.losses), FILM];
    const largest = Math.max(...losses) || 1;
    const along = (step) => left + ((wide - left - 16) * step) / losses.length;
    const low = high + apart; // the top of the lower curve
    drawAxes(svg, 8, wide, "loss", brief(largest));
    drawAxes(svg, 8 + low, wide, data.right.length > 2 ? "share" : "right", "1");
    const names = data.right.map(({ name }, k) => `${STROKES[Math.min(k, 2)].drawn} ${name}`).join(
        "\u2003",
    );
    node("text", { x: left, y: low - 8, class: "ab-label" }, svg, names);
    const foot = { y: low + high + 22, "text-anchor": "middle" };
    node("text", { ...foot, x: along(0), class: "ab-tick" }, svg, "0");
    node("text", { ...foot, x: along(losses.length), class: "ab-tick" }, svg, losses.length);
    node("text", { ...foot, x: along(losses.length / 2), class: "ab-label" }, svg, "steps made");
    const spots = (points, top) =>
        Array.from(points, ([step, share]) => [along(step), 8 + top + high * (1 - share)]);
    // The loss of step 1 was there before it was made.
    const moveLoss = drawLine(
        svg,
        spots(Array.from(losses, (loss, k) => [k + 1, loss / largest]), 0),
        0,
    );
    const moveRight = data.right.map(({ shares }, k) =>
        drawLine(svg, spots(shares.map((share, m) => [data.steps[m], share]), low), k)
    );
    const [floor] = spots([[0, data.floor / largest]], 0);
    if (data.floor && data.floor < largest) drawFloor(svg, floor[1], left, along(losses.length));
    return (moment) => {
        moveLoss(data.steps[moment]);
        moveRight.forEach((move) => move(moment + 1));
    };
}

function drawAxes(svg, y, wide, title, most) {
    const { left, curve: high } = FILM;
    const put = (down, kind, text) =>
        node("text", { x: left - 6, y: y + down, class: kind, "text-anchor": "end" }, svg, text);
    node("path", { d: `M${left} ${y}v${high}H${wide - 8}`, class: "ab-axis" }, svg);
    put(0, "ab-tick", most);
    put(high, "ab-tick", "0");
    put(high / 2, "ab-label", title);
}

// The least that the loss can be, as a line across.
function drawFloor(svg, y, from, to) {
    node(
        "path",
        { d: `M${from} ${y}H${to}`, class: "ab-film-done", "stroke-dasharray": "1 4" },
        svg,
    );
    node("text", { x: to, y: y + 14, class: "ab-tick", "text-anchor": "end" }, svg, "the least");
}

// A line through the points: faint, and drawn out as far as it has come, with a mark at its end.
// The k-th has a stroke of its own.
function drawLine(svg, points, k) {
    const line = (count) =>
        points.slice(0, count).map(([x, y], k) => `${k ? "L" : "M"}${x} ${y}`).join("");
    const { dashes } = STROKES[Math.min(k, 2)];
    node("path", { d: line(points.length), class: "ab-film-to-come", ...dashes }, svg);
    const done = node("path", { class: "ab-film-done", ...dashes }, svg);
    const mark = node("circle", { r: k ? 4 : 5, class: "ab-film-mark" }, svg);
    return (count) => {
        const [x, y] = points[Math.max(count, 1) - 1];
        done.setAttribute("d", line(count));
        mark.setAttribute("cx", x);
        mark.setAttribute("cy", y);
    };
}

// How long each moment stands, in milliseconds: the more its weights change on to the next, the
// longer. All together as long as if all were alike.
export function filmTimes({ moments, steps }) {
    const [values, last] = [decode(moments), steps.length - 1];
    const size = values.length / steps.length;
    const changes = Array.from({ length: last }, (_, k) => {
        let sum = 0;
        for (let at = k * size; at < (k + 1) * size; at++) {
            sum += Math.abs(values[at + size] - values[at]);
        }
        return sum;
    });
    const all = changes.reduce((total, change) => total + change, 0);
    const shared = last * (FILM.beat - FILM.least);
    return [
        ...changes.map((change) =>
            FILM.least + (all ? (shared * change) / all : FILM.beat - FILM.least)
        ),
        FILM.beat,
    ];
}

// A mark on the slider at a moment, and what it says below; the slider's own ends are half its
// handle further in.
function markFound(along, [moment, text], last) {
    const share = moment / last;
    const mark = make("div", { class: "ab-film-found" }, along, text);
    mark.style.setProperty("--share", share);
    mark.classList.toggle("ab-film-found-left", share > 0.5); // it stands where there is room
}

// Slider and button over the drawing. Nothing plays by itself; who asked the system for less motion
// has the slider alone. It opens on its end, which is what came of it; a lecture begins at the
// beginning. A board that is drawn anew stays at its moment.
function drawPlayer(host, data, draw) {
    const before = host.querySelector(":scope > .ab-film-player");
    const focused = before?.contains(document.activeElement);
    before?.remove();
    const player = make("div", { class: "ab-film-player" });
    host.prepend(player);
    const last = data.steps.length - 1;
    const lasting = filmTimes(data);
    let timer = null;
    const button = matchMedia("(prefers-reduced-motion: reduce)").matches ? null : make(
        "button",
        { type: "button", class: "ab-film-play ab-play ab-weights" },
        player,
        "Play",
    );
    const along = make("div", { class: "ab-film-along" }, player);
    const slider = make("input", {
        type: "range",
        min: 0,
        max: last,
        step: 1,
        "aria-label": "Moment of training",
    }, along);
    if (data.found) markFound(along, data.found, last);
    const says = make("output", { class: "ab-film-says" }, player);
    const go = (moment) => {
        host.moment = Math.min(moment, last);
        slider.value = host.moment;
        slider.setAttribute("aria-valuetext", data.says[host.moment]);
        says.textContent = data.says[host.moment];
        draw(host.moment);
    };
    const stop = () => {
        clearTimeout(timer);
        timer = null;
        if (button) button.textContent = "Play";
    };
    host.stopFilm = stop;
    slider.addEventListener("input", () => {
        stop();
        go(Number(slider.value));
    });
    button?.addEventListener("click", () => {
        if (timer) return stop();
        if (host.moment === last) go(0);
        button.textContent = "Pause";
        const wait = () => {
            timer = setTimeout(() => {
                if (!host.isConnected || host.moment === last) return stop();
                go(host.moment + 1);
                wait();
            }, lasting[host.moment]);
        };
        wait();
    });
    go(host.moment ?? (data.lecture ? 0 : last));
    if (focused) slider.focus({ preventScroll: true });
}
