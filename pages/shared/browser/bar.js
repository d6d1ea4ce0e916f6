// The bar: the machine once more, small, as the way from page to page. The station of the present
// page is lit; wires lead from one to the next, and where the computation branches, they do.
//
// Streamlit's own menu stands in the sidebar, which a phone folds away. The bar repeats it; drawn
// here, it costs no message. Drawn once: a link that is replaced between a press and its release
// would miss the click.

import { shareTheme } from "../board/colours.js";
import { fill, make, node, press } from "../board/dom.js";

export function beginBar({ pages }) {
    window.attentionBar = ({ parentElement }) => {
        shareTheme(parentElement);
        if (!parentElement.querySelector(".ab-bar")) {
            drawBar(
                parentElement,
                pages.filter((page) => page.in_row),
            );
        }
    };
}

let lastPair = null; // the pair that was last heard of: the bar may be drawn after

function drawBar(parent, pages) {
    const bar = make("nav", { class: "ab-bar", "aria-label": "Steps" }, parent);
    const groups = new Map(); // by their headings
    for (const page of pages) {
        if (page.group && !groups.has(page.group)) {
            groups.set(
                page.group,
                make(
                    "div",
                    { class: "ab-bar-group", role: "group", "aria-label": page.group },
                    bar,
                ),
            );
            make("b", { "aria-hidden": "true" }, groups.get(page.group), page.group);
        }
        drawStop(groups.get(page.group) ?? bar, page);
    }
    const stops =
        /** @type {NodeListOf<HTMLAnchorElement>} */ (bar.querySelectorAll("[data-page]"));
    const ways = drawWays(bar);
    make("p", { class: "ab-bar-said", tabindex: "0", "aria-label": "Sentence" }, bar);
    if (lastPair) followPair(...lastPair);
    const mark = () => {
        const here = window.attentionAddress.here(),
            at = pages.findIndex((page) => page.path === here.page);
        bar.classList.remove("ab-bar-all");
        ways(pages[at - 1], pages[at + 1]);
        for (const item of stops) {
            item.href = window.attentionAddress.of(item.dataset.page);
            if (item.dataset.page !== here.page) item.removeAttribute("aria-current");
            else if (!item.hasAttribute("aria-current")) {
                item.setAttribute("aria-current", "page");
                requestAnimationFrame(() => bring(bar, item));
            }
        }
    };
    mark();
    window.addEventListener("attention-moved", mark);
    const fade = () => {
        const most = bar.scrollWidth - bar.clientWidth;
        bar.classList.toggle("ab-more-left", bar.scrollLeft > 2);
        bar.classList.toggle("ab-more-right", bar.scrollLeft < most - 2);
    };
    bar.addEventListener("scroll", fade, { passive: true });
    new ResizeObserver(fade).observe(bar);
}

// A page: its glyph on the wire, its name below. What its glyph is made of says its row in
// link/pages.py. The wire of the values leaves below the projection, passes scores and weights, and
// comes up to the context.
function drawStop(bar, page) {
    const item = make(
        "a",
        { "data-page": page.path, class: page.numbered ? "ab-on-wire" : "" },
        bar,
    );
    if (page.wire) item.classList.add(`ab-below-${page.wire}`);
    const { boxes, line, rows } = page.glyph;
    const glyph = node("svg", {
        viewBox: "0 0 30 22",
        width: 30,
        height: 22,
        "aria-hidden": "true",
    }, item);
    for (const [x, y, width, height, role] of boxes) {
        node("rect", { x, y, width, height, rx: 1.5, class: `ab-${role}` }, glyph);
    }
    if (line) node("path", { d: line }, glyph);
    if (rows) item.classList.add("ab-with-rows");
    for (const [x, , width, , role] of boxes.slice(0, rows)) {
        node("rect", { x, width, class: `ab-followed-row ab-${role}` }, glyph);
    }
    make("span", {}, item, page.menu);
}

// On a phone: the page before and the one after, and a press shows all of them. Returns what says
// where these two lead.
function drawWays(bar) {
    const sides = [["ab-bar-before", "‹"], ["ab-bar-after", "›"]].map(([kind, sign]) =>
        make("a", { class: `ab-bar-way ${kind}` }, bar, sign)
    );
    const all = press(bar, "All steps", () => bar.classList.toggle("ab-bar-all"), {
        class: "ab-bar-every",
    });
    new MutationObserver(() =>
        all.setAttribute("aria-expanded", String(bar.classList.contains("ab-bar-all")))
    )
        .observe(bar, { attributeFilter: ["class"] });
    return (...pages) =>
        pages.forEach((page, k) => {
            sides[k].hidden = !page;
            if (!page) return;
            sides[k].href = window.attentionAddress.of(page.path);
            sides[k].setAttribute("aria-label", page.menu);
        });
}

// The pair that is followed, from 1: the row of who asks in the small matrices, and on a phone,
// whose setup is folded away, both in the sentence.
export function followPair(words, query, key) {
    lastPair = [words, query, key];
    followRow(query, words.length || 1);
    const said = /** @type {HTMLElement | null} */ (document.querySelector(".ab-bar-said"));
    if (!said) return;
    const roles = { [query - 1]: "ab-q", [key - 1]: "ab-k" };
    said.replaceChildren(
        ...words.flatMap((word, k) => [make("span", { class: roles[k] ?? "" }, null, word), " "]),
    );
    const asks = /** @type {HTMLElement} */ (said.querySelector(".ab-q"));
    if (asks) {
        said.scrollLeft = asks.offsetLeft - said.offsetLeft -
            (said.clientWidth - asks.offsetWidth) / 2;
    }
}

// The followed word's row in every small matrix, as far down as it stands in the large one: it is
// `at` of so many, from 1.
function followRow(at, of) {
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

// On a narrow screen the bar is one row that scrolls sideways: the present page's station stands in
// its middle.
function bring(bar, item) {
    if (bar.scrollWidth > bar.clientWidth) {
        bar.scrollLeft = item.offsetLeft - (bar.clientWidth - item.offsetWidth) / 2;
    }
}
