// The page at hand as one file: what stands in the browser, and the boards with their own scripts
// and numbers. It needs no server, so controls and links to other pages are left out, and a link
// leads to the living page.

import { make } from "../../board/dom.js";
import {
    ELEMENT,
    EXPANDED,
    EXPANDER,
    HEADING_TOOLS,
    ICON,
    ICON_IN_TEXT,
    PAGE,
    SIDEBAR,
    TEXTS,
} from "../../browser/streamlit_page.js";

// KaTeX puts rows into elements that browsers take for single letters.
function mathOf(formula) {
    const math = formula.querySelector("math");
    for (const annotation of math?.querySelectorAll("annotation") ?? []) annotation.remove();
    for (const letter of math?.querySelectorAll("mi, mo") ?? []) {
        if (!letter.firstElementChild) continue;
        const row = document.createElementNS("http://www.w3.org/1998/Math/MathML", "mrow");
        row.append(...letter.childNodes);
        letter.replaceWith(row);
    }
    return math;
}

// A colour of the theme's that a word has, by its name: the file is read in light and in dark.
function inBothThemes(colour) {
    if (!colour) return "";
    const probe = make("i", {}, document.body);
    const isIt = (name) => {
        probe.style.color = `var(--ab-${name}-text)`;
        return getComputedStyle(probe).color === colour;
    };
    const name = ["blue", "red", "green", "violet", "yellow", "orange", "gray"].find(isIt);
    probe.remove();
    return name ? `var(--st-${name}-text-color)` : "";
}

// What is copied of an element's text: formulas as MathML, which a browser sets by itself; nothing
// that would need this page.
function textOf(element) {
    const copy = element.cloneNode(true);
    for (const formula of copy.querySelectorAll(".katex")) {
        formula.replaceWith(mathOf(formula) ?? formula.textContent);
    }
    for (const icon of copy.querySelectorAll(ICON_IN_TEXT)) {
        icon.replaceWith(icon.getAttribute("aria-label") === "check icon" ? "✓" : "");
    }
    for (const fold of copy.querySelectorAll(".ab-fold[aria-expanded=true]")) {
        fold.replaceWith(make("h3", {}, null, fold.textContent)); // of what is open
    }
    const away =
        `script, style, link, button, iframe, [role=status], .ab-steps, ${HEADING_TOOLS}, ${ICON}`;
    for (const each of copy.querySelectorAll(away)) each.remove();
    for (const anchor of copy.querySelectorAll("a[href]")) {
        anchor.href = new URL(anchor.getAttribute("href"), location.href).href;
    }
    for (const each of copy.querySelectorAll("*")) {
        const colour = inBothThemes(each.style?.color);
        for (const { name } of [...each.attributes]) {
            if (/^(on|data-|style$|tabindex$)/.test(name)) each.removeAttribute(name);
        }
        if (colour) each.style.color = colour;
    }
    return copy.innerHTML;
}

// A chart is painted or drawn, as Streamlit's version has it.
const pictureOf = (chart) =>
    chart.toDataURL?.() ??
        `data:image/svg+xml;charset=utf-8,${
            encodeURIComponent(new XMLSerializer().serializeToString(chart))
        }`;

// One of Streamlit's elements, as HTML; "" for what stands still here: controls, tables that
// scroll.
function asHtml(container, boards) {
    const board = container.querySelector(".ab-host");
    if (board?.drawing) {
        // weights stand still, too
        const unchanging = (key, value) => (key === "editable" ? undefined : value);
        return `<figure class="board">${
            boards.push(JSON.stringify(board.drawing, unchanging)) && ""
        }</figure>`;
    }
    const chart = container.querySelector("canvas.marks, svg.marks");
    if (chart) {
        return `<img alt="${
            container.querySelector("[aria-label]")?.getAttribute("aria-label")?.replaceAll(
                '"',
                "&quot;",
            ) ?? "A chart"
        }" src="${pictureOf(chart)}">`;
    }
    const code = container.querySelector(".ab-code pre, pre");
    if (code) return `<pre tabindex="0">${textOf(code)}</pre>`;
    const text = container.querySelector(TEXTS.join());
    return text && container.checkVisibility() ? textOf(text) : "";
}

function walk(node, boards) {
    if (node.matches(EXPANDER)) {
        const [summary, content] = [node.querySelector("summary"), node.querySelector(EXPANDED)];
        return content
            ? `<details><summary>${textOf(summary)}</summary>${textOf(content)}</details>`
            : "";
    }
    if (node.matches(`.st-key-sharing, .st-key-held, .ab-bar, .st-key-board_bar, ${SIDEBAR}`)) {
        return "";
    }
    if (node.matches(ELEMENT)) return asHtml(node, boards);
    return [...node.children].map((child) => walk(child, boards)).join("\n");
}

function asFile({ css, script, address }) {
    const boards = [], main = document.querySelector(PAGE);
    const body = walk(main, boards), data = JSON.stringify(boards).replaceAll("<", "\\u003c");
    const title = document.querySelector("h1")?.innerText ?? "Attention explorer";
    const link = `<p><a href="${
        address.replaceAll("&", "&amp;").replaceAll('"', "&quot;")
    }">The living page</a></p>`;
    return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${
        title.replaceAll("<", "&lt;")
    }</title>
<link rel="icon" href="data:,"><style>${css}</style></head>
<body><main>${body}${link}</main><script type="application/json" id="boards">${data}</script>
<script type="module">${script.replaceAll("</script", "<\\/script")}</script></body></html>`;
}

export default function ({ data: bytes, parentElement }) {
    const given = JSON.parse(new TextDecoder().decode(bytes));
    parentElement.replaceChildren();
    const button = make(
        "button",
        { type: "button", class: "ab-stop" },
        parentElement,
        "Save this page as a file",
    );
    button.addEventListener("click", () => {
        const url = URL.createObjectURL(new Blob([asFile(given)], { type: "text/html" }));
        make("a", { href: url, download: given.name }).click();
        setTimeout(() => URL.revokeObjectURL(url), 10000);
    });
}
