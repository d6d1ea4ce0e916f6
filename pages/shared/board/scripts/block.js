// Script of a block: the word’s row goes from stage to stage.

import { decode, exact } from "../numbers.js";
import { oneRow, rowBox } from "../primitives.js";
import { columnInWhole } from "../read.js";
import { capital, plus } from "./matrices.js";
/** @import { Script } from "../types.d.ts" */

// `places` are the stages from above, each as long as the word’s row; one may be made `from` the last
// of those that stand `inside` it. `data.hidden` holds the hidden units, `data.activation` says what made them.
/** @returns {Script} */
export function blockScript({ data, places }, [, chosen]) {
    const column = Math.min(chosen, places[0].matrix.m - 1);
    const stations = places.map((place, at) => {
        const sources = sourcesOf(places, at), box = rowBox(place, 0);
        return {
            says: saidStage(data, places, at, column),
            lasts: sources.length > 1 ? 3200 : 2400,
            steps: [
                ...sources.map((source) => ({
                    does: "move",
                    row: oneRow(source.matrix, 0),
                    from: rowBox(source, 0),
                    to: { ...box, width: source.matrix.m * source.uw },
                    over: [0, 0.7],
                    leaves: true,
                })),
                ...(place.inside ?? []).map(({ matrix }, k) => (
                    { does: "uncover", of: places.length + k, cells: [0, matrix.m], over: [0, 0.3] }
                )),
                { does: "uncover", of: at, cells: [0, place.matrix.m], over: [0.69, 0.7] },
                {
                    does: "light",
                    place,
                    cells: [[0, 1, column, column + 1]],
                    kind: "chosen",
                    over: [0.7, 1],
                },
            ],
        };
    });
    const all = [...places, ...places.flatMap(({ inside = [] }) => inside)];
    return { stations, covers: all.map((place) => ({ place })) };
}

// On the stream, what follows a branch is a sum, of the stream and the branch.
const isSum = (places, at) =>
    at > 0 && !places[at].matrix.branch && Boolean(places[at - 1].matrix.branch);

function sourcesOf(places, at) {
    if (at === 0) return [];
    if (!isSum(places, at)) return [places[at].from ?? places[at - 1]];
    return [places.slice(0, at).findLast((place) => !place.matrix.branch), places[at - 1]];
}

function saidStage(data, places, at, column) {
    const { matrix } = places[at],
        [from, added] = sourcesOf(places, at).map((place) => place.matrix);
    const name = (other) => other.title.split(" = ")[0],
        value = (other) => exact(other.at(0, column));
    const here = `in column ${columnInWhole(matrix, column) + 1},`;
    if (at === 0) return `The word’s row X comes in: ${here} ${value(matrix)}.`;
    if (isSum(places, at)) {
        return `${name(added)} comes back and is added to the stream: ` +
            `${here} ${plus(from.at(0, column), added.at(0, column))} = ${value(matrix)}.`;
    }
    const branches = matrix.branch && !matrix.onward
        ? "A copy leaves the stream, which runs on as it is. "
        : "";
    if (matrix.name === "output") {
        return `${branches}Attention makes Y of it, from what the word finds in the others: ` +
            `${here} ${value(matrix)}.`;
    }
    if (matrix.name === "ffn_out") {
        const hidden = decode(data.hidden), firing = hidden.filter((unit) => unit > 0).length;
        const units = hidden.length === 1 ? "1 hidden unit" : `${hidden.length} hidden units`;
        return `${branches}W_1 makes ${units} of it; after ${data.activation}, ${firing} ${
            firing === 1 ? "is" : "are"
        } above 0. W_2 makes F of them: ${here} ${value(matrix)}.`;
    }
    return `${branches}${branches ? "The copy" : name(from)} is normed: ${matrix.note}. ` +
        `${capital(here)} ${value(from)} becomes ${value(matrix)}.`;
}
