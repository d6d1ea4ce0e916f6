// Motion of the vocabulary: each word goes to its own entry, and its id comes back. A repeated word
// goes where it went before.

import { drawChip, drawLink, linkWay } from "../chips.js";
import { node } from "../dom.js";
import { isolated, textWidth } from "../text.js";
import { drawnAlong, shown, within } from "./moves.js";

// Words one by one, or of a long sentence the first two and the first that is repeated: [from, to],
// the last not among them.
export function wordStations(ids) {
    const repeat = ids.findIndex((id, t) => ids.indexOf(id) < t);
    const isAlone = (t) => ids.length <= 7 || t < 2 || t === repeat;
    const stations = [];
    ids.forEach((_, t) => {
        if (isAlone(t) || isAlone(t - 1)) stations.push([t, t + 1]);
        else stations.at(-1)[1] = t + 1;
    });
    return stations;
}

// What is common to words that fetch something one after the other: `says(t, first)` is a sentence
// on a word that stood before at `first`, or on a new one, where that is t; `enter(layer, t)` draws
// one word, and what came of those before it.
export function wordsMotion(ids, name, { says, saysOfMany, enter }) {
    const stations = wordStations(ids);
    return {
        count: stations.length,
        says: (k) => {
            const [from, to] = stations[k];
            return to - from > 1 ? saysOfMany(from, to) : says(from, ids.indexOf(ids[from]));
        },
        lasts: (k) => within(3000, 700 * (stations[k][1] - stations[k][0]), 9000),
        enter: (layer, k) => {
            const [from, to] = stations[k];
            let [at, moves] = [-1, null];
            return (t) => {
                const now = Math.min(from + Math.floor(t * (to - from)), to - 1);
                if (now !== at) {
                    layer.replaceChildren();
                    moves = enter(layer, now);
                    at = now;
                }
                moves(t * (to - from) - (now - from));
            };
        },
        reached: (k, t) => {
            const [from, to] = stations[k];
            if (to === ids.length && t === 1) return null;
            return {
                matrix: name,
                row: Math.min(from + Math.floor(t * (to - from)), to - 1),
                column: 0,
            };
        },
    };
}

export function vocabularyMotion({ data, layout }) {
    const { tokens, entries, ids } = data;
    return wordsMotion(ids, "tokens", {
        says: (
            t,
            first,
        ) => (first < t
            ? `“${isolated(tokens[t])}” once more, at position ${t + 1}: the id is ${
                ids[t]
            }, as at position ${first + 1}.`
            : `“${isolated(tokens[t])}”, at position ${t + 1}, stands at place ${
                ids[t]
            } of the sorted vocabulary, counted from 0: ` +
                "that is its id."),
        saysOfMany: (from, to) =>
            `Positions ${from + 1} to ${to} in the same way: ids ${
                ids.slice(from, to).join(", ")
            }.`,
        enter: (layer, t) => {
            const spots = (k) => [layout.spot(0, k), layout.spot(1, ids[k])];
            for (let k = 0; k < t; k++) {
                if (layout.single) drawLink(layer, ...spots(k), false);
            }
            for (let k = 0; k < t; k++) drawPill(layer, ids[k])(...pillSpot(layout.spot(0, k)));
            const [a, b] = spots(t);
            const line = layout.single ? drawnAlong(layer, linkWay(a, b)) : () => {};
            const frame = drawChip(layer, b, 1, "", entries[ids[t]]);
            frame.classList.add("ab-chip-hot");
            const chip = drawChip(layer, { x: 0, y: 0, w: a.w }, 0, "", tokens[t]);
            chip.classList.add("ab-chip-hot");
            const pill = drawPill(layer, ids[t]);
            return (share) => {
                const [there, back] = [
                    within(0, share / 0.65, 1),
                    within(0, (share - 0.7) / 0.3, 1),
                ];
                line(there);
                shown(frame, there === 1);
                shown(chip, there < 1);
                const [x, y] = alongLink(a, b, there);
                chip.setAttribute("transform", `translate(${x},${y})`);
                const [top, left] = [pillSpot(a), pillSpot(b)];
                pill(...top.map((to, k) => left[k] + (to - left[k]) * back), back > 0);
            };
        },
    });
}

// A point of the curve from one chip's middle to another's.
function alongLink(a, b, t) {
    const [u, y] = [1 - t, [a.y, a.y + 53, b.y - 53, b.y]];
    const weights = [u ** 3, 3 * u * u * t, 3 * u * t * t, t ** 3];
    return [
        a.x * (weights[0] + weights[1]) + b.x * (weights[2] + weights[3]),
        weights.reduce((sum, w, k) => sum + w * y[k], 0),
    ];
}

// An id in its frame. What comes back puts it somewhere.
export function drawPill(layer, id) {
    const text = `id ${id}`;
    const group = node("g", { class: "ab-pill" }, layer);
    const width = textWidth(text, 12, 600) + 12;
    node("rect", { x: -width / 2, y: -9, width, height: 18, rx: 9 }, group);
    node("text", { x: 0, y: 0.5 }, group, text);
    return (x, y, isShown = true) => {
        shown(group, isShown);
        group.setAttribute("transform", `translate(${x},${y})`);
    };
}

const pillSpot = ({ x, y }) => [x, y + 20]; // on a chip's lower edge
