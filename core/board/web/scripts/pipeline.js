// Script of the machine: the chosen word's row is computed stop by stop, from the words to the
// result; where words interact, the rows of all other words enter too. Then all other rows are
// computed.

import { writeBrief, writeExact } from "../numbers.js";
import { highlight, listRange, listRowsFrom, typeTexts, uncoverCells } from "../primitives.js";
import { isolate } from "../text.js";
import { drawRoundedPath } from "../arrows.js";
/** @import { Script } from "../types.d.ts" */

// Spots beside each other are one stop. `words` are the words of the sentence.
/** @returns {Script} */
export function machineScript({ spots, wires, uh }, { words, ids }, [i]) {
    const own = ({ matrix }) => (matrix.n > i ? i : 0); // a matrix may have one row for all words
    const places = spots.filter(({ station }) => station.matrix).map((spot) => (
        { ...spot, spot, matrix: spot.station.matrix, uh, row: own(spot.station) }
    ));
    const stops = spots.filter(({ station }) => !station.beside).map(({ station }) =>
        spots.filter((spot) => spot.station === station || spot.station.beside === station.name)
    );
    const stations = stops.map((stop) => ({
        says: stop[0].station.words
            ? `“${isolate(words[i])}” has row ${i + 1}; its id is ${ids[i]}.`
            : `${stop[0].station.matrix.n < words.length ? "The sentence’s" : "Its"} row of ${
                stop.map(({ station }) => describeRow(station, words, own(station))).join("; of ")
            }.`,
        lasts: 3200,
        steps: [
            ...wires.filter(({ to }) => stop.includes(to)).map(({ points }) => (
                { does: "line", way: drawRoundedPath(points), leads: true, over: [0, 0.55] }
            )),
            ...places.flatMap((place, of) => listArriving(place, of, stop, uh)),
        ],
    }));
    if (words.length > 1) {
        stations.push({
            says: "Every other row goes the same way, all at once.",
            lasts: 2500,
            steps: places.map(({ matrix: { n, m }, station }, of) =>
                uncoverCells(station.into ? n * m : m, n * m, { of })
            ),
        });
    }
    const covers = places.map((place) => ({
        place,
        rows: listRowsFrom(place.row, place.matrix.n),
    }));
    return { stations, covers };
}

// What a stop uncovers at a place: its row; where a branch rejoins the line, its other rows too.
function listArriving(place, of, stop, uh) {
    const { matrix: { n, m }, row, spot, station } = place;
    if (station.into === stop[0].station.name) {
        return [uncoverCells(m, n * m, { of, over: [0, 0.5] })];
    }
    if (!stop.includes(spot)) return [];
    const column = findToldColumn(station, row),
        at = column ? place.x + (column + 0.5) * place.uw : place.cx;
    const beside = place.y + (row + 0.5) * uh + (row > 0 ? -1 : 1) * (uh / 2 + 9);
    const told = writeBrief(place.matrix.at(row, column));
    return [
        uncoverCells(0, m, { of, over: [0.5, 0.85] }),
        highlight(place, [[row, row + 1, 0, m]], "hot", { over: [0.5, 1], stays: Infinity }),
        typeTexts([told], [at, beside], { kind: "flying", over: [0.85, 1] }),
    ];
}

// The column whose number is shown: of scores and weights the largest, else the first.
function findToldColumn({ matrix }, row) {
    if (matrix.name !== "scores" && matrix.name !== "weights") return 0;
    const values = listRange(matrix.m).map((j) => matrix.at(row, j));
    return values.indexOf(Math.max(...values));
}

function describeRow(station, words, row) {
    const { title, matrix: { name, m }, matrix, over, under } = station;
    const column = findToldColumn(station, row), how = [over, under].filter(Boolean).join(", ");
    const isPair = name === "scores" || name === "weights";
    const which = isPair ? `for “${isolate(words[column])}”` : "the first";
    return `${title}${how && ` (${how})`}: ${m === 1 ? "" : `${m} numbers, ${which} `}${
        writeExact(matrix.at(row, column))
    }`;
}
