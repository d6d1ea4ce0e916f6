// A window on long matrices. A real model has hundreds of numbers to a vector: of such an axis
// (Python's `long` says which) a board shows 48 at a time, and over the drawing the whole row as a
// strip, with a frame where the window is, to move it by. Matrices that share an axis share its
// window, so that terms still line up. All numbers are in the browser: to move the window asks
// nobody.
//
// Views are given smaller matrices (`cut` says which rows and columns of the whole they have, see
// read.js), and what they say of a cell is taken back to its place in the whole. Of a product's
// terms there may be a choice in place of a window: the 40 largest.

import { colourOf, palette } from "./colours.js";
import { make, press, renew, used } from "./dom.js";
import { keptOpen } from "./fold.js";
import { picture, symbolOf } from "./matrix.js";
import { exact } from "./numbers.js";
import { columnInWhole, placeAmong, rowInWhole, wholeOf, WINDOW } from "./read.js";
import { inLecture } from "./screen.js";
import { writeTable } from "./table.js";
/** @import { Data } from "./types.d.ts" */

const LARGEST = 40; // terms by size
// the views that such matrices come to
const SEEN_IN_PART = ["product", "matrices", "stream", "terms"];
const ORDERS = ["in order", "by size"];
const BY_SIZE = ORDERS[1]; // as a board begins

// ---------- which windows a board has ----------

// The long axes of a board's matrices, each with its size and with the place in it that is
// followed, null for none.
/** @param {Data} data */
function longAxes({ view, matrices = [], main = 0, chosen }) {
    const axes = new Map();
    if (!SEEN_IN_PART.includes(view)) return axes;
    for (const matrix of matrices) {
        (matrix.long ?? []).forEach((name, k) => {
            if (name && !axes.has(name)) {
                axes.set(name, { name, size: k ? matrix.m : matrix.n, followed: null });
            }
        });
    }
    const followed = matrices[view === "product" ? 2 : main];
    (followed?.long ?? []).forEach((name, k) => {
        if (name && chosen) axes.get(name).followed = chosen[k];
    });
    return axes;
}

// Where the window on each axis begins. A link's cell is in it; where a reader has moved it to, it
// stays until another is followed.
function placeWindows(host, axes) {
    const before = host.windows ?? new Map();
    host.windows = new Map([...axes].map(([name, { size, followed }]) => {
        const { from = 0, followed: last = null } = before.get(name) ?? {};
        const isSeen = followed === null || followed === last ||
            (followed >= from && followed < from + WINDOW);
        const start = isSeen ? from : Math.floor(followed / WINDOW) * WINDOW;
        return [name, { from: Math.min(start, size - WINDOW), size, followed }];
    }));
}

// The axis along which a product's terms run, where that is long.
/** @param {Data} data */
const axisOfTerms = ({ view, matrices }) => (view === "product" && matrices[0].long?.[1]) || "";
const isBySize = (host, data) => Boolean(axisOfTerms(data)) && (host.order ?? BY_SIZE) === BY_SIZE;

// The terms of a product's cell, as they are in the whole matrices.
/** @param {Data} data @param {number[]} cell */
function termsOf({ matrices: [left, right] }, [row, column]) {
    const [x, w] = [wholeOf(left), wholeOf(right)];
    return Array.from(
        { length: x.m },
        (_, p) => [x.at(row, p), w.at(p, column), Math.fround(x.at(row, p) * w.at(p, column))],
    );
}

const bySize = (terms) =>
    [...terms.keys()].sort((a, b) => Math.abs(terms[b][2]) - Math.abs(terms[a][2]));

// The data as a view draws them. Without long axes they are what was sent.
/** @param {Data} data */
export function throughWindows(host, data) {
    const axes = longAxes(data);
    placeWindows(host, axes);
    if (!axes.size || host.seenWhole) return data;
    const largest = isBySize(host, data) &&
        bySize(termsOf(data, data.chosen)).slice(0, LARGEST).sort((a, b) => a - b);
    const shownOf = (name) => {
        if (!name) return null;
        if (largest && name === axisOfTerms(data)) return largest;
        const { from } = host.windows.get(name);
        return Array.from({ length: WINDOW }, (_, k) => from + k);
    };
    const matrices = data.matrices.map((sent) => {
        if (!sent.long) return sent;
        const [rows, columns] = sent.long.map(shownOf);
        return {
            ...sent,
            n: rows?.length ?? sent.n,
            m: columns?.length ?? sent.m,
            of: sent,
            cut: { rows, columns, size: [sent.n, sent.m] },
        };
    });
    const { cut } = matrices[data.view === "product" ? 2 : data.main ?? 0];
    const chosen = data.chosen &&
        [placeAmong(cut?.rows, data.chosen[0]), placeAmong(cut?.columns, data.chosen[1])];
    const inner = axisOfTerms(data);
    return {
        ...data,
        matrices,
        windowed: true,
        chosen: chosen && chosen.every((k) => k >= 0) ? chosen : null,
        nearest: chosen?.map((k) => Math.max(k, 0)), // where what is performed begins
        ...(inner ? { others: axes.get(inner).size - matrices[0].m } : {}),
    };
}

