// Script of the softmax: a row of scores minus its largest, exponentiated, each a bar; the bars are
// laid end to end and divided by their total length: each piece is a weight. The exponentials are
// computed here, in double precision.

import { getColour } from "../colours.js";
import { writeBrief, writeEqual, writeExact } from "../numbers.js";
import {
    clamp,
    flyText,
    getMiddle,
    getPart,
    highlight,
    typeTexts,
    uncoverCells,
} from "../primitives.js";
import { isolate } from "../text.js";
/** @import { Script } from "../types.d.ts" */

const BARS = { room: 150, tallest: 90, lying: 22, foot: 112 }; // below the matrices; of 1

// `drawn` is the view: matrices of one row; a lecture's beat may omit the first or the last.
/** @returns {Script} */
export function softmaxScript({ places, colours, width }) {
    const stage = (name) => places.find(({ matrix }) => matrix.name === name);
    const [shifted, powered, shares] = ["shifted", "exp", "weights"].map(stage);
    const scored = places[places.indexOf(shifted ?? powered) - 1];
    const values = Array.from((scored ?? powered).matrix.values), largest = Math.max(...values);
    const powers = scored ? values.map((value) => Math.exp(value - largest)) : values;
    if (powers.some(Number.isNaN)) {
        return {
            why: "Some of these scores are larger than the machine’s numbers: there are no shares.",
        };
    }
    const count = powers.length, best = powers.indexOf(Math.max(...powers));
    const before = powers.map((_, j) => powers.slice(0, j).reduce((all, power) => all + power, 0));
    const sum = before.at(-1) + powers.at(-1), { x, uw } = powered;
    const long = Math.max(count * uw, Math.min(260, width - x - 12)); // the final total length
    const foot = Math.max(...places.map((place) => place.y + place.uh)) + BARS.foot;
    const unit = Math.min(BARS.tallest, long / sum), narrow = clamp(3, uw * 0.6, 22);
    const stood = (high) => (j) => (
        { x: x + (j + 0.5) * uw - narrow / 2, y: foot - high(j), width: narrow, height: high(j) }
    );
    const laid = (of) => (j) => (
        { x: x + before[j] * of, y: foot - BARS.lying, width: powers[j] * of, height: BARS.lying }
    );
    const fills = (place, of) =>
        powers.map((power) => `rgb(${getColour(power / of, place.matrix, colours)})`);
    const every = powers.map((_, j) => j);
    const boxes = (from, to, colour) => (
        { does: "boxes", from: every.map(from), to: every.map(to), fills: colour }
    );
    const standing = stood((j) => powers[j] * unit);
    const axis = { does: "line", way: `M${x} ${foot}h${long}`, kind: "axis" };
    const below = (texts, when = {}) => typeTexts(texts, [x, foot + 20], when);
    const of = [shifted, powered, shares].filter(Boolean), peak = values.indexOf(largest);
    const made = (place, over = [0, 1]) => uncoverCells(0, count, { of: of.indexOf(place), over });
    const said = describeSoftmax(scored, powered, values, largest, powers, sum, best);
    /** @type {Script["stations"]} */
    const stations = [];
    if (scored) {
        const light = highlight(scored, [[0, 1, peak, peak + 1]], "chosen");
        const grow = boxes(stood(() => 0), standing, fills(powered, 1));
        stations.push(
            { says: said.shift, lasts: 2800, steps: [light, ...(shifted ? [made(shifted)] : [])] },
            { says: said.raise, lasts: 3500, steps: [axis, grow, made(powered)] },
        );
    }
    if (shares) {
        const lengths = [...before.slice(1), sum].map((all) => `length ${writeExact(all)}`);
        const divide = boxes(laid(unit), laid(long / sum), fills(shares, sum));
        const flights = powers.map((power, j) => {
            const from = [x + (before[j] + power / 2) / sum * long, foot - BARS.lying / 2];
            const over = getPart(j, count, [0.4, 1]);
            return flyText(writeBrief(power / sum), from, getMiddle(shares, 0, j), over);
        });
        stations.push({
            says: said.sum,
            lasts: clamp(2500, 600 * count, 7000),
            steps: [
                axis,
                ...(scored ? [] : [made(powered, [0, 0.001])]),
                boxes(standing, laid(unit), fills(powered, 1)),
                below(lengths),
            ],
        }, {
            says: said.divide,
            lasts: clamp(4000, 1000 * count, 9000),
            steps: [
                axis,
                { ...divide, together: true, over: [0, 0.35] },
                below(["length 1.0000"], { over: [0.35, 1] }),
                ...flights,
                made(shares, [0.4, 1]),
            ],
        });
    }
    const covers = of.map((place) => ({
        place,
        behind: place.matrix.sums ? width - x - count * uw - 2 : 0,
    }));
    return { stations, covers, room: BARS.room };
}

function describeSoftmax(
    scored,
    { matrix: { columns, rows } },
    values,
    largest,
    powers,
    sum,
    best,
) {
    const word = `“${isolate(columns[best])}”`, power = writeExact(powers[best]);
    const masked = values.filter((value) => value === -Infinity).length;
    const those = masked === 1 ? "that score becomes" : `those ${masked} scores become`;
    const [becomes, laid] = powers.length === 1
        ? ["it becomes 0", "The one bar lies down: it is"]
        : [
            "the largest becomes 0, and none is above it",
            `The ${powers.length} bars are laid end to end: together`,
        ];
    return {
        shift:
            `The row’s largest ${scored?.matrix.title.split(",")[0]}, ${
                writeExact(largest)
            } of ${word}, ` +
            `is subtracted from each: ${becomes}.`,
        raise: `e is raised to each. The length of a bar is what comes out: ${power} for ${word}.` +
            (masked ? ` Where the mask put −∞, e^−∞ is 0: ${those} nothing.` : ""),
        sum: `${laid} ${writeExact(sum)}, the row’s sum.`,
        divide: `All is divided by this sum, so the whole is 1 long. The piece of ${word} is ` +
            `${power} / ${writeExact(sum)} ${writeEqual(powers[best] / sum)}. ` +
            `The pieces are the weights of “${isolate(rows[0])}”, the row of α.`,
    };
}
