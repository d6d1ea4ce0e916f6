// The bar: a small machine that links all pages. The current page's station is highlighted; the
// wires follow the computation and its branches.
// Drawn once: a link replaced between press and release would miss the click.

import { address } from "../../../core/board/web/address.js";
import { shareTheme } from "../../../core/board/web/colours.js";
import { fill, make, node } from "../../../core/board/web/dom.js";

export function beginBar({ pages }) {
    window.attentionBar = ({ parentElement }) => {
        shareTheme(parentElement);
        if (!parentElement.querySelector(".ab-bar")) {
            drawBar(parentElement, pages.filter((page) => page.in_row));
        }
    };
}

let lastRow = [1, 1]; // the last row heard: the bar may be drawn later

function drawBar(parent, pages) {
    const bar = make("nav", { class: "ab-bar", "aria-label": "Steps" }, parent);
    const groups = new Map(); // by their headings
    for (const page of pages) {
        if (page.group && !groups.has(page.group)) {
            const group = { class: "ab-bar-group", role: "group", "aria-label": page.group };
            groups.set(page.group, make("div", group, bar));
            make("b", { "aria-hidden": "true" }, groups.get(page.group), page.group);
        }
        drawStop(groups.get(page.group) ?? bar, page);
    }
    const stops =
        /** @type {NodeListOf<HTMLAnchorElement>} */ (bar.querySelectorAll("[data-page]"));
    const mark = () => {
        const here = address.here().page;
        for (const stop of stops) {
            stop.href = address.of(stop.dataset.page);
            if (stop.dataset.page !== here) stop.removeAttribute("aria-current");
            else if (!stop.hasAttribute("aria-current")) {
                stop.setAttribute("aria-current", "page");
                requestAnimationFrame(() => scrollToStop(bar, stop));
            }
        }
    };
    mark();
    followRow(...lastRow);
    window.addEventListener("attention-moved", mark);
}

// A page: its glyph on the wire and its name below. The page's row in link/pages.py describes the
// glyph. The wire of the values leaves below the projections, passes scores and weights, and
// rejoins at the context.
function drawStop(bar, page) {
    const kinds = [page.numbered && "ab-on-wire", page.wire && `ab-below-${page.wire}`];
    const stop = make("a", {
        "data-page": page.path,
        class: kinds.filter(Boolean).join(" "),
    }, bar);
    const { boxes, line, rows } = page.glyph, size = { width: 30, height: 22 };
    const glyph = node("svg", { viewBox: "0 0 30 22", ...size, "aria-hidden": "true" }, stop);
    for (const [x, y, width, height, role] of boxes) {
        node("rect", { x, y, width, height, rx: 1.5, class: `ab-${role}` }, glyph);
    }
    if (line) node("path", { d: line }, glyph);
    if (rows) stop.classList.add("ab-with-rows");
    for (const [x, , width, , role] of boxes.slice(0, rows)) {
        node("rect", { x, width, class: `ab-followed-row ab-${role}` }, glyph);
    }
    make("span", {}, stop, page.menu);
}

// Marks the query's row in each small matrix at the same relative height: row `at` of `of`, from 1.
export function followRow(at, of) {
    lastRow = [at, of];
    for (const row of document.querySelectorAll(".ab-followed-row")) {
        const boxes = [...row.parentNode.querySelectorAll("rect:not(.ab-followed-row)")];
        const box = boxes.find((each) => each.getAttribute("x") === row.getAttribute("x"));
        const [top, high] = ["y", "height"].map((name) => Number(box.getAttribute(name)));
        const height = Math.max(high / of, 2);
        fill(row, {
            y: top + Math.min(((Math.min(at, of) - 1) * high) / of, high - height),
            height,
        });
    }
}

// Scrolls the current page's station to the middle of a bar wider than the screen.
function scrollToStop(bar, stop) {
    const [around, own] = [bar, stop].map((each) => each.getBoundingClientRect());
    bar.scrollLeft += own.left - around.left - (around.width - own.width) / 2;
}
