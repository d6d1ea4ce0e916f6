// Motion of the stack: the followed word's row goes up into a layer, the layer's heads look, the
// word's own row first, and the row that the layer hands on comes out above it. Layer after layer.

import { node } from "../dom.js";
import { percentOf } from "../numbers.js";
import { drawStrip, handedOn, STRIP } from "../strip.js";
import { isolated } from "../text.js";
import { drawVeil, shown, within } from "./moves.js";

const CLIMB = { into: 0.3, looks: 0.75 }; // until when the row goes in, and the heads look

// `places` are the maps, the lowest layer's first; `rows` what the layers take and hand on, one
// more than there are layers.
export function towerMotion({ data, places, layout, colours, rows }) {
    const [i, head] = [data.chosen[0], data.main % data.across];
    const said = (layer) => {
        const { matrix } = places[layer * data.across + head];
        const shares = Array.from({ length: matrix.m }, (_, j) => matrix.at(i, j));
        const most = Math.max(...shares);
        const [word, other] = [matrix.rows[i], matrix.columns[shares.indexOf(most)]].map(isolated);
        const looks = most > 0
            ? `gives most, ${percentOf(most)}, to “${other}”`
            : "may look nowhere";
        return `The row of “${word}” in ${handedOn(layer)} goes into layer ${layer + 1}. In head ${
            head + 1
        } it ${looks}. ` +
            `Out comes its row in ${handedOn(layer + 1)}.`;
    };
    return {
        count: layout.count,
        says: said,
        lasts: () => 4000,
        enter: (layer, k) => enterLayer(layer, { data, places, layout, colours, rows }, i, k),
        reached: () => null,
    };
}

// What is still to come is covered.
function enterLayer(parent, { data: { across }, places, layout, colours, rows }, i, k) {
    const order = (
        n,
    ) => [i, ...Array.from({ length: n }, (_, row) => row).filter((row) => row !== i)];
    const veils = places.slice(k * across).map((place) =>
        drawVeil(parent, place, { rows: order(place.matrix.n), start: () => 0 })
    );
    const now = veils.splice(0, across);
    for (const veil of veils) veil(0);
    const { cx, wide } = layout.strip;
    rows.forEach((_, layer) => {
        if (layer <= k) return;
        node("rect", {
            x: cx - wide / 2 - 2,
            y: layout.handedAt(layer) - STRIP / 2 - 2,
            width: wide + 4,
            height: STRIP + 4,
            class: "ab-cover",
        }, parent);
    });
    const box = layout.boxAt(k);
    node("rect", {
        x: 1,
        y: box.y,
        width: layout.box - 2,
        height: layout.tall,
        rx: 8,
        class: "ab-chosen",
    }, parent);
    const [goesIn, comesOut] = [k, k + 1].map((layer) =>
        drawStrip(parent, rows[layer], { ...layout.strip, y: 0 }, colours)
    );
    const moveTo = (strip, y) => strip.setAttribute("transform", `translate(0,${y})`);
    const { m, n } = places[k * across].matrix;
    return (t) => {
        const [into, looks, out] = [
            t / CLIMB.into,
            (t - CLIMB.into) / (CLIMB.looks - CLIMB.into),
            (t - CLIMB.looks) / (1 - CLIMB.looks),
        ]
            .map((share) => within(0, share, 1));
        moveTo(goesIn, layout.handedAt(k) + (box.middle - layout.handedAt(k)) * into);
        shown(goesIn, looks < 1);
        for (const veil of now) veil(looks * n * m);
        moveTo(comesOut, box.middle + (layout.handedAt(k + 1) - box.middle) * out);
        shown(comesOut, looks === 1);
    };
}
