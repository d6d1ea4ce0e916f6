// Script of a machine: the chosen word goes from the words to the result. At each stop what the
// arrows bring becomes its row, with its number; where words meet, the rows of all others come in
// too. Then every other word goes the same way.

import { symbolOf } from "../matrix.js";
import { brief, exact } from "../numbers.js";
import { range, rowsFrom } from "../primitives.js";
import { isolated } from "../text.js";
import { roundedPath } from "../wires.js";
/** @import { Script } from "../types.d.ts" */

// Spots that stand beside one another are one stop. `words` are those of the sentence.
/** @returns {Script} */
export function machineScript({ spots, wires, uh }, words, [i]) {
    const stops = spots.filter(({ station }) => !station.beside).map(({ station }) =>
        spots.filter((spot) => spot.station === station || spot.station.beside === station.name)
    );
    const named = Object.fromEntries(spots.map(({ station }) => [station.name, station]));
    const made = spots.filter(({ station }) => station.matrix);
    const places = made.map((spot) => ({ ...spot, matrix: spot.station.matrix, uh }));
    const own = ({ matrix }) => (matrix.n > i ? i : 0); // a matrix may have one row for all words
    const stations = stops.map((stop, k) => ({
        says: saidStop(stop[0].station, named, i),
        lasts: k ? 3200 : 2500,
        steps: [
            ...wires.filter(({ to }) => stop.includes(to)).map(({ points }) => (
                { does: "line", way: roundedPath(points), leads: true, over: [0, 0.55] }
            )),
            ...places.flatMap((place, of) => {
                const { n, m } = place.matrix, row = own(place);
                // where it is led back into the line, all words’ rows are used
                if (place.station.into === stop[0].station.name) {
                    return [{ does: "uncover", of, cells: [m, n * m], over: [0, 0.5] }];
                }
                if (!stop.includes(made[of])) return [];
                const column = tellingColumn(place.station, named, i);
                return [
                    { does: "uncover", of, cells: [0, m], over: [0.5, 0.85] },
                    {
                        does: "light",
                        place,
                        cells: [[row, row + 1, 0, m]],
                        over: [0.5, 1],
                        stays: Infinity,
                    },
                    {
                        does: "type",
                        texts: [brief(place.matrix.at(row, column))],
                        at: [
                            column ? place.x + (column + 0.5) * place.uw : place.cx,
                            place.y + (row + 0.5) * uh + (row > 0 ? -1 : 1) * (uh / 2 + 9),
                        ],
                        kind: "flying",
                        over: [0.85, 1],
                    },
                ];
            }),
        ],
    }));
    const others = words.length - 1;
    if (others) {
        const go = others === 1 ? "The other row goes" : `The other ${others} rows go`;
        stations.push({
            says: `${go} the same way, all at once.`,
            lasts: 2500,
            steps: places.map(({ matrix: { n, m }, station }, of) => (
                { does: "uncover", of, cells: [station.into ? n * m : m, n * m] }
            )),
        });
    }
    const covers = places.map((place) => ({ place, rows: rowsFrom(own(place), place.matrix.n) }));
    return { stations, covers };
}

// Of scores and of weights the pair is told that gets the largest weight; of all others the first
// number.
function tellingColumn({ matrix }, named, i) {
    if (matrix.name !== "scores" && matrix.name !== "weights") return 0;
    const weights = named.weights.matrix, row = range(weights.m).map((j) => weights.at(i, j));
    return row.indexOf(Math.max(...row));
}

// One sentence on what happens at a station.
function saidStop(station, named, i) {
    const { words, ids } = named.words, { matrix, over, under } = station;
    const size = station.shape.split(" × ")[1], row = matrix && (matrix.n > i ? i : 0);
    const numbers = matrix &&
        `${size} ${size === "1" ? "number" : "numbers, the first"} ${exact(matrix.at(row, 0))}`;
    const of = ({ matrix: other }) => `${exact(other.at(i, 0))} …`;
    const pair = () => {
        const best = tellingColumn(station, named, i);
        return `${symbolOf(matrix)}[${isolated(words[i])}, ${isolated(words[best])}] = ${
            exact(matrix.at(i, best))
        }`;
    };
    const says = {
        words: () =>
            `“${isolated(words[i])}” is row ${i + 1} of every matrix; its id is ${ids[i]}.`,
        x: () =>
            `Row ${ids[i]} of the table E is looked up${
                over?.includes("P") ? ", and the row of its place in P is added" : ""
            }: x, ${numbers}.`,
        q: () =>
            over === "= X"
                ? `Query, key and value are x itself: ${of(station)}`
                : `Three matrices make three vectors of x: the query q = ${
                    of(station)
                }, the key k = ${of(named.k)}, the value v = ${of(named.v)}.`,
        scores: () =>
            `q meets the keys of all rows: ${
                matrix.m === 1 ? "1 score" : `${matrix.m} scores`
            }, ${pair()}.`,
        weights: () =>
            `${
                under
                    ? `${under}, then softmax`
                    : "Softmax"
            }: the scores become shares of 1, ${pair()}.`,
        context: () => `The value of every row times its weight, added up: z, ${numbers}.`,
        concat: () =>
            `The z of ${
                under.includes("heads") ? under : "all heads"
            } stand side by side: ${size} numbers.`,
        output: () =>
            over === "= Z" ? `z is the output y: ${numbers}.` : `W_o makes y of it: ${numbers}.`,
        encoded: () => `${under} of attention and feed-forward: ${numbers}.`,
        pooled: () => `The mean of all rows stands for the sentence: ${numbers}.`,
        logits: () => `W_c makes a number for each class: ${numbers}.`,
        probabilities: () => `The softmax makes shares of 1 of them: ${numbers}.`,
    };
    return says[station.name]();
}
