// A matrix's numbers, as they were sent or, of a long one, the part that is shown: `cut` says which
// rows and columns of the whole a part has.

import { bytesOf, decode, decodeShares } from "./numbers.js";
/** @import { Matrix, Place, Packed } from "./types.d.ts" */

export const WINDOW = 48; // of a long axis, at a time

// What Python's `matrix` packed, its numbers within reach. `top` is the number that has the scale's
// last colour.
/** @param {Packed} matrix */
export function read(matrix) {
    if (matrix.cut) return readCut(matrix); // a part of it
    const values = matrix.shares ? decodeShares(matrix.values) : decode(matrix.values);
    const finite = values.reduce(
        (top, v) => (Number.isFinite(v) ? Math.max(top, Math.abs(v)) : top),
        0,
    );
    const marks = matrix.marks && bytesOf(matrix.marks);
    const isMarked = (i, j) => Boolean(marks && marks[i * matrix.m + j]);
    const held = matrix.held && decode(matrix.held);
    return {
        ...matrix,
        ...(held ? { before: (i, j) => held[i * matrix.m + j] } : {}),
        values,
        top: matrix.top || finite || 1,
        at: (i, j) => values[i * matrix.m + j],
        isMarked,
    };
}

/** @param {Pick<Matrix, "cut">} matrix @param {number} i */
export const rowInWhole = ({ cut }, i) => cut?.rows?.[i] ?? i;
/** @param {Pick<Matrix, "cut">} matrix @param {number} j */
export const columnInWhole = ({ cut }, j) => cut?.columns?.[j] ?? j;
/** @param {Place[]} places */
// −1 where it is not shown
export const placeAmong = (places, k) => (places ? places.indexOf(k) : k);

const decoded = new WeakMap(); // by what was sent

// The whole matrix, decoded once.
export function wholeOf(sent) {
    if (!decoded.has(sent)) decoded.set(sent, read(sent));
    return decoded.get(sent);
}

// What is shown of a matrix, as `read` makes it of a whole one.
/** @param {Packed} matrix @returns {Matrix} */
function readCut({ cut, of: sent, ...rest }) {
    const whole = wholeOf(sent);
    const rows = cut.rows ?? [...Array(whole.n).keys()],
        columns = cut.columns ?? [...Array(whole.m).keys()];
    const [n, m] = [rows.length, columns.length];
    const values = Float32Array.from(
        { length: n * m },
        (_, k) => whole.at(rows[Math.floor(k / m)], columns[k % m]),
    );
    const before = (places, edge) => places.filter((k) => k < edge).length;
    const frame = whole.frame && whole.frame.map((edge, k) => before(k < 2 ? rows : columns, edge));
    return {
        ...whole,
        ...rest,
        cut,
        of: sent,
        n,
        m,
        values,
        at: (i, j) => values[i * m + j],
        rows: rows.map((k) => whole.rows[k]),
        columns: columns.map((k) => whole.columns[k]),
        isMarked: (i, j) => whole.isMarked(rows[i], columns[j]),
        ...(whole.before ? { before: (i, j) => whole.before(rows[i], columns[j]) } : {}),
        frame: frame && frame[0] < frame[1] && frame[2] < frame[3] ? frame : null,
        blocks: (whole.blocks ?? []).map((edge) => before(columns, edge)).filter((edge) =>
            edge > 0 && edge < m
        ),
    };
}

// Which rows and columns these are: “, d_model 49 to 96”.
export function saidPart({ cut, long }) {
    const said = (places, k) =>
        places &&
        `, ${long[k]} ${
            places.length === WINDOW
                ? `${places[0] + 1} to ${places.at(-1) + 1}`
                : `in ${places.length} places`
        }`;
    return cut ? [cut.rows, cut.columns].map(said).filter(Boolean).join("") : "";
}

// The cell with this place in the whole, where it is shown.
export function seenCell(places, { name, i, j }) {
    const place = places.find(({ matrix }) => matrix.name === name);
    if (!place) return null;
    const [row, column] = [
        placeAmong(place.matrix.cut?.rows, i),
        placeAmong(place.matrix.cut?.columns, j),
    ];
    return row >= 0 && column >= 0 && row < place.matrix.n && column < place.matrix.m
        ? { place, i: row, j: column }
        : null;
}
