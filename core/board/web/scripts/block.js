// Script of a block: the word’s row passes through the stages.

import { exact } from "../numbers.js";
import { goes, lights, oneRow, rowBox, uncovers } from "../primitives.js";
import { columnInWhole } from "../decode.js";
import { capital, plus } from "./matrices.js";
/** @import { Script } from "../types.d.ts" */

// `places` are the stages from top to bottom, each as long as the word’s row; a stage may be
// computed `from` the last of the stages `inside` it.
/** @returns {Script} */
export function blockScript(places, [, chosen]) {
    const column = Math.min(chosen, places[0].matrix.m - 1);
    const stations = places.map((place, at) => {
        const sources = sourcesOf(places, at), when = { over: [0, 0.7], leaves: true };
        return {
            says: saidStage(places, at, column),
            lasts: sources.length > 1 ? 3200 : 2400,
            steps: [
                ...sources.map((source) => {
                    const width = source.matrix.m * source.uw;
                    const to = { ...rowBox(place, 0), width };
                    return goes(oneRow(source.matrix, 0), rowBox(source, 0), to, when);
                }),
                ...(place.inside ?? []).map(({ matrix: { m } }, k) =>
                    uncovers(0, m, { of: places.length + k, over: [0, 0.3] })
                ),
                uncovers(0, place.matrix.m, { of: at, over: [0.69, 0.7] }),
                lights(place, [[0, 1, column, column + 1]], "chosen", { over: [0.7, 1] }),
            ],
        };
    });
    const all = [...places, ...places.flatMap(({ inside = [] }) => inside)];
    return { stations, covers: all.map((place) => ({ place })) };
}

// On the residual stream, the stage after a branch is the sum of the stream and the branch.
const isSum = (places, at) =>
    at > 0 && !places[at].matrix.branch && Boolean(places[at - 1].matrix.branch);

function sourcesOf(places, at) {
    if (at === 0) return [];
    if (!isSum(places, at)) return [places[at].from ?? places[at - 1]];
    return [places.slice(0, at).findLast((place) => !place.matrix.branch), places[at - 1]];
}

function saidStage(places, at, column) {
    const { matrix } = places[at];
    const [from, added] = sourcesOf(places, at).map((place) => place.matrix);
    const name = (other) => other.title.split(" = ")[0], value = (other) => other.at(0, column);
    const here = `in column ${columnInWhole(matrix, column) + 1},`, number = exact(value(matrix));
    if (at === 0) return `The word’s row X comes in: ${here} ${number}.`;
    if (isSum(places, at)) {
        return `${name(added)} comes back and is added to the stream: ` +
            `${here} ${plus(value(from), value(added))} = ${number}.`;
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
        `${capital(here)} ${exact(value(from))} becomes ${number}.`;
}
