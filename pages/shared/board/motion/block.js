// Motion of a block: the word's row flows down the stream, branches off, comes back and is added,
// is normed; inside the feed-forward part its hidden units show, and which of them fire.

import { fill, node } from "../dom.js";
import { outline } from "../matrix.js";
import { decode, exact } from "../numbers.js";
import { columnInWhole } from "../read.js";
import { shown, within } from "./moves.js";
import { drawRowPicture, plus } from "./rows.js";

const HIDDEN_HIGH = 26; // how far the largest hidden unit reaches, up or down

// `places` are the stages from above, each as long as the word's row. What stands between one and the
// one above it `begins` there, and it is made `from` the last of that. `data.hidden` holds the hidden
// units, `data.activation` says what made them.
export function blockMotion(drawn, { chosen: [, chosen] }) {
    const { data, places } = drawn;
    const column = Math.min(chosen, places[0].matrix.m - 1);
    const hidden = decode(data.hidden);
    const stations = [];
    places.forEach((place, at) => {
        if (place.matrix.name === "ffn_out") stations.push({ phase: "hidden", at, lasts: 4500 });
        const phase = phaseOf(places, at);
        stations.push({ phase, at, lasts: phase === "add" ? 3500 : 2600 });
    });
    const says = stations.map((station) => saidBlock(drawn, hidden, column, station));
    const last = stations.length - 1;
    const reached = ({ at, phase }) => {
        const { clickable, name } = places[at].matrix;
        return clickable && at && phase !== "hidden" ? { matrix: name, row: 0, column } : null;
    };
    return {
        count: stations.length,
        says: (k) => says[k],
        lasts: (k) => stations[k].lasts,
        enter: (layer, k) => enterBlock(layer, drawn, hidden, column, stations[k]),
        reached: (k, t) => (k === last && t === 1 ? null : reached(stations[k])),
    };
}

// What is done at a stage: on the stream, what follows a branch is a sum, all else is a norm.
function phaseOf(places, at) {
    const { name, branch } = places[at].matrix;
    if (at === 0) return "in";
    if (name === "output") return "attend";
    if (name === "ffn_out") return "feed";
    return !branch && places[at - 1].matrix.branch ? "add" : "norm";
}

// The stages that a stage is made of: a sum has two, the stream's last one and the branch's.
function sourcesOf(places, at) {
    if (at === 0) return [];
    if (phaseOf(places, at) !== "add") return [places[at].from ?? places[at - 1]];
    return [places.slice(0, at).findLast((place) => !place.matrix.branch), places[at - 1]];
}

function saidBlock({ data, places }, hidden, column, { phase, at }) {
    const { matrix } = places[at];
    const [from, added] = sourcesOf(places, at).map((place) => place.matrix);
    const name = (other) => other.title.split(" = ")[0];
    const value = (other) => exact(other.at(0, column));
    const here = `in column ${columnInWhole(matrix, column) + 1},`;
    if (phase === "in") return `The word’s row X comes in: ${here} ${value(matrix)}.`;
    const branches = matrix.branch && !matrix.onward
        ? "A copy leaves the stream, which runs on as it is. "
        : "";
    return {
        norm: `${branches}${branches ? "The copy" : name(from)} is normed: ${matrix.note}. ` +
            `${capital(here)} ${value(from)} becomes ${value(matrix)}.`,
        attend:
            `${branches}Attention makes Y of it, from what the word finds in the others: ${here} ${
                value(matrix)
            }.`,
        hidden: branches + saidHidden(data, hidden),
        feed: `W_2 makes F of the hidden units, as long as the row: ${here} ${value(matrix)}.`,
        add: added && `${name(added)} comes back and is added to the stream: ` +
                `${here} ${plus(from.at(0, column), added.at(0, column))} = ${value(matrix)}.`,
    }[phase];
}

const unitsIn = ({ length }) => (length === 1 ? "1 hidden unit" : `${length} hidden units`);
const firingOf = (hidden) => hidden.reduce((count, unit) => count + (unit > 0), 0);