// What a view says of a cell, as the link has it.
export function saidOfWhole(seen, what) {
    const matrix = seen.matrices?.find(({ name, cut }) => cut && name === what.matrix);
    return matrix
        ? { ...what, row: rowInWhole(matrix, what.row), column: columnInWhole(matrix, what.column) }
        : what;
}

// Another cell is followed in the same drawing, where that shows it; else the board is drawn anew.
export function followThroughWindows(host, follow) {
    return () => {
        const before = host.seen, seen = throughWindows(host, host.drawing);
        if (!seen.windowed) return follow(seen.chosen);
        if (
            JSON.stringify(seen.matrices.map(({ cut }) => cut)) !==
                JSON.stringify(before.matrices.map(({ cut }) => cut))
        ) return host.redraw();
        host.seen = seen;
        drawWindows(host, host.querySelector(":scope > .ab-svg"));
        follow(seen.chosen);
    };
}

// ---------- moving ----------

function moveWindow(host, name, from) {
    const place = host.windows.get(name);
    const start = Math.min(Math.max(Math.round(from), 0), place.size - WINDOW);
    if (start === place.from) return;
    place.from = start;
    host.windowFrame ??= requestAnimationFrame(() => { // however many moves there are in between
        host.windowFrame = null;
        host.redraw();
    });
}

// A key past the window's edge, where the whole goes on: the window goes along. The cell that the
// keys are at, or nothing.
export function stepPastWindow(svg, { place: { matrix }, i, j }, step) {
    const { cut, long } = matrix, host = svg.parentElement;
    if (!cut) return null;
    const k = step[0] ? 0 : 1, places = k ? cut.columns : cut.rows, at = (k ? j : i) + step[k];
    if (
        !places || (at >= 0 && at < places.length) ||
        (long[k] === axisOfTerms(host.drawing) && isBySize(host, host.drawing))
    ) return null;
    const { from, size } = host.windows.get(long[k]);
    if (from + at < 0 || from + at >= size) return null;
    const to = [rowInWhole(matrix, i), columnInWhole(matrix, j)];
    to[k] += step[k];
    host.windows.get(long[k]).from += step[k];
    host.motion?.end();
    svg.goesOn = { name: matrix.name, i: to[0], j: to[1] };
    host.redraw();
    return svg.goesOn;
}

// ---------- the strips ----------

const WINDOW_LINE = 50; // how high one is with what is said over it, as in windowed.css
/** @param {Data} data */
export const windowsHigh = (data) => WINDOW_LINE * longAxes(data).size;

// Over the drawing, and never made anew while they are used: a finger may hold one.
export function drawWindows(host, svg) {
    const { drawing: data, windows } = host;
    const names = [...windows.keys()], kind = `${names} ${axisOfTerms(data)}`;
    let box = host.querySelector(":scope > .ab-windows");
    if (box && box.kind !== kind) box = void box.remove();
    if (!names.length) return;
    box ??= beginWindows(host, svg, names, kind);
    box.style.width = `${host.wide}px`;
    box.hidden = Boolean(host.seenWhole);
    names.forEach((name, k) => drawWindow(host, box.children[k], name));
}

function beginWindows(host, svg, names, kind) {
    const box = make("div", { class: "ab-windows" });
    box.kind = kind;
    for (const name of names) beginWindow(host, box, name);
    svg.before(box);
    return box;
}

function beginWindow(host, box, name) {
    const line = make("div", { class: "ab-window" }, box);
    const head = make("div", { class: "ab-window-head" }, line);
    if (name === axisOfTerms(host.drawing)) {
        orderButtons(head, () => host.order ?? BY_SIZE, (order) => {
            host.order = order;
            host.redraw();
        });
    }
    make("span", { class: "ab-window-said" }, head);
    const strip = make("div", { class: "ab-strip" }, line);
    make("canvas", { "aria-hidden": "true" }, strip);
    make("i", { "aria-hidden": "true" }, strip);
    const slider = make("input", { type: "range", min: 0, step: 1 }, strip);
    slider.addEventListener("input", () => moveWindow(host, name, Number(slider.value)));
    slider.addEventListener("keydown", (event) => {
        const by = { PageDown: WINDOW, PageUp: -WINDOW }[event.key];
        if (by) moveWindow(host, name, Number(slider.value) + by);
        if (by) used(event);
    });
    slider.addEventListener("change", () => {
        if (inLecture() && !slider.matches(":focus-visible")) slider.blur();
    }); // the next key is for the beats
    byWheel(strip, (by) => moveWindow(host, name, host.windows.get(name).from + by));
}

