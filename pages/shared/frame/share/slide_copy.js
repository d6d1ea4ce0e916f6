// A copy of what a lecture's screen shows, and of the styles that it is shown with. The screen
// stands in a frame of its own, as large as the paper, so that what fits there fits here.

import { fill, make } from "../../board/dom.js";
import { EXPANDER, HEADING_TOOLS, TOOLS } from "../../browser/streamlit_page.js";

const WIDE = 1536; // 16 by 9 inches in pixels
const HIGH = 864;
const FOOT = 44; // below is the slide's number
// What is for a hand only, or for the screen. What may come next stands in buttons, and stays.
const CONTROLS =
    "script, style, link, iframe, button:not(.ab-next-rows *), input:not(.ab-control *), textarea, [role=status], .ab-menu, .ab-lead, .ab-tip, .ab-setup," +
    " .ab-copy, .ab-goes-on, .ab-others, .ab-steps, .ab-stop, .ab-fold, .ab-player, .ab-way, .ab-by-hand, .ab-next-acts, .ab-film-along, .st-key-lecture_foot, .st-key-sharing, .st-key-board_bar," +
    ` ${HEADING_TOOLS}, ${TOOLS}, ${EXPANDER}`;

// In the frame as on paper: no controls, nothing that scrolls, and a title as a slide has it.
const AS_ON_PAPER = `${
    CONTROLS.replaceAll("script, style, link, ", "")
} { display: none !important; }
  .ab-host, :has(> .st-key-formula), .st-key-formula, .st-key-formula > *, :is(.ab-code pre, .ab-written, .ab-table) { max-height: none !important; height: auto !important; overflow: visible !important; }
  ${".st-key-formula".repeat(5)} pre { max-height: none !important; }
  .ab-code pre { background-image: none !important; }
  .ab-svg, .ab-running svg { max-width: 100%; height: auto; }
  .st-key-beat.st-key-beat { padding: 0.7rem 0 0.3rem; }
  .st-key-beat.st-key-beat h2 { font-size: 1.6rem; }`;

export function prepare(doc) {
    if (!doc.getElementById("ab-on-paper")) {
        make("style", { id: "ab-on-paper" }, doc.head, AS_ON_PAPER);
    }
}

// How much smaller this screen has to be so that all of it is on a slide, 1 for most; and how much
// stays free below, in pixels.
export function fitOf(main) {
    const seen = ({ width, height }) => width > 1 && height > 1;
    const boxes = [...main.querySelectorAll("*:not(svg *, .katex-mathml *)")].map((each) =>
        each.getBoundingClientRect()
    ).filter(seen);
    const high = Math.max(...boxes.map(({ bottom }) => bottom)) - main.getBoundingClientRect().top,
        wide = Math.max(...boxes.map(({ right }) => right));
    const fit = Math.min(1, (HIGH - FOOT) / high, WIDE / wide);
    return { fit, air: Math.max(0, (HIGH - FOOT) / fit - high) };
}

// Of a page's own choice what was chosen.
function saidBy(control) {
    const chosen = control.querySelector("select")?.selectedOptions[0] ??
        control.querySelector("input:checked")?.closest("label");
    return chosen
        ? [
            make("b", {}, null, `${control.querySelector(".ab-called").innerText}: `),
            chosen.textContent,
        ]
        : [];
}

// Charts name their parts alike: what a slide refers to is its own.
function nameApart(copy, slide) {
    for (const part of copy.querySelectorAll("[id]")) part.id = slide + part.id;
    for (const part of copy.querySelectorAll("svg *")) {
        for (const { name, value } of part.attributes) {
            if (value.includes("url(#")) {
                part.setAttribute(name, value.replaceAll("url(#", `url(#${slide}`));
            }
        }
    }
}