// How many hidden units fire, and what becomes of the others.
function saidHidden({ activation }, hidden) {
    const firing = firingOf(hidden);
    const rest = hidden.length - firing;
    const are = rest === 1 ? "the other one is" : `the other ${rest} are`;
    const others = activation === "relu" ? `${are} 0` : `${are} 0 or a little below`;
    return `W_1 makes ${unitsIn(hidden)} of it, and ${activation} decides which fire: ` +
        `${firing} ${firing === 1 ? "is" : "are"} above 0${rest ? `, ${others}` : ""}.`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

// Where a stage begins, below which all is still to come. A sum begins with its plus, right below
// the branch.
function topOf(places, at, { uh }) {
    if (at >= places.length) return places.at(-1).y + uh + 30;
    return phaseOf(places, at) === "add" ? places[at - 1].y + uh + 3 : begin(places[at]) - 23;
}

const begin = ({ y, begins = y }) => begins;

function enterBlock(layer, drawn, hidden, column, { phase, at }) {
    const { places, layout } = drawn;
    const place = places[at];
    const veil = node("rect", { x: 0, width: layout.width, class: "ab-veil" }, layer);
    const end = topOf(places, places.length, layout);
    const cover = (top) => fill(veil, { y: top, height: Math.max(end - top, 0) });
    if (phase === "hidden") {
        cover(place.y - 23);
        return drawHidden(layer, drawn, hidden, place);
    }
    const sources = sourcesOf(places, at);
    const rows = sources.map((source) => drawFlowingRow(layer, source, place, drawn.colours));
    const spot = node("g", {}, layer);
    outline(spot, place, 0, 1, column, column + 1, "chosen");
    const dot = node("circle", { cx: layout.trunk, r: 6, class: "ab-arrow" }, layer);
    const from = sources[0] ? middleOf(sources[0], layout) : middleOf(place, layout) - 16;
    return (t) => {
        const [come, there] = [within(0, t / 0.7, 1), t >= 0.7];
        rows.forEach((move) => move(come));
        cover(there ? topOf(places, at + 1, layout) : place.y - 23);
        shown(spot, there);
        shown(dot, !place.matrix.branch);
        dot.setAttribute("cy", from + (middleOf(place, layout) - from) * come);
    };
}

const middleOf = (place, { uh }) => place.y + uh / 2;

// A stage's row in its colours, on its way to the next stage.
function drawFlowingRow(layer, source, target, colours) {
    const { matrix, x, y, uw, uh } = source;
    const group = node("g", {}, layer);
    const box = { width: matrix.m * uw, height: uh };
    drawRowPicture(group, matrix, 0, box, colours);
    node("rect", { ...box, class: "ab-hot" }, group);
    return (share) => {
        shown(group, share > 0 && share < 1);
        group.setAttribute(
            "transform",
            `translate(${x + (target.x - x) * share},${y + (target.y - y) * share})`,
        );
    };
}

// The hidden units side by side, as high as their numbers: first all alike, then those that fire in
// colour.
function drawHidden(layer, { layout, colours, places }, hidden, place) {
    const source = places[places.indexOf(place) - 1];
    const [x, middle] = [place.x, place.y + layout.uh / 2 + 16];
    const width = (places[0].matrix.m * layout.uw) / hidden.length;
    const top = Math.max(...hidden.map(Math.abs)) || 1;
    const row = drawFlowingRow(layer, source, place, colours);
    const group = node("g", {}, layer);
    node("text", { x, y: middle - HIDDEN_HIGH - 14, class: "ab-label" }, group, unitsIn(hidden));
    const below = node("text", { x, y: middle + HIDDEN_HIGH + 14, class: "ab-label" }, group);
    const thick = Math.max(width > 4 ? width - 1 : width, 0.5);
    const bars = Array.from(
        hidden,
        (_, k) => node("rect", { x: x + k * width, width: thick }, group),
    );
    node("path", { d: `M${x} ${middle}h${hidden.length * width}`, class: "ab-axis" }, group);
    const firing = firingOf(hidden);
    return (t) => {
        const [come, grown] = [within(0, t / 0.4, 1), within(0, (t - 0.45) / 0.35, 1)];
        row(come);
        shown(group, come === 1);
        below.textContent = grown === 1 ? `${firing} above 0` : "";
        bars.forEach((bar, k) => {
            const fires = hidden[k] > 0 && grown > 0;
            const height = Math.max((Math.abs(hidden[k]) / top) * HIDDEN_HIGH * grown, 1);
            fill(bar, {
                y: hidden[k] > 0 ? middle - height : middle,
                height,
                fill: `rgb(${fires ? colours.diverging[8] : colours.gray})`,
            });
        });
    };
}
