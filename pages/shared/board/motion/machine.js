// Motion of a machine: the chosen word goes from the words to the result. At each stop what the
// arrows bring becomes its row, with its number; where words meet, the rows of all others come in
// too. Then every other word goes the same way.

import { fill, node } from "../dom.js";
import { outline, symbolOf } from "../matrix.js";
import { brief, exact } from "../numbers.js";
import { lessMotion } from "../screen.js";
import { isolated } from "../text.js";
import { roundedPath } from "../wires.js";
import { drawnAlong, drawVeil, shown, within } from "./moves.js";

// `drawn` is what the view made: `plan` with its spots and wires, and `lit`, the station of the
// words. Spots that stand beside one another are one stop.
export function machineMotion(drawn, { chosen: [i] }) {
    const { plan: { spots } } = drawn;
    const stops = spots.filter(({ station }) => !station.beside).map((main) => (
        {
            main,
            all: spots.filter(({ station }) =>
                station === main.station || station.beside === main.station.name
            ),
        }
    ));
    const named = Object.fromEntries(spots.map(({ station }) => [station.name, station]));
    const says = stops.map(({ main }) => saidStop(main.station, named, i));
    const others = drawn.lit.words.length - 1;
    if (others) {
        says.push(
            `${
                others === 1
                    ? "The other row goes"
                    : `The other ${others} rows go`
            } the same way, all at once.`,
        );
    }
    return {
        count: says.length,
        says: (k) => says[k],
        lasts: (k) => (k === 0 || k === stops.length ? 2500 : 3500),
        enter: (layer, k) => enterStop(layer, drawn, stops, named, i, k),
        reached: () => null,
    };
}

// The row that a word has at a station; of a matrix with one row for all words, that one.
const ownRow = ({ matrix }, i) => (matrix.n > i ? i : 0);

// of which one pair is told, and of all others the first number
const TOLD = { scores: true, weights: true };

// The number of its row that is told of scores and of weights: the pair that gets the largest
// weight.
function tellingColumn({ matrix }, i) {
    return Array.from({ length: matrix.m }, (_, j) => j).reduce(
        (best, j) => (matrix.at(i, j) > matrix.at(i, best) ? j : best),
        0,
    );
}

// One sentence on what happens at a station.
function saidStop(station, named, i) {
    const { words, ids } = named.words;
    const { matrix } = station;
    const row = matrix && ownRow(station, i);
    const [, size] = station.shape.split(" × ");
    const numbers = matrix &&
        `${size} ${size === "1" ? "number" : "numbers, the first"} ${exact(matrix.at(row, 0))}`;
    const of = ({ matrix: other }) => `${exact(other.at(i, 0))} …`;
    const placed = station.over?.includes("P") ? ", and the row of its place in P is added" : "";
    const telling = () => {
        const best = tellingColumn(named.weights, i);
        return `${symbolOf(matrix)}[${isolated(words[i])}, ${isolated(words[best])}] = ${
            exact(matrix.at(i, best))
        }`;
    };
    const says = {
        words: () =>
            `“${isolated(words[i])}” is row ${i + 1} of every matrix; its id is ${ids[i]}.`,
        x: () => `Row ${ids[i]} of the table E is looked up${placed}: x, ${numbers}.`,
        q: () => (station.over === "= X"
            ? `Query, key and value are x itself: ${of(station)}`
            : "Three matrices make three vectors of " +
                `x: the query q = ${of(station)}, the key k = ${of(named.k)}, the value v = ${
                    of(named.v)
                }.`),
        scores: () =>
            `q meets the keys of all rows: ${
                matrix.m === 1 ? "1 score" : `${matrix.m} scores`
            }, ${telling()}.`,
        weights: () =>
            `${
                station.under
                    ? `${station.under}, then softmax`
                    : "Softmax"
            }: the scores become shares of 1, ${telling()}.`,
        context: () => `The value of every row times its weight, added up: z, ${numbers}.`,
        concat: () =>
            `The z of ${
                station.under.includes("heads") ? station.under : "all heads"
            } stand side by side: ${size} numbers.`,
        output:
            () => (station.over === "= Z"
                ? `z is the output y: ${numbers}.`
                : `W_o makes y of it: ${numbers}.`),
        encoded: () => `${station.under} of attention and feed-forward: ${numbers}.`,
        pooled: () => `The mean of all rows stands for the sentence: ${numbers}.`,
        logits: () => `W_c makes a number for each class: ${numbers}.`,
        probabilities: () => `The softmax makes shares of 1 of them: ${numbers}.`,
    };
    return says[station.name]();
}

