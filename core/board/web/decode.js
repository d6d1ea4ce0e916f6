// Decodes matrices. Of a long matrix only a part is sent; `cut` lists its rows and columns in the
// whole.

import { decode, decodeBytes, decodeShares } from "./numbers.js";
/** @import { Matrix, Place, Packed } from "./types.d.ts" */

const findLarger = (top, v) => Math.max(top, Math.abs(v));

// A matrix packed by Python's `matrix`, decoded. `top` has the scale's last colour: the number
// sent, else the largest finite absolute value, or 1 if that is 0. Edits change no scale: all other
// cells would change their colours, as if they were edited too.
/** @param {Packed} matrix */
export function decodeMatrix(matrix) {
    const sent = matrix.shares ? decodeShares(matrix.values) : decode(matrix.values);
    const values = matrix.triangle ? fillTriangle(sent, matrix.m) : sent;
    const marks = matrix.marks && decodeBytes(matrix.marks);
    const unedited = matrix.unedited ? decode(matrix.unedited) : values;
    const finite = unedited.filter(Number.isFinite), largest = finite.reduce(findLarger, 0);
    const isMarked = (i, j) => Boolean(marks && marks[i * matrix.m + j]);
    const held = matrix.held && decode(matrix.held);
    return {
        ...matrix,
        columns: matrix.columns ?? matrix.rows,
        ...(held ? { before: (i, j) => held[i * matrix.m + j] } : {}),
        values,
        top: matrix.top || largest || 1,
        at: (i, j) => values[i * matrix.m + j],
        beforeEdits: (i, j) => unedited[i * matrix.m + j],
        isMarked,
    };
}

// The rows of a square with 0 above its diagonal, of which only the rest is sent.
export function fillTriangle(values, m) {
    let next = 0;
    return Float32Array.from(
        { length: m * m },
        (_, k) => (k % m <= Math.floor(k / m) ? values[next++] : 0),
    );
}

/** @param {Pick<Matrix, "cut">} matrix @param {number} i */
export const findRowInWhole = ({ cut }, i) => cut?.rows?.[i] ?? i;
/** @param {Pick<Matrix, "cut">} matrix @param {number} j */
export const findColumnInWhole = ({ cut }, j) => cut?.columns?.[j] ?? j;
// −1 where it is not shown
const findPlace = (places, k) => (places ? places.indexOf(k) : k);

// The place of this cell of the whole matrix, if it is shown.
export function findSeenCell(places, { name, i, j }) {
    const place = places.find(({ matrix }) => matrix.name === name);
    if (!place) return null;
    const [row, column] = [
        findPlace(place.matrix.cut?.rows, i),
        findPlace(place.matrix.cut?.columns, j),
    ];
    return row >= 0 && column >= 0 && row < place.matrix.n && column < place.matrix.m
        ? { place, i: row, j: column }
        : null;
}
