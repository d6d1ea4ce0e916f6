// Motion of a product: a row and a column meet term by term, the terms fall into a running sum, the
// sum lands in its cell. The chosen cell goes first and slowly; then the next one, then the rest of
// its row, then all other rows.

import { colourOf } from "../colours.js";
import { node } from "../dom.js";
import { inFull, nameOf, outline } from "../matrix.js";
import { decode, exact } from "../numbers.js";
import { drawProducts, drawSum, lightProduct, termsMiddle } from "../product_cell.js";
import { columnInWhole } from "../read.js";
import { isolated, textWidth } from "../text.js";
import { drawVeil, shown, within } from "./moves.js";
import { enterTurn, saidTurn, TURN, turnsOver } from "./turn.js";
/** @import { Station } from "../types.d.ts" */

// where each begins, in a cell's own time from 0 to 1
const PHASES = { meet: 0, multiply: 0.15, add: 0.5, land: 0.85 };
const CELLS_ONE_BY_ONE = 400; // more than that are filled in by rows

// `drawn` is what the view made: { data, matrices, places, layout, colours }.
export function productMotion(drawn, { chosen, way }) {
    const order = productOrder(drawn, chosen);
    /** @type {Station[]} */
    const stations = way === "row by row" ? rowStations(order) : cellStations(order);
    if (turnsOver(drawn)) stations.unshift(TURN);
    const says = stations.map((station) => saidStation(drawn, order, station));
    const { clickable, name } = drawn.matrices[2];
    return {
        count: stations.length,
        says: (k) => says[k],
        lasts: (k) => stations[k].lasts,
        enter: (layer, k) => entering(stations[k])(layer, drawn, order, stations[k]),
        reached: (k, t) => {
            const { index, from, to, phase } = stations[k];
            if (phase === "turn") return null;
            const at = index ?? Math.min(from + Math.floor(t * (to - from)), to - 1);
            // the whole matrix is there: no cell is the last one
            if (!clickable || (at === order.total - 1 && t === 1)) return null;
            const [row, column] = order.cell(at);
            return { matrix: name, row, column };
        },
    };
}

/** @type {(station: Station) => Function} */
const entering = (
    { phase, index },
) => (phase === "turn" ? enterTurn : index === undefined ? enterFill : enterCell);

// In which order the result's cells are reached: `cell` says which row and column the cell at a
// place of that order has.
function productOrder({ data, matrices: [, , { n, m }] }, [i, j]) {
    const others = Array.from({ length: n }, (_, row) => row).filter((row) => row !== i);
    const rows = data.only === "row" ? [i] : [i, ...others];
    // the first row begins at the chosen cell, and goes around
    const start = (rank) => (rank ? 0 : j);
    const cell = (at) => {
        const rank = Math.floor(at / m);
        return [rows[rank], (start(rank) + at) % m];
    };
    return { rows, m, total: rows.length * m, start, cell };
}

function cellStations({ m, total, rows }) {
    const bounds = [...Object.values(PHASES), 1];
    /** @type {Station[]} */
    const stations = Object.keys(PHASES).map((phase, k) => ({
        phase,
        index: 0,
        from: bounds[k],
        to: bounds[k + 1],
        lasts: { meet: 1600, land: 1500 }[phase] ?? 4000,
    }));
    if (total > 1) stations.push({ phase: "next", index: 1, from: 0, to: 1, lasts: 3000 });
    if (m > 2) stations.push({ phase: "row", from: 2, to: m, lasts: within(2000, 400 * m, 5000) });
    const done = Math.max(m, 2);
    if (total > done) {
        stations.push({
            phase: "all",
            from: done,
            to: total,
            lasts: within(2500, 900 * rows.length, 9000),
        });
    }
    return stations;
}

function rowStations({ m, total, rows }) {
    const stations = [{ phase: "first row", from: 0, to: m, lasts: within(2500, 700 * m, 8000) }];
    if (rows.length > 1) {
        stations.push({
            phase: "next row",
            from: m,
            to: 2 * m,
            lasts: within(2000, 300 * m, 4000),
        });
    }
    if (rows.length > 2) {
        stations.push({
            phase: "all",
            from: 2 * m,
            to: total,
            lasts: within(2500, 900 * rows.length, 9000),
        });
    }
    return stations;
}

// ---------- in words ----------

