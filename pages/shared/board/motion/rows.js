// Motion of rows that add up: one after the other comes down to the sum's place, and what stands
// there is the sum so far. Where the rows are made with W_o, each with rows of it that are its own,
// these light up below.

import { colourOf } from "../colours.js";
import { node } from "../dom.js";
import { drawCells, outline, picture } from "../matrix.js";
import { exact } from "../numbers.js";
import { shown, within } from "./moves.js";
/** @import { Matrix, Colours } from "../types.d.ts" */

const BANDS = { above: 16, high: 66, below: 22 }; // W_o, in the drawing's measure
export const BANDS_ROOM = BANDS.above + BANDS.high + BANDS.below;

// `places` are the rows, and below them their sum, a matrix of one row.
export function rowsMotion(drawn, { chosen: [, column] }) {
    const [{ matrix: parts }] = drawn.places;
    const sums = [Array(parts.m).fill(0)];
    for (let i = 0; i < parts.n; i++) {
        sums.push(sums[i].map((before, j) => before + parts.at(i, j)));
    }
    const stations = [{ phase: "first", from: 0, to: 1, lasts: 2500 }];
    if (parts.n > 1) stations.push({ phase: "next", from: 1, to: 2, lasts: 3000 });
    if (parts.n > 2) {
        stations.push({
            phase: "rest",
            from: 2,
            to: parts.n,
            lasts: within(2000, 1300 * (parts.n - 2), 9000),
        });
    }
    const said = saidRows(drawn, sums, column);
    return {
        count: stations.length,
        room: drawn.data.plays?.each ? BANDS_ROOM : 0,
        says: (k) => said[stations[k].phase],
        lasts: (k) => stations[k].lasts,
        enter: (layer, k) => enterRows(layer, drawn, sums, column, stations[k]),
        reached: () => null,
    };
}

// Which rows of W_o, a matrix of `heads` times `each` rows, are a head's own; none for the bias.
const ownRows = (
    { heads, each },
    i,
) => (i < heads ? each === 1 ? `row ${i + 1}` : `rows ${i * each + 1} to ${(i + 1) * each}` : null);

function saidRows({ data: { plays }, places: [{ matrix: parts }, { matrix: sum }] }, sums, j) {
    const own = (i) => plays?.each && ownRows(plays, i);
    const label = (i) => `“${parts.rows[i]}”${own(i) ? `, made with ${own(i)} of W_o,` : ""}`;
    const inColumn = `in column ${sum.columns[j]},`;
    const whole = `the sum is ${sum.title}, ${inColumn} ${exact(sum.at(0, j))}`;
    const others = parts.n - 2;
    return {
        first: `The row ${label(0)} comes to the place of the sum: ${
            parts.n === 1 ? whole : `${inColumn} ${exact(parts.at(0, j))}`
        }.`,
        next: parts.n > 1 && `${label(1)} is added to it, number by number: ` +
                `${inColumn} ${plus(parts.at(0, j), parts.at(1, j))} = ${exact(sums[2][j])}.` +
                (parts.n === 2 ? ` T${whole.slice(1)}.` : ""),
        rest: `So ${others === 1 ? "is the last row" : `are the other ${others} rows`}; ${whole}.`,
    };
}

export const plus = (a, b) => `${exact(a)} ${b < 0 ? "−" : "+"} ${exact(Math.abs(b))}`;

function enterRows(
    layer,
    { data: { plays }, places: [onParts, onSum], colours },
    sums,
    column,
    { from, to },
) {
    const { matrix: parts } = onParts;
    const bands = plays?.each ? drawBands(layer, onSum, plays) : () => {};
    const soFar = node("g", {}, layer);
    const copies = Array.from(
        { length: to - from },
        (_, k) => drawFallingRow(layer, onParts, onSum, from + k, colours),
    );
    let written = -1;
    return (t) => {
        const reached = from + (to - from) * t;
        copies.forEach((move, k) => move(within(0, (reached - from - k) / 0.85, 1)));
        bands(Math.min(Math.floor(reached), to - 1));
        const count = Math.floor(reached + 0.15);
        if (count === written) return;
        written = count;
        soFar.replaceChildren();
        if (count < parts.n) drawSoFar(soFar, onSum, sums[count], count, colours);
        outline(soFar, onSum, 0, 1, column, column + 1, "chosen");
    };
}

// W_o as a band of rows for each head; that of the row on its way is lit, and said.
function drawBands(layer, { x, y, uw, uh, matrix: { m } }, plays) {
    const { heads, each } = plays;
    const [top, high, width] = [y + uh + BANDS.above, BANDS.high / heads, m * uw];
    const group = node("g", {}, layer);
    const bands = Array.from(
        { length: heads },
        (_, head) =>
            node("rect", { x, y: top + head * high, width, height: high, class: "ab-band" }, group),
    );
    node("rect", { x, y: top, width, height: BANDS.high, class: "ab-frame ab-output" }, group);
    node(
        "text",
        { x: x - 6, y: top + BANDS.high / 2, class: "ab-label", "text-anchor": "end" },
        group,
        "W_o",
    );
    const said = node("text", { x, y: top + BANDS.high + 12, class: "ab-label" }, group);
    return (lit) => {
        bands.forEach((band, head) =>
            band.setAttribute("fill-opacity", head === lit ? 0.7 : head < lit ? 0.15 : 0)
        );
        said.textContent = ownRows(plays, lit) ? `${ownRows(plays, lit)} of ${heads * each}` : "";
    };
}

// In the sum's place: nothing yet, or as many rows as there are.
function drawSoFar(group, { matrix, x, y, uw, uh }, values, count, colours) {
    const box = { x, y, width: matrix.m * uw, height: uh };
    node("rect", { ...box, class: "ab-veil" }, group);
    if (count) {
        drawCells(
            group,
            {
                ...matrix,
                values,
                at: (_, j) => values[j],
                marks: null,
                frame: null,
            },
            x,
            y,
            uw,
            uh,
            colours,
        );
    } else node("rect", { ...box, class: `ab-frame ab-${matrix.role}` }, group);
}

// A row in its colours, as one picture; `box` says where.
/** @param {Matrix} matrix @param {Colours} colours */
export function drawRowPicture(parent, matrix, i, box, colours) {
    const cells = Array.from(
        { length: matrix.m },
        (_, j) => colourOf(matrix.at(i, j), matrix, colours),
    );
    const href = picture({ n: 1, m: matrix.m }, cells).toDataURL();
    return node("image", { ...box, href, preserveAspectRatio: "none", class: "ab-cells" }, parent);
}

// One row in its colours, on its way down. It is gone where it arrives: the sum has it.
function drawFallingRow(layer, { matrix, x, y, uw, uh }, onSum, i, colours) {
    const box = { x, width: matrix.m * uw, height: uh };
    const group = node("g", {}, layer);
    drawRowPicture(group, matrix, i, box, colours);
    node("rect", { ...box, class: "ab-chosen" }, group);
    return (share) => {
        shown(group, share > 0 && share < 1);
        for (const part of group.children) {
            part.setAttribute("y", y + i * uh + (onSum.y - y - i * uh) * share);
        }
    };
}
