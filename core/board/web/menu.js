// The menu in a board's corner: its numbers as tables, shown below the drawing; the drawing as a
// picture; and the functions that computed the numbers.

import { writeIframe } from "./embed.js";
import { consumeEvent, make } from "./dom.js";
import { foldAway, keepFoldOpen } from "./fold.js";
import { madeOf, writeInFull } from "./matrix.js";
import { foldPicture } from "./picture.js";
import { decodeMatrix } from "./decode.js";
import { fillTable } from "./table.js";
/** @import { Packed } from "./types.d.ts" */

/** @param {Packed[]} matrices */
export function drawCornerMenu(host, foot, svg, matrices) {
    const numbered = matrices.filter((matrix) => !matrix.bare);
    const menu = make("details", { class: "ab-menu" }, host);
    const named = numbered.length ? "Table, picture, code" : "Picture";
    make("summary", { "aria-label": named, title: named }, menu, "⋯");
    const items = make("div", { class: "ab-menu-items" }, menu);
    if (numbered.length) foldTables(items, host, foot, numbered);
    foldPicture(items, host, svg);
    if (writeIframe(host)) foldIframe(items, host);
    if (matrices.length) svg.maker = make("span", { class: "ab-made" }, items, madeOf(matrices[0]));
    keepFoldOpen(
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
        consumeEvent(event);
    });
}

// A click outside closes the menus.
export function beginMenus() {
    window.addEventListener("pointerdown", ({ target }) => {
        for (const menu of document.querySelectorAll(".ab-menu[open]")) {
            if (menu !== target.closest?.(".ab-menu")) menu.removeAttribute("open");
        }
    });
}

// The numbers as HTML tables, for screen readers and for copying, below the drawing.
function foldTables(items, host, foot, matrices) {
    const fold = make("details", { class: "ab-tables" }, items);
    make("summary", {}, fold, matrices.length > 1 ? "As tables" : "As a table");
    let below = null;
    const write = () =>
        below?.replaceChildren(...matrices.map((matrix) => buildTable(decodeMatrix(matrix))));
    keepFoldOpen(host, fold, "ab-tables", (isOpen, isAsked) => {
        below?.remove();
        below = isOpen ? make("div", { class: "ab-tables-below" }, foot) : null;
        write();
        if (isOpen && isAsked) below.firstChild.scrollIntoView({ block: "nearest" });
    });
}

// The HTML that embeds this board in a course page or a slide.
function foldIframe(items, host) {
    foldAway(items, host, "ab-frame", "In a frame", (folded) => {
        const box = make("div", { class: "ab-frame-line" }, folded);
        make("code", {}, box, writeIframe(host));
        make("button", { type: "button", class: "ab-copy" }, box, "Copy");
        make("span", { role: "status" }, box);
    });
}

function buildTable(matrix) {
    const name = `${matrix.title}, ${matrix.shape}`;
    const frame = make("div", {
        class: "ab-table",
        role: "region",
        tabindex: 0,
        "aria-label": name,
    });
    const edited = (i, j) => (matrix.isMarked(i, j) ? ` ${matrix.marked || "edited"}` : "");
    fillTable(make("table", {}, frame), matrix, name, (line, i, j) => {
        make("td", {}, line, writeInFull(matrix, i, j) + edited(i, j));
    });
    return frame;
}