/** @param {any} drawn @param {any} order @param {Station} station */
function saidStation(
    { data, matrices: [left, right, result] },
    { cell, m, rows },
    { phase, index, from },
) {
    const [i, j] = cell(index ?? from);
    const inner = left.m;
    const number = inFull(result, i, j);
    const called = (label, axis) => (axis === "words" ? `“${isolated(label)}”` : label);
    const row = `row ${called(left.rows[i], data.axes[0])} of ${left.title}`;
    const one = `${inFull(left, i, 0)} × ${inFull(right, 0, j)} = ${
        exact(Math.fround(left.at(i, 0) * right.at(0, j)))
    }`;
    const terms = inner === 1 ? "1 term" : `${inner} terms`;
    const bias = data.bias ? ", and the bias is added" : "";
    return {
        turn: saidTurn(right),
        meet: `For ${nameOf(result, i, j)}, ${row} meets column ${
            called(right.columns[j], data.axes[2])
        } of ${right.title}.`,
        multiply: inner === 1
            ? `Their only numbers are multiplied: ${one}.`
            : `The first number is multiplied with the first, the second with the second, and so on: ${terms}, the first ${one}.`,
        add: inner === 1
            ? `The one term is the sum${bias}: ${number}.`
            : `The ${terms} are added up one after the other${bias}: ${number}.`,
        land: `The sum is one number of the result: ${nameOf(result, i, j)} = ${number}.`,
        next: `The next cell in the same way: ${nameOf(result, i, j)} = ${number}.`,
        row: `So the row fills${
            result.cut ? ", as far as it is shown" : ""
        }: ${m} sums of ${terms} each.`,
        "first row": `One row: ${row} meets each column of ${right.title} ${
            result.cut ? "that is shown " : ""
        }in turn: ${m} ${m === 1 ? "sum" : "sums"} of ${terms}.`,
        "next row": `The next row in the same way: ${row}.`,
        all: `So every other row fills: ${rows.length} × ${m} sums of ${terms} each are ${
            result.cut ? "what is shown of the matrix" : "the matrix"
        }.`,
    }[phase];
}

// ---------- one cell ----------

function enterCell(layer, drawn, order, { index, from, to }) {
    const { data, matrices: [left, right, result], places, layout } = drawn;
    const [i, j] = order.cell(index);
    const veil = drawVeil(layer, places[0], order);
    const group = node("g", {}, layer);
    lightProduct(group, places, { place: places[0], i, j });
    const motes = drawMotes(layer, drawn, i, j);
    const terms = drawTermsToCome(layer, drawn, i, j);
    const sum = node("g", {}, layer);
    const number = exact(result.at(i, j));
    const landing = flyingNumber(layer, number, drawn, i, j);
    const partial = [0];
    for (let p = 0; p < left.m; p++) partial.push(partial[p] + left.at(i, p) * right.at(p, j));
    const saySum = (count) => {
        sum.replaceChildren();
        if (count === left.m) {
            drawSum(
                sum,
                layout,
                number,
                data.bias && exact(decode(data.bias)[columnInWhole(result, j)]),
            );
        } else if (count) drawRunning(sum, layout, count, exact(partial[count]));
    };
    return (t) => {
        const u = from + (to - from) * t;
        const share = (begin, end) => within(0, (u - begin) / (end - begin), 1);
        const [multiplied, added] = [
            share(PHASES.multiply, PHASES.add),
            share(PHASES.add, PHASES.land),
        ];
        motes(multiplied);
        terms(multiplied, added);
        saySum(Math.floor(added * left.m));
        landing(share(PHASES.land, 1));
        veil(u >= 1 ? index + 1 : index);
    };
}

function drawRunning(sum, { corner, y0, innerHeight, inner }, count, number) {
    node(
        "text",
        { x: corner - 8, y: y0 + inner * innerHeight + 14, class: "ab-sum" },
        sum,
        `sum of ${count} ${count === 1 ? "term" : "terms"} = ${number}`,
    );
}

