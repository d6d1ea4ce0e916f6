// Pointing at cells by mouse, touch and keyboard, for every view. A cell is { place, i, j }.

import { isEmbedded } from "./embed.js";
import { consumeEvent, listen, node, updateElement } from "./dom.js";
import { findEditedCell, locateCell, openEditor, refreshEditor } from "./editing.js";
import { lightFormula } from "./highlight.js";
import { describeCell, describeLook, drawOutline, madeOf } from "./matrix.js";
import { hideTip, showTip } from "./tooltip.js";
/** @import { Place } from "./types.d.ts" */

export function findCellUnder(places, x, y) {
    for (const place of places) {
        const j = Math.floor((x - place.x) / place.uw);
        const i = Math.floor((y - place.y) / place.uh);
        if (i >= 0 && j >= 0 && i < place.matrix.n && j < place.matrix.m) return { place, i, j };
    }
    return null;
}

// The neighbouring cell; at a matrix's edge, a cell of the nearest matrix in that direction, so
// that the keyboard reaches every matrix.
export function findNeighbour(places, { place, i, j }, [down, right]) {
    const { n, m } = place.matrix;
    if (i + down >= 0 && i + down < n && j + right >= 0 && j + right < m) {
        return { place, i: i + down, j: j + right };
    }
    const middle = (on, row, column) => [on.x + (column + 0.5) * on.uw, on.y + (row + 0.5) * on.uh];
    const nearest = (offset, size, count) =>
        Math.min(Math.max(Math.floor(offset / size), 0), count - 1);
    const [x, y] = middle(place, i, j);
    let best = { place, i, j };
    let least = Infinity;
    for (const other of places) {
        if (other === place) continue;
        const row = nearest(y - other.y, other.uh, other.matrix.n);
        const column = nearest(x - other.x, other.uw, other.matrix.m);
        const [toX, toY] = middle(other, row, column);
        const along = right ? (toX - x) * right : (toY - y) * down;
        const across = right ? Math.abs(toY - y) : Math.abs(toX - x);
        if (along <= 0 || along + 3 * across >= least) continue;
        best = { place: other, i: row, j: column };
        least = along + 3 * across;
    }
    return best;
}

export const ARROWS = {
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
};
export const isPress = (event) => event.key === "Enter" || event.key === " ";

// `light` draws the highlight of the cell pointed at, or of none (null); the menu names its maker.
// A click or Enter sends a cell of a clickable matrix, and opens the editor in an editable one.
// Keys start at the edited cell, else at `chosen` [row, column] of the place `main`, else at its
// first cell. Returns a function that moves the highlight to another chosen cell.
/** @param {Place[]} places */
export function addPointing(svg, places, main, chosen, light, send) {
    let cursor = null, selected = null; // [row, column]
    const kept = node("g", { class: "ab-kept" }, svg);
    const show = (cell) => {
        light(cell);
        const isSelected = cell?.place === main && `${[cell.i, cell.j]}` === `${selected}`;
        svg.toggleAttribute("data-elsewhere", Boolean(cell) && !isSelected); // a class would be another kind to clicks.js
        if (svg.maker) updateElement(svg.maker, {}, madeOf((cell?.place ?? main).matrix));
    };
    const follow = (cell) => {
        selected = cell;
        kept.replaceChildren();
        if (cell) drawOutline(kept, main, cell[0], cell[0] + 1, cell[1], cell[1] + 1, "chosen");
        cursor = findEditedCell(svg, places) ||
            (cell ? { place: main, i: cell[0], j: cell[1] } : null);
        show(cursor);
    };
    const choose = (cell, takesKeys) => {
        if (cell?.place.matrix.editable) hideTip(svg); // the editor opens
        const { clickable, editable, name } = cell?.place.matrix || {};
        if (clickable) send({ matrix: name, row: cell.i, column: cell.j });
        if (editable) openEditor(svg, cell, takesKeys);
        else if (clickable) svg.editedAt = null;
        return Boolean(clickable || editable);
    };
    const at = (event) => {
        const box = svg.getBoundingClientRect();
        const ratio = svg.viewBox.baseVal.width / box.width;
        return findCellUnder(
            places,
            (event.clientX - box.left) * ratio,
            (event.clientY - box.top) * ratio,
        );
    };
    listen(svg, "pointermove", (event) => {
        const cell = at(event);
        svg.style.cursor = cell?.place.matrix.clickable || cell?.place.matrix.editable
            ? "pointer"
            : "default";
        show(cell || cursor);
        lightFormula(cell?.place);
        if (cell && event.pointerType !== "touch") {
            showTip(
                svg,
                cell.place.matrix.bare
                    ? describeLook(cell)
                    : describeCell(cell.place.matrix, cell.i, cell.j),
                event,
            );
        } else hideTip(svg);
    });
    listen(svg, "pointerleave", () => {
        show(cursor);
        lightFormula(null);
        hideTip(svg);
    });
    listen(svg, "blur", () => lightFormula(null));
    // In a lecture and on a slide the arrow keys turn beats or slides, so only Tab gives the matrix
    // the focus. A tap does not focus the number: a phone's keyboard would hide the board.
    const lecturing = Boolean(document.querySelector(".st-key-lecturing")) || Boolean(isEmbedded());
    if (lecturing) listen(svg, "mousedown", (event) => event.preventDefault());
    listen(svg, "click", (event) => choose(at(event), !lecturing && event.pointerType !== "touch"));
    listen(svg, "keydown", (event) => {
        hideTip(svg);
        if (ARROWS[event.key]) {
            consumeEvent(event);
            cursor = findNeighbour(
                places,
                cursor || { place: main, i: 0, j: 0 },
                ARROWS[event.key],
            );
            if (svg.editedAt) svg.editedAt = locateCell(cursor);
            show(cursor);
            lightFormula(cursor.place);
        } else if (isPress(event) && choose(cursor, true)) consumeEvent(event);
    });
    listen(svg, "focus", () => {
        cursor = findEditedCell(svg, places) || cursor;
        show(cursor);
    });
    follow(chosen);
    refreshEditor(svg, places);
    return follow;
}

// The same by keyboard for words in a line: the keys `back` and `on` move along it, starting at
// `at`.
export function addStepping(svg, [back, on], count, at, show, choose) {
    listen(svg, "keydown", (event) => {
        if (event.key === back || event.key === on) {
            at = Math.min(Math.max(at + (event.key === on ? 1 : -1), 0), count - 1);
            show(at);
        } else if (isPress(event)) choose(at);
        else return;
        consumeEvent(event);
    });
}
