// A board's menu, in its corner: the same numbers as tables, which then stand below the drawing;
// the drawing as a picture to keep; and what made the numbers that are pointed at.

import { frameOf } from "../browser/alone.js";
import { make, used } from "./dom.js";
import { foldAway, keptOpen } from "./fold.js";
import { inFull, madeOf } from "./matrix.js";
import { foldedPicture } from "./picture.js";
import { read } from "./read.js";
import { tableOf } from "./table.js";
/** @import { Packed } from "./types.d.ts" */

/** @param {Packed[]} matrices */
export function cornerMenu(host, foot, svg, matrices) {
    const numbered = matrices.filter((matrix) => !matrix.bare);
    const menu = make("details", { class: "ab-menu" }, host);
    const named = numbered.length ? "Table, picture, code" : "Picture";
    make("summary", { "aria-label": named, title: named }, menu, "⋯");
    const items = make("div", { class: "ab-menu-items" }, menu);
    if (numbered.length) foldedTables(items, host, foot, numbered);
    foldedPicture(items, host, svg);
    foldedFrame(items, host);
    if (matrices.length) svg.maker = make("span", { class: "ab-made" }, items, madeOf(matrices[0]));
    keptOpen(
        host,
        menu,
        "ab-menu",
        (isOpen) =>
            host.classList.toggle(
                "ab-menu-open",
                isOpen && host.scrollWidth <= host.clientWidth + 1,
            ),
    );
    menu.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || !menu.open) return;
        menu.open = false;
        menu.firstChild.focus({ preventScroll: true });
        used(event);
    });
}

// A press anywhere else closes a menu.
export function beginMenus() {
    window.addEventListener("pointerdown", ({ target }) => {
        for (const menu of document.querySelectorAll(".ab-menu[open]")) {
            if (menu !== target.closest?.(".ab-menu")) menu.removeAttribute("open");
        }
    });
}

// The same numbers as real tables: for screen readers, for copying. Below the drawing, where they
// hide none of it.
function foldedTables(items, host, foot, matrices) {
    const fold = make("details", { class: "ab-tables" }, items);
    make("summary", {}, fold, matrices.length > 1 ? "As tables" : "As a table");
    let below = null;
    const write = () =>
        below?.replaceChildren(...matrices.map((matrix) => drawnTable(read(matrix))));
    keptOpen(host, fold, "ab-tables", (isOpen, isAsked) => {
        below?.remove();
        below = isOpen ? make("div", { class: "ab-tables-below" }, foot) : null;
        write();
        if (isOpen && isAsked) below.firstChild.scrollIntoView({ block: "nearest" });
    });
}

// The line that shows this board by itself in a course or on a slide.
function foldedFrame(items, host) {
    foldAway(items, host, "ab-frame", "In a frame", (folded) => {
        const box = make("div", { class: "ab-frame-line" }, folded);
        make("code", {}, box, frameOf(host));
        make("button", { type: "button", class: "ab-copy" }, box, "Copy");
        make("span", { role: "status" }, box);
    });
}

function drawnTable(matrix) {
    const name = `${matrix.title}, ${matrix.shape}`;
    const frame = make("div", {
        class: "ab-table",
        role: "region",
        tabindex: 0,
        "aria-label": name,
    });
    const edited = (i, j) => (matrix.isMarked(i, j) ? ` ${matrix.marked || "edited"}` : "");
    tableOf(make("table", {}, frame), matrix, name, (line, i, j) => {
        make("td", {}, line, inFull(matrix, i, j) + edited(i, j));
    });
    return frame;
}
