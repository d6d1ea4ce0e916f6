// A script describes an animation as data: a list of stations, each with a sentence, a duration and
// steps, and the cells that stay covered until they are computed. A step names a primitive and its
// arguments. It lasts as long as its station, or the part of it in `over`, and disappears when the
// station ends, unless it
//   stays    that many stations longer
//   leaves   as soon as it has ended

import { drawText, node } from "./dom.js";
import { drawCells, drawOutline } from "./matrix.js";
import { drawProducts } from "./product_cell.js";
import { fitText, textWidth } from "./text.js";
/** @import { Script, Step, Cover, Place, Box, Matrix } from "./types.d.ts" */

/** Draws a script over a drawing; returns a function that shows moment t in [0, 1] of a station. */
/** @param {SVGElement} layer @param {Pick<Script, "stations" | "covers">} script */
export function drawScript(layer, { stations, covers = [] }, colours) {
    const veils = covers.map((cover) => drawCover(layer, cover));
    const acts = stations.flatMap(({ steps }, station) =>
        steps.filter(({ does }) => does !== "uncover").map((step) => (
            { step, station, group: node("g", {}, layer), moves: null }
        ))
    );
    return (k, t) => {
        veils.forEach((veil, at) => veil(listUncovered(stations, at, k, t)));
        for (const act of acts) {
            const moment = getMoment(act.step, act.station, k, t);
            if (moment !== null) {
                act.moves ??= PRIMITIVES[act.step.does](act.group, act.step, colours);
                act.moves(moment);
            } else if (act.moves) {
                act.group.replaceChildren();
                act.moves = null;
            }
        }
    };
}

/** The progress of a step of `station` at moment t of station k; null if it is not visible. */
/** @param {Step} step */
export function getMoment({ over: [from, to] = [0, 1], stays = 0, leaves }, station, k, t) {
    if (k !== station) return k > station && k - station <= stays ? 1 : null;
    if (t < from || (leaves && t >= to)) return null;
    return clamp(0, (t - from) / (to - from), 1);
}

/** How many cells of a cover are uncovered at moment t of station k. */
/** @param {Script["stations"]} stations */
export function listUncovered(stations, cover, k, t) {
    let cells = 0;
    stations.slice(0, k + 1).forEach(({ steps }, station) => {
        for (const step of steps) {
            if (step.does !== "uncover" || (step.of ?? 0) !== cover) continue;
            const moment = getMoment({ ...step, stays: Infinity }, station, k, t);
            if (moment !== null) cells = Math.floor(interpolate(...step.cells, moment) + 1e-9);
        }
    });
    return cells;
}

// ---------- for writing scripts ----------

export const clamp = (least, value, most) => Math.min(Math.max(value, least), most);
export const easeInOut = (t) => t * t * (3 - 2 * t);
export const interpolate = (from, to, t) => from + (to - from) * t;
export const listRange = (count, from = 0) => Array.from({ length: count }, (_, k) => from + k);

// Steps: a primitive, its arguments, and when.
export const highlight = (place, cells, kind = "hot", when = {}) => (
    { does: "light", place, cells, kind, ...when }
);
export const flyText = (text, from, to, over) => ({
    does: "fly",
    text,
    from,
    to,
    over,
    leaves: true,
});
export const moveRow = (row, from, to, when = {}) => ({ does: "move", row, from, to, ...when });
export const typeTexts = (texts, at, when = {}) => ({ does: "type", texts, at, ...when });
export const uncoverCells = (from, to, when = {}) => ({
    does: "uncover",
    cells: [from, to],
    ...when,
});

// The k-th of `count` equal parts of a span.
export const getPart = (k, count, [from, to] = [0, 1]) => [
    interpolate(from, to, k / count),
    interpolate(from, to, (k + 1) / count),
];

// The indices of at most `most` of `count` items, evenly spaced.
export const pickEvenly = (count, most = 12) => {
    const step = Math.ceil(count / most);
    return listRange(Math.ceil(count / step)).map((k) => k * step);
};

/** @param {Place} place */
export const getMiddle = ({ x, y, uw, uh }, i, j) => [x + (j + 0.5) * uw, y + (i + 0.5) * uh];

/** @param {Place} place @returns {Box} */
export const getRowBox = ({ matrix: { m }, x, y, uw, uh }, i) => (
    { x, y: y + i * uh, width: m * uw, height: uh }
);

// One row of a matrix as a matrix of its own, with other `values` if given.
/** @param {Matrix} matrix @returns {Matrix} */
export function drawOneRow(matrix, i, values = listRange(matrix.m).map((j) => matrix.at(i, j))) {
    const plain = { marks: null, frame: null, before: undefined, cut: undefined, dim: 0 };
    const row = { n: 1, rows: [matrix.rows[i]], values: Float32Array.from(values) };
    return { ...matrix, ...plain, ...row, at: (_, j) => values[j] };
}

// All row indices, `first` first.
export const listRowsFrom = (first, n) => [first, ...listRange(n).filter((row) => row !== first)];

// ---------- the primitives ----------

const pickAt = (list, t) => Math.min(Math.floor(t * list.length + 1e-9), list.length - 1);

// Calls `draw` only when the step reaches another item of `list`.
function drawWhenChanged(group, list, draw) {
    let last = -1;
    return (t) => {
        const at = pickAt(list, t);
        if (at === last) return;
        last = at;
        group.replaceChildren();
        draw(list[at], at);
    };
}