// A wheel turns it where a pointer was moved onto it; a page that is scrolled past under the
// pointer scrolls on.
function byWheel(strip, move) {
    let isMeant = false;
    strip.addEventListener("pointermove", ({ movementX, movementY }) => {
        if (movementX || movementY) isMeant = true;
    });
    strip.addEventListener("pointerleave", () => {
        isMeant = false;
    });
    strip.addEventListener("wheel", (event) => {
        const by = event.deltaX || event.deltaY;
        if (!by || !(isMeant || event.deltaX)) return;
        event.preventDefault();
        move(Math.sign(by) * 4);
    }, { passive: false });
}

function drawWindow(host, line, name) {
    const { drawing: data } = host, { from, size, followed } = host.windows.get(name);
    const ofTerms = name === axisOfTerms(data), picked = ofTerms && isBySize(host, data);
    const shown = `${from + 1} to ${from + WINDOW}`;
    renew(
        line.querySelector(".ab-window-said"),
        {},
        picked ? `the ${LARGEST} largest of ${size} terms` : `${name}: ${shown} of ${size}`,
    );
    for (const button of line.querySelectorAll(".ab-order button")) {
        renew(button, { "aria-pressed": (button.textContent === BY_SIZE) === picked });
    }
    const strip = line.querySelector(".ab-strip"), slider = strip.querySelector("input");
    strip.hidden = picked;
    const wide = Math.max((host.wide * WINDOW) / size, 24);
    strip.style.setProperty("--window", `${wide}px`);
    renew(slider, {
        max: size - WINDOW,
        "aria-label": `${name}: which ${WINDOW} of ${size} numbers are shown`,
        "aria-valuetext": `${shown} of ${size}`,
    });
    if (Number(slider.value) !== from) slider.value = from;
    const mark = strip.querySelector("i");
    mark.hidden = followed === null;
    mark.style.left = `${(100 * ((followed ?? 0) + 0.5)) / size}%`;
    drawWholeRow(host, strip.firstChild, name);
}

// The whole of the row that is followed, in the cells' own colours; of what is not followed, the
// first.
function drawWholeRow(host, canvas, name) {
    const { matrices, view, main = 0, chosen } = host.drawing;
    const having = matrices.filter(({ long }) => long?.includes(name));
    const sent = having.find((matrix) => matrix === matrices[view === "product" ? 2 : main]) ??
        having[0];
    const whole = wholeOf(sent), along = sent.long[1] === name, size = along ? whole.m : whole.n;
    const at = Math.min(chosen?.[along ? 0 : 1] ?? 0, (along ? whole.n : whole.m) - 1);
    const colours = palette(host);
    const cells = Array.from(
        { length: size },
        (_, k) => colourOf(along ? whole.at(at, k) : whole.at(k, at), whole, colours),
    );
    Object.assign(canvas, { width: size, height: 1 });
    canvas.getContext("2d").drawImage(picture({ n: 1, m: size }, cells), 0, 0);
}

// Two buttons, one of them pressed.
function orderButtons(parent, now, choose) {
    const group = make("div", { class: "ab-order", role: "group", "aria-label": "Terms" }, parent);
    for (const order of ORDERS) {
        press(group, order, () => choose(order)).setAttribute("aria-pressed", order === now());
    }
}

// ---------- the terms that are not shown ----------

// The rest of a sum opens: all its terms in a list, in the order that was chosen.
export function foldedTerms(host, foot) {
    const { drawing } = host, name = axisOfTerms(drawing), [left, right] = drawing.matrices;
    const fold = make("details", { class: "ab-all-terms" }, foot);
    make("summary", {}, fold, `All ${left.m} terms`);
    let frame = null;
    const write = () => {
        if (!frame) return;
        const terms = termsOf(host.drawing, host.drawing.chosen),
            size = isBySize(host, host.drawing);
        const order = size ? bySize(terms) : [...terms.keys()];
        const rows = order.map((p) => [left.columns[p], ...terms[p].map(exact)]);
        writeTable(frame, {
            columns: [name, symbolOf(left), symbolOf(right), "term"],
            rows,
            alt: `All ${left.m} terms, ${size ? "by size" : "in order"}`,
        });
    };
    keptOpen(host, fold, "ab-all-terms", (isOpen) => {
        frame?.remove();
        frame = isOpen
            ? make("div", { class: "ab-table ab-written", role: "region", tabindex: 0 }, fold)
            : null;
        write();
    });
    return write;
}
