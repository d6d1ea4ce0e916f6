// The labels of a matrix: words beside its rows and over its columns, or a dimension's numbers.

import { drawText, node } from "./dom.js";
import { fitText, measureWidest, textWidth } from "./text.js";
/** @import { Matrix } from "./types.d.ts" */

/** @param {Pick<Matrix, "rows" | "cut">} matrix */
export function drawRowLabels(svg, matrix, x, y, uh, room) {
    if (uh < 11) {
        drawTicks(
            svg,
            matrix.rows,
            (k) => [x - 6, y + (k - 0.5) * uh],
            "end",
            Boolean(matrix.cut?.rows),
        );
        return;
    }
    matrix.rows.forEach((label, i) => {
        const place = {
            x: x - 6,
            y: y + (i + 0.5) * uh,
            class: "ab-label",
            "text-anchor": "end",
            "data-row": i,
        };
        fitText(node("text", place, svg, label), textWidth(label), room);
    });
}

// Whether column labels are turned: words that do not fit are; numbers become ticks instead.
export const turnsLabels = (matrix, uw) =>
    measureWidest(matrix.columns) + 4 > uw && uw >= 15 &&
    !matrix.columns.every((label) => /^\d+$/.test(label));

/** @param {Pick<Matrix, "columns" | "cut">} matrix */
export function drawColumnLabels(svg, matrix, x, y, uw) {
    const turned = turnsLabels(matrix, uw);
    if (!turned && measureWidest(matrix.columns) + 4 > uw) {
        drawTicks(
            svg,
            matrix.columns,
            (k) => [x + (k - 0.5) * uw, y - 9],
            "middle",
            Boolean(matrix.cut?.columns),
        );
        return;
    }
    matrix.columns.forEach((label, j) => {
        const middle = x + (j + 0.5) * uw;
        const place = turned
            ? { transform: `translate(${middle + 3},${y - 5}) rotate(-50)`, "text-anchor": "start" }
            : { x: middle, y: y - 9, "text-anchor": "middle" };
        node("text", { ...place, class: "ab-label", "data-column": j }, svg, label);
    });
}

/** @param {Matrix} matrix */
export const columnLabelHeight = (
    matrix,
    uw,
) => (turnsLabels(matrix, uw) ? Math.ceil(measureWidest(matrix.columns) * 0.77) + 12 : 18);

// How far turned labels extend beyond the right edge of their matrix.
/** @param {Matrix} matrix */
export function measureOverhang(matrix, uw) {
    if (matrix.hideColumns || !turnsLabels(matrix, uw)) return 0;
    return Math.max(
        ...matrix.columns.map((label, j) =>
            (j + 0.5 - matrix.m) * uw + 3 + textWidth(label) * 0.65 + 6
        ),
    );
}

// Whether number k (from 1) of many is printed: the first, every eighth (sixteenth, …), the last.
export const hasTick = (k, count, every = 8) =>
    k === 1 || k === count || (k % every === 0 && count - k >= 0.6 * every);

export function drawTicks(svg, labels, place, anchor, isPart) {
    // labels that are no numbers are counted
    const count = labels.length, numbered = isPart || labels.every((label) => /^\d+$/.test(label));
    const [[x1, y1], [x2, y2]] = [place(1), place(2)];
    const every = 8 *
        Math.ceil((anchor === "middle" ? 27 : 12) / (8 * Math.hypot(x2 - x1, y2 - y1)));
    for (let k = 1; k <= count; k++) {
        if (!hasTick(k, count, every)) continue;
        const [x, y] = place(k);
        drawText(svg, numbered ? labels[k - 1] : k, x, y, "ab-tick", { "text-anchor": anchor });
    }
}
