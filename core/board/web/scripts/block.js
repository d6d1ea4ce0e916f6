// Script of a block: the word’s row passes through the stages.

import { equate, writeExact } from "../numbers.js";
import { drawOneRow, getRowBox, highlight, moveRow, uncoverCells } from "../primitives.js";
import { findColumnInWhole } from "../decode.js";
import { capitalize, writePlus } from "./matrices.js";
/** @import { Script } from "../types.d.ts" */

// `places` are the stages from top to bottom, each as long as the word’s row; a stage may be
// computed `from` the last of the stages `inside` it.
/** @returns {Script} */
export function blockScript(places, [, chosen]) {
    const column = Math.min(chosen, places[0].matrix.m - 1);
    const stations = places.map((place, at) => {
        const sources = listSources(places, at), when = { over: [0, 0.7], leaves: true };
        return {
            says: describeStage(places, at, column),
            lasts: sources.length > 1 ? 3200 : 2400,
            steps: [
                ...sources.map((source) => {
                    const width = source.matrix.m * source.uw;
                    const to = { ...getRowBox(place, 0), width };
                    return moveRow(drawOneRow(source.matrix, 0), getRowBox(source, 0), to, when);
                }),
                ...(place.inside ?? []).map(({ matrix: { m } }, k) =>
                    uncoverCells(0, m, { of: places.length + k, over: [0, 0.3] })
                ),
                uncoverCells(0, place.matrix.m, { of: at, over: [0.69, 0.7] }),
                highlight(place, [[0, 1, column, column + 1]], "chosen", { over: [0.7, 1] }),
            ],
        };
    });
    const all = [...places, ...places.flatMap(({ inside = [] }) => inside)];
    return { stations, covers: all.map((place) => ({ place })) };
}

// On the residual stream, the stage after a branch is the sum of the stream and the branch.
const isSum = (places, at) =>
    at > 0 && !places[at].matrix.branch && Boolean(places[at - 1].matrix.branch);

function listSources(places, at) {
    if (at === 0) return [];
    if (!isSum(places, at)) return [places[at].from ?? places[at - 1]];
    return [places.slice(0, at).findLast((place) => !place.matrix.branch), places[at - 1]];
}

function describeStage(places, at, column) {
    const { matrix } = places[at];
    const [from, added] = listSources(places, at).map((place) => place.matrix);
    const name = (other) => other.title.split(" = ")[0], value = (other) => other.at(0, column);
    const here = `in column ${findColumnInWhole(matrix, column) + 1},`,
        number = writeExact(value(matrix));
    if (at === 0) return `The word’s row X comes in: ${here} ${number}.`;
    if (isSum(places, at)) {
        return `${name(added)} comes back and is added to the stream: ` +
            `${here} ${writePlus(value(from), value(added))} ${equate(number)}.`;
    }
    const branches = matrix.branch && !matrix.onward
        ? "A copy leaves the stream, which runs on as it is. "
        : "";
    if (matrix.name === "output") {
        return `${branches}Attention makes Y of it, from what the word finds in the others: ` +
            `${here} ${number}.`;
    }
    if (matrix.name === "ffn_out") {
        return `${branches}W_1 makes hidden units of it, and W_2 makes F of those: ${here} ${number}.`;
    }
    return `${branches}${branches ? "The copy" : name(from)} is normed: ${matrix.note}. ` +
        `${capitalize(here)} ${writeExact(value(from))} becomes ${number}.`;
}