// The two numbers that are multiplied, in their cells' colours: each leaves its cell, which is
// framed, for the line of their term.
function drawMotes(
    layer,
    { matrices: [left, right], places: [, onLeft, onRight], layout, colours },
    i,
    j,
) {
    const frames = node("g", {}, layer);
    const motes = [onLeft, onRight].map(({ uw, uh }) => {
        const [width, height] = [within(5, uw, 24), within(5, uh, 14)];
        return node("rect", {
            width,
            height,
            x: -width / 2,
            y: -height / 2,
            rx: 2,
            class: "ab-mote",
        }, layer);
    });
    const middle = termsMiddle(layout);
    return (share) => {
        const p = Math.min(Math.floor(share * left.m), left.m - 1);
        const way = share * left.m - p;
        const y = layout.y0 + (p + 0.5) * layout.innerHeight;
        const starts = [[onLeft.x + (p + 0.5) * onLeft.uw, onLeft.y + (i + 0.5) * onLeft.uh], [
            onRight.x + (j + 0.5) * onRight.uw,
            y,
        ]];
        frames.replaceChildren();
        if (share > 0 && share < 1) {
            outline(frames, onLeft, i, i + 1, p, p + 1, "chosen");
            outline(frames, onRight, p, p + 1, j, j + 1, "chosen");
        }
        const values = [
            colourOf(left.at(i, p), left, colours),
            colourOf(right.at(p, j), right, colours),
        ];
        motes.forEach((mote, k) => {
            shown(mote, share > 0 && share < 1);
            mote.setAttribute("fill", `rgb(${values[k]})`);
            const [x0, y0] = starts[k];
            mote.setAttribute(
                "transform",
                `translate(${x0 + (middle - x0) * way},${y0 + (y - y0) * way})`,
            );
        });
    };
}

// The cell's terms as they always stand in the corner: first they come one by one, then each falls
// onto the sum's line.
function drawTermsToCome(layer, { matrices, layout, colours }, i, j) {
    const group = node("g", {}, layer);
    drawProducts(group, layout, matrices, i, j, colours);
    const [, ...made] = group.children; // behind the axis
    const inner = matrices[0].m;
    const parts = made.length / inner; // a bar, and a text where there is room
    const foot = layout.y0 + inner * layout.innerHeight + 10;
    return (multiplied, added) => {
        const come = Math.floor(multiplied * inner);
        made.forEach((element, k) => {
            const p = Math.floor(k / parts);
            shown(element, p < come);
            const fallen = within(0, added * inner - p, 1);
            const isFalling = fallen > 0 && fallen < 1 && k % parts === 0;
            element.setAttribute("opacity", fallen === 1 && added < 1 ? 0.3 : 1);
            const y = layout.y0 + (p + 0.5) * layout.innerHeight;
            if (isFalling) element.setAttribute("transform", `translate(0,${(foot - y) * fallen})`);
            else element.removeAttribute("transform");
        });
    };
}

// The sum on its way from the corner into its cell.
function flyingNumber(layer, text, { places: [onResult], layout }, i, j) {
    const number = node("text", { class: "ab-flying" }, layer, text);
    const from = [
        layout.corner - 8 - textWidth(text, 13, 700) / 2,
        layout.y0 + layout.inner * layout.innerHeight + 14,
    ];
    const to = [onResult.x + (j + 0.5) * onResult.uw, onResult.y + (i + 0.5) * onResult.uh];
    return (share) => {
        shown(number, share > 0 && share < 1);
        const [x, y] = from.map((start, k) => start + (to[k] - start) * share);
        number.setAttribute("x", x);
        number.setAttribute("y", y);
    };
}

// ---------- many cells ----------

// Cell after cell, each with its terms; where there are too many, row after row without.
function enterFill(layer, drawn, order, { from, to }) {
    const { matrices, places, layout, colours, data } = drawn;
    const byRow = to - from > CELLS_ONE_BY_ONE;
    const veil = drawVeil(layer, places[0], order);
    const group = node("g", {}, layer);
    let last = -1;
    return (t) => {
        let count = from + Math.floor((to - from) * t); // of cells that are there
        if (byRow) count -= count % order.m;
        if (count === last) return;
        last = count;
        veil(count);
        group.replaceChildren();
        const [i, j] = order.cell(Math.max(count - 1, from));
        if (byRow) return void lightRows(group, places, i);
        lightProduct(group, places, { place: places[0], i, j });
        drawProducts(group, layout, matrices, i, j, colours);
        drawSum(
            group,
            layout,
            exact(matrices[2].at(i, j)),
            data.bias && exact(decode(data.bias)[columnInWhole(matrices[2], j)]),
        );
    };
}

function lightRows(group, [onResult, onLeft, onRight], i) {
    for (const place of [onResult, onLeft]) {
        outline(group, place, i, i + 1, 0, place.matrix.m, "hot");
    }
    outline(group, onRight, 0, onRight.matrix.n, 0, onRight.matrix.m, "hot");
}
