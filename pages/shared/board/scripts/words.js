// Script of the vocabulary: each word goes to its own entry, and its id comes back.

import { linkWay } from "../chips.js";
import { inTurn } from "../primitives.js";
import { isolated } from "../text.js";
import { oneByOne } from "./matrices.js";
/** @import { Script } from "../types.d.ts" */

/** @param {any} data @returns {Script} */
export function vocabularyScript({ tokens, ids }, layout) {
    const again = ids.findIndex((id, t) => ids.indexOf(id) < t);
    const says = {
        first:
            `“${isolated(tokens[0])}” stands at place ${
                ids[0]
            } of the sorted vocabulary, counted ` +
            "from 0: that is its id.",
        rest: `Every other word in the same way: ids ${ids.slice(1).join(", ")}.` +
            (again < 0
                ? ""
                : ` “${isolated(tokens[again])}” has the id that it has at position ${
                    ids.indexOf(ids[again]) + 1
                }.`),
    };
    const steps = (t, over) => {
        const [a, b] = [layout.spot(0, t), layout.spot(1, ids[t])];
        const goes = { over: inTurn(0, 2, over), leaves: true };
        const comes = { over: inTurn(1, 2, over), stays: 1 };
        return [
            ...(layout.single
                ? [{
                    does: "line",
                    way: linkWay(a, b),
                    kind: "link",
                    ...goes,
                    stays: 1,
                    leaves: false,
                }]
                : []),
            { does: "fly", text: isolated(tokens[t]), from: [a.x, a.y], to: [b.x, b.y], ...goes },
            {
                does: "light",
                place: { x: b.x - b.w / 2, y: b.y - 17, uw: b.w, uh: 34 },
                cells: [[0, 1, 0, 1]],
                kind: "chosen",
                ...comes,
                stays: 0,
                leaves: over[1] < 1,
            },
            {
                does: "fly",
                text: `id ${ids[t]}`,
                from: [b.x, b.y + 22],
                to: [a.x, a.y + 24],
                ...comes,
            },
        ];
    };
    return { stations: oneByOne(ids.length, says, steps) };
}
