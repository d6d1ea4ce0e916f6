// Motion of a lookup: each word's id goes to that row of the table, and the row comes to the word's
// place. `places` are the table and the rows looked up.

import { colourOf } from "../colours.js";
import { node } from "../dom.js";
import { outline, picture } from "../matrix.js";
import { isolated, textWidth } from "../text.js";
import { drawnAlong, drawVeil, shown, within } from "./moves.js";
import { drawPill, wordsMotion } from "./vocabulary.js";

export function lookupMotion(
    { data: { plays: { ids } }, places: [onTable, onRows], colours, width },
) {
    const [table, rows] = [onTable.matrix, onRows.matrix];
    const word = (t) => `“${isolated(rows.rows[t])}”`;
    return wordsMotion(ids, rows.name, {
        says: (
            t,
            first,
        ) => (first < t
            ? `${word(t)} has id ${ids[t]}, as position ${
                first + 1
            }: the same row of the table, so rows ${first + 1} and ${t + 1} are ` +
                "equal."
            : `${word(t)} has id ${ids[t]}: row ${
                ids[t]
            } of the table, counted from 0, is copied to the sentence’s row ${t + 1}.`),
        saysOfMany: (from, to) =>
            `Rows ${from + 1} to ${to} in the same way: the table’s rows ${
                ids.slice(from, to).join(", ")
            }.`,
        enter: (layer, t) => {
            const veil = drawVeil(layer, onRows, {
                rows: rows.rows.map((_, k) => k),
                start: () => 0,
            });
            for (let k = 0; k < t; k++) {
                node(
                    "path",
                    { d: lookupWay(onTable, onRows, ids[k], k, width), class: "ab-link" },
                    layer,
                );
            }
            const line = drawnAlong(layer, lookupWay(onTable, onRows, ids[t], t, width));
            const taken = node("g", {}, layer);
            outline(taken, onTable, ids[t], ids[t] + 1, 0, table.m, "chosen");
            const copy = drawRowCopy(layer, onTable, onRows, ids[t], t, colours);
            const pill = drawPill(layer, ids[t]);
            const [from, to] = [labelSpot(onRows, t), labelSpot(onTable, ids[t])];
            return (share) => {
                const [asks, comes] = [
                    within(0, share / 0.35, 1),
                    within(0, (share - 0.45) / 0.5, 1),
                ];
                pill(
                    ...from.map((start, k) => start + (to[k] - start) * asks),
                    share > 0 && asks < 1,
                );
                shown(taken, asks === 1);
                line(comes);
                copy(comes);
                veil((comes === 1 ? t + 1 : t) * rows.m);
            };
        },
    });
}

const middleOfRow = ({ y, uh }, row) => y + (row + 0.5) * uh;
const labelSpot = (
    place,
    row,
) => [place.x - 6 - textWidth(place.matrix.rows[row]) / 2, middleOfRow(place, row)];

// The line from a row of the table to a row of the sentence: between them where they stand side by
// side, else around at the right.
function lookupWay(onTable, onRows, from, to, width) {
    const right = onTable.x + onTable.matrix.m * onTable.uw + 3;
    const [y0, y1] = [middleOfRow(onTable, from), middleOfRow(onRows, to)];
    if (onRows.x > right) {
        const end = onRows.x - 10 - textWidth(onRows.matrix.rows[to]);
        const middle = (right + end) / 2;
        return `M${right} ${y0}C${middle} ${y0} ${middle} ${y1} ${Math.max(end, right + 4)} ${y1}`;
    }
    const end = onRows.x + onRows.matrix.m * onRows.uw + 3;
    const out = Math.min(Math.max(right, end) + 40, width - 2);
    return `M${right} ${y0}C${out} ${y0} ${out} ${y1} ${end} ${y1}`;
}

// A row of the table on its way: in its own colours, from its own size to that which it has in the
// sentence.
function drawRowCopy(layer, onTable, onRows, from, to, colours) {
    const { matrix } = onTable;
    const cells = Array.from(
        { length: matrix.m },
        (_, j) => colourOf(matrix.at(from, j), matrix, colours),
    );
    const group = node("g", {}, layer);
    const href = picture({ n: 1, m: matrix.m }, cells).toDataURL();
    const image = node("image", { href, preserveAspectRatio: "none", class: "ab-cells" }, group);
    const frame = node("rect", { class: "ab-chosen" }, group);
    const box = (place, row) => [place.x, place.y + row * place.uh, matrix.m * place.uw, place.uh];
    const [start, end] = [box(onTable, from), box(onRows, to)];
    return (share) => {
        shown(group, share > 0);
        ["x", "y", "width", "height"].forEach((name, k) => {
            for (const element of [image, frame]) {
                element.setAttribute(name, start[k] + (end[k] - start[k]) * share);
            }
        });
        shown(image, share < 1); // the sentence's own row stands there
    };
}