// Each primitive draws into its own group and returns a function that shows moment t in [0, 1].
const PRIMITIVES = {
    // A frame around cells, [rows from, to, columns from, to]; around several ranges in turn.
    light(group, { place, cells, kind = "hot" }) {
        return drawWhenChanged(
            group,
            cells,
            ([i0, i1, j0, j1]) => drawOutline(group, place, i0, i1, j0, j1, kind),
        );
    },

    // A number or word that moves between two points.
    fly(group, { text, from, to, kind = "flying" }) {
        const flying = node("text", { class: `ab-${kind}` }, group, text);
        return (t) => {
            const [x, y] = from.map((start, k) => interpolate(start, to[k], easeInOut(t)));
            flying.setAttribute("x", x);
            flying.setAttribute("y", y);
        };
    },

    // A row of cells with its numbers that moves between two boxes.
    move(group, { row, from, to, kind = "chosen" }, colours) {
        const cells = drawCells(group, row, to.x, to.y, to.width / row.m, to.height, colours);
        drawOutline(cells.group, cells, 0, 1, 0, row.m, kind);
        return (t) => {
            const [x, y, width, height] = ["x", "y", "width", "height"].map((side) =>
                interpolate(from[side], to[side], easeInOut(t))
            );
            const scale = `scale(${width / to.width} ${height / to.height})`;
            group.setAttribute(
                "transform",
                `translate(${x} ${y}) ${scale} translate(${-to.x} ${-to.y})`,
            );
        };
    },

    // Bars that move and resize, one after the other or together.
    boxes(group, { from, to, fills, together }) {
        const bars = to.map((_, k) => node("rect", { class: "ab-piece", fill: fills[k] }, group));
        return (t) =>
            bars.forEach((bar, k) => {
                const share = easeInOut(together ? t : clamp(0, t * bars.length - k, 1));
                for (const side of ["x", "y", "width", "height"]) {
                    bar.setAttribute(side, interpolate(from[k][side], to[k][side], share));
                }
            });
    },

    // A line that is drawn progressively.
    line(group, { way, kind = "link-hot", leads }) {
        const path = node("path", { d: way, class: `ab-${kind}`, pathLength: 1 }, group);
        const dot = leads && node("circle", { r: 5, class: "ab-traveller" }, group);
        const long = leads && path.getTotalLength();
        path.setAttribute("stroke-dasharray", 1);
        return (t) => {
            path.setAttribute("stroke-dashoffset", 1 - easeInOut(t));
            if (!dot) return;
            const { x, y } = path.getPointAtLength(easeInOut(t) * long);
            dot.setAttribute("cx", x);
            dot.setAttribute("cy", y);
        };
    },

    // Texts shown at one place in turn, such as a growing sum.
    type(group, { texts, at: [x, y], kind = "label", anchor, width }) {
        return drawWhenChanged(group, texts, (text) => {
            const typed = drawText(group, text, x, y, `ab-${kind}`);
            if (anchor) typed.setAttribute("text-anchor", anchor);
            if (width) fitText(typed, textWidth(text, "small", 600), width);
        });
    },

    // A row of partial sums.
    sum(group, { place: { matrix, x, y, uw, uh }, sums, row = 0 }, colours) {
        return drawWhenChanged(
            group,
            sums,
            (values) => drawCells(group, drawOneRow(matrix, row, values), x, y, uw, uh, colours),
        );
    },

    // The terms of a cell in the free corner, one by one; for several cells, all terms of each.
    terms(group, { layout, matrices, cells }, colours) {
        const inner = matrices[0].m;
        const moments = cells.length > 1
            ? cells.map((cell) => [...cell, inner])
            : listRange(inner + 1).map((count) => [...cells[0], count]);
        const draw = drawWhenChanged(group, moments, ([i, j, count]) => {
            drawProducts(group, layout, matrices, i, j, colours);
            const [, ...made] = group.children; // the first child is the axis
            for (const each of made.slice(count * made.length / inner)) each.remove();
        });
        // one moment more than terms: at the first there are none
        return (t) => draw(cells.length > 1 ? t : t * inner / (inner + 1));
    },

    // Numbers that change gradually; `put` shows them.
    count(_group, { from, to, put }) {
        return (t) => put(from.map((start, k) => interpolate(start, to[k], easeInOut(t))));
    },

    // Cells that fade in or out.
    fade(group, { place: { matrix, x, y, uw, uh }, from = 0, to = 1 }, colours) {
        drawCells(group, matrix, x, y, uw, uh, colours);
        return (t) => group.setAttribute("opacity", interpolate(from, to, easeInOut(t)));
    },
};

// Covers the cells that are not computed yet, row by row in the order of `rows`; the first row
// starts at column `start` and wraps around. `behind`: the width of the row sums, covered too while
// their row is incomplete.
/** @param {SVGElement} layer @param {Cover} cover */
function drawCover(layer, { place, rows = listRange(place.matrix.n), start = 0, behind = 0 }) {
    const { matrix: { n, m, role }, x, y, uw, uh } = place;
    const veil = node("path", { class: "ab-veil" }, layer);
    node("rect", { x, y, width: m * uw, height: n * uh, class: `ab-frame ab-${role}` }, layer);
    const over = (
        row,
        left,
        width,
    ) => (width ? `M${left} ${y + row * uh}h${width}v${uh}h${-width}z` : "");
    return (reached) => {
        const ways = rows.map((row, rank) => {
            const done = clamp(0, reached - rank * m, m);
            const first = ((rank ? 0 : start) + done) % m;
            // the part before the row's end; the rest is at its beginning
            const before = Math.min(m - done, m - first);
            return over(row, x + first * uw, before * uw) + over(row, x, (m - done - before) * uw) +
                over(row, x + m * uw + 2, done < m ? behind : 0);
        });
        veil.setAttribute("d", ways.join(""));
    };
}