// The screen and all that stands around it, without what that holds besides.
export function copyOf(main, { fit, air }, slide) {
    let copy = main.cloneNode(true);
    const [controls, choices] = [".ab-control", "select"].map((kind) =>
        main.querySelectorAll(kind)
    );
    copy.querySelectorAll("select").forEach((choice, k) => { // what was chosen stands in its place
        choice.replaceWith(
            make(
                "span",
                { class: choice.className, style: choice.getAttribute("style") ?? "" },
                null,
                choices[k].selectedOptions[0]?.text ?? "",
            ),
        );
    });
    copy.querySelectorAll(".ab-control").forEach((control, k) =>
        control.replaceChildren(...saidBy(controls[k]))
    );
    const painted = main.querySelectorAll("canvas");
    copy.querySelectorAll("canvas").forEach((canvas, k) =>
        canvas.replaceWith(fill(make("img", { alt: "" }), {
            src: painted[k].toDataURL(),
            style: canvas.getAttribute("style") ?? "",
            width: painted[k].clientWidth,
            height: painted[k].clientHeight,
        }))
    );
    for (const each of copy.querySelectorAll(CONTROLS)) each.remove();
    nameApart(copy, slide);
    for (const anchor of copy.querySelectorAll("a[href]")) {
        anchor.href = new URL(anchor.getAttribute("href"), main.baseURI).href;
    }
    for (
        let around = main.parentElement;
        around && !around.matches("#root");
        around = around.parentElement
    ) {
        const shell = around.cloneNode(false);
        shell.append(copy);
        copy = shell;
    }
    const root = make("div", {
        class: "ab-screen",
        style: main.ownerDocument.documentElement.getAttribute("style") ?? "",
    });
    for (const { name, value } of main.ownerDocument.documentElement.attributes) {
        if (name.startsWith("data-")) root.setAttribute(name, value);
    }
    root.style.setProperty("--fit", fit);
    root.style.setProperty("--air", `${air}px`);
    root.append(copy);
    return root.outerHTML;
}

// A sheet's rules. What they say of the whole page is said of each slide; what depends on the
// screen's size is as in the frame, since whoever prints may take another size for the paper's at
// first. Rules for paper are another paper's.
function rulesOf(sheet) {
    const view = sheet.ownerNode.ownerDocument.defaultView, base = sheet.href ?? document.baseURI;
    const pixels = (_, number, unit) =>
        `${(Number(number) * (unit === "vw" ? WIDE : HIGH)) / 100}px`;
    const written = (rule) => {
        if (
            rule.constructor.name === "CSSPageRule" || /\bprint\b/.test(rule.media?.mediaText ?? "")
        ) return "";
        if (rule.media) {
            return view.matchMedia(rule.media.mediaText).matches
                ? [...rule.cssRules].map(written).join("\n")
                : "";
        }
        return rule.cssText.includes("data:")
            ? rule.cssText
            : rule.cssText.replaceAll(/\b([\d.]+)(vw|vh)\b/g, pixels);
    };
    return [...sheet.cssRules].map(written).join("\n")
        .replaceAll(/url\("([^")]+)"\)/g, (_, url) => `url("${new URL(url, base).href}")`)
        .replaceAll(":root", ".ab-screen");
}

// Remember the sheets that are there: some go with their beat.
export function learnStyles(doc, known) {
    for (const sheet of doc.styleSheets) {
        const seen = known.get(sheet.ownerNode);
        if (sheet.ownerNode.id !== "ab-on-paper" && seen?.count !== sheet.cssRules.length) {
            known.set(sheet.ownerNode, { count: sheet.cssRules.length, rules: rulesOf(sheet) });
        }
    }
}

// All of them in their order, each once.
export function stylesOf(doc, known) {
    const order = [...doc.styleSheets].map(({ ownerNode }) => ownerNode),
        gone = [...known.keys()].filter((node) => !order.includes(node));
    return [...new Set([...order, ...gone].map((node) => known.get(node)?.rules ?? ""))].join("\n");
}

export function asDocument(title, styles, size, paper, slides) {
    return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${
        asText(title)
    }</title><link rel="icon" href="data:,">
<style>${styles.replaceAll("</style", "<\\/style")}</style><style>html { font-size: ${size}; }
${AS_ON_PAPER}
${paper}</style></head>
<body>${slides.join("\n")}</body></html>`;
}

export const asText = (text) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