function enterStop(layer, { plan }, stops, named, i, k) {
    const shownNow = stops[k]?.all ?? [];
    const veils = plan.spots.filter(({ station }) => station.matrix).map((spot) => {
        const { n, m } = spot.station.matrix;
        const own = ownRow(spot.station, i);
        const rows = [
            own,
            ...Array.from({ length: n }, (_, row) => row).filter((row) => row !== own),
        ];
        const stop = stops.findIndex(({ all }) => all.includes(spot));
        const place = { ...spot, matrix: spot.station.matrix, uh: plan.uh };
        // Where it is led back into the line, all words' rows are used.
        const used = stops.findIndex(({ main }) => main.station.name === spot.station.into);
        const whole = used >= 0 && used <= k;
        const column = place.matrix.name in TOLD ? tellingColumn(named.weights, i) : 0;
        return {
            veil: drawVeil(layer, place, { rows, start: () => 0 }),
            place,
            own,
            column,
            m,
            n,
            stop,
            whole,
        };
    });
    const ways = plan.wires.filter(({ to }) => shownNow.includes(to)).map((wire) =>
        drawTraveller(layer, wire)
    );
    bringIntoView(layer);
    const marks = node("g", {}, layer);
    let isMarked = null;
    return (t) => {
        const [come, made] = [within(0, t / 0.55, 1), within(0, (t - 0.5) / 0.35, 1)];
        ways.forEach((move) => move(come));
        for (const { veil, m, n, stop, whole } of veils) {
            const own = stop < k ? 1 : stop === k ? made : 0;
            veil(k === stops.length ? m + (n - 1) * m * t : whole ? n * m : own * m);
        }
        if (isMarked === made > 0) return;
        isMarked = made > 0;
        marks.replaceChildren();
        for (const each of veils) {
            if (each.stop < k || (each.stop === k && isMarked)) {
                markRow(marks, each, each.stop === k);
            }
        }
    };
}

// From top to bottom a machine is higher than a phone's screen: what moves is to be seen, and what
// it comes to below it. The page stays where both are in view.
function bringIntoView(layer) {
    if (layer.ownerSVGElement.getBoundingClientRect().height < innerHeight) return;
    const link = layer.querySelector(".ab-link-hot");
    const { top, bottom } = link?.getBoundingClientRect() ?? { top: innerHeight / 4, bottom: 0 };
    if (top > innerHeight * 0.15 && bottom < innerHeight / 2) return;
    link.scrollIntoView({ block: "center", behavior: lessMotion() ? "auto" : "smooth" });
}

// The word's row in its frame; where it has just been made, with the number that is told of it.
function markRow(marks, { place, own, column, m }, isNew) {
    outline(marks, place, own, own + 1, 0, m, "hot");
    if (!isNew) return;
    const x = place.matrix.name in TOLD ? place.x + (column + 0.5) * place.uw : place.cx;
    const at = {
        x,
        y: place.y + (own + 0.5) * place.uh + (own > 0 ? -1 : 1) * (place.uh / 2 + 9),
        class: "ab-flying",
    };
    node("text", at, marks, brief(place.matrix.at(own, column)));
}

// What runs along an arrow, and the line that it leaves.
function drawTraveller(layer, { points }) {
    const line = drawnAlong(layer, roundedPath(points));
    const way = layer.lastChild;
    const mote = node("circle", { r: 5, class: "ab-mote ab-traveller" }, layer);
    const long = way.getTotalLength();
    return (share) => {
        line(share);
        shown(mote, share < 1);
        const { x, y } = way.getPointAtLength(share * long);
        fill(mote, { cx: x, cy: y });
    };
}
