// For printing: spells out the URLs of links to other sites, adds the page's address, and replaces
// dark theme colours by light ones. See print.css.

import { parseColour } from "../../../core/board/web/colours.js";
import { make } from "../../../core/board/web/dom.js";
import { APP, COMPONENT, MAIN, PAGE } from "../../../core/board/web/streamlit_page.js";

function spellOut() {
    for (
        const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(
            `${MAIN} a[href]`,
        ))
    ) {
        if (link.origin !== location.origin) link.dataset.address = link.href;
    }
    document.querySelector(PAGE)?.setAttribute("data-address", location.href);
}

const PAINTED = [
    "color",
    "background-color",
    "border-top-color",
    "border-right-color",
    "border-bottom-color",
    "border-left-color",
];
const writeColour = (colour) => parseColour(colour).slice(0, 3).join(" ");
const measureBrightness = (colour) => parseColour(colour).reduce((sum, part) => sum + part / 3, 0);

// The light theme's colour for a dark one, with its transparency. Colours of neither theme: dark
// backgrounds become white, bright text dark.
function invertColour(colour, isInk) {
    const same = Object.keys(THEMES.dark).find((name) =>
        typeof THEMES.dark[name] === "string" &&
        writeColour(THEMES.dark[name]) === writeColour(colour)
    );
    const wrong = isInk ? measureBrightness(colour) > 128 : measureBrightness(colour) < 128;
    if (!same && !wrong) return null;
    const light = parseColour(
        THEMES.light[same || (isInk ? "--st-text-color" : "--st-background-color")],
    );
    return `rgba(${light.join(",")},${colour.match(/[\d.]+/g)[3] ?? 1})`;
}

const repainted = new Map(); // each element with changed colours, and its original style

function repaint(element) {
    const style = getComputedStyle(element), changes = [];
    for (const name of PAINTED) {
        const colour = style.getPropertyValue(name), clear = /^rgba\(.*, 0\)$/.test(colour);
        const light = clear ? null : invertColour(colour, name !== "background-color");
        if (light) changes.push([name, light]);
    }
    if (changes.length) repainted.set(element, [element.getAttribute("style"), changes]);
}

const redraw = () => document.querySelectorAll(".ab-host").forEach((host) => host.redraw?.());

function printLight() {
    const app = document.querySelector(APP);
    if (!app || repainted.size || measureBrightness(getComputedStyle(app).backgroundColor) > 128) {
        return;
    }
    const variables = Object.entries(THEMES.light).map(([name, value]) =>
        `${name}: ${value} !important;`
    ).join(" ");
    make(
        "style",
        { id: "ab-in-light" },
        document.head,
        `${COMPONENT}, ${COMPONENT} * { ${variables} }`,
    );
    document.documentElement.classList.add("ab-light");
    redraw();
    for (const element of [app, ...app.querySelectorAll("*:not(svg *)")]) repaint(element);
    for (const [element, [, changes]] of repainted) {
        for (const [name, light] of changes) element.style.setProperty(name, light, "important");
    }
}

function restoreDark() {
    if (!repainted.size) return;
    document.getElementById("ab-in-light").remove();
    document.documentElement.classList.remove("ab-light");
    for (const [element, [style]] of repainted) {
        if (style === null) element.removeAttribute("style");
        else element.setAttribute("style", style);
    }
    repainted.clear();
    redraw();
}

export function beginPrinting() {
    window.addEventListener("beforeprint", () => {
        spellOut();
        printLight();
    });
    window.addEventListener("afterprint", restoreDark);
    document.addEventListener(
        "click",
        ({ target }) => /** @type {Element} */ (target).closest("[data-print]") && window.print(),
    );
}
