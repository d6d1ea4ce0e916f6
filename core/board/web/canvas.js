// The sheet of a view: the drawing, a line about the cell pointed at, the legend, and a menu in the
// corner (menu.js).

import { getColour } from "./colours.js";
import { consumeEvent, fill, listen, make, node } from "./dom.js";
import { getSymbol } from "./matrix.js";
import { drawCornerMenu } from "./menu.js";
import { writeBrief } from "./numbers.js";
import { decodeMatrix } from "./decode.js";
/** @import { Data, Colours } from "./types.d.ts" */

// An empty sheet: its SVG and its line. Without colours there is no legend.
/** @param {Data} data @param {Colours} colours */
export function makeCanvas(host, width, height, data, colours, room) {
    const svg = fill(emptySvg(host), {
        width: width * room.scale,
        height: height * room.scale,
        viewBox: `0 0 ${width} ${height}`,
        tabindex: 0,
        role: "application",
        "aria-label": data.alt,
        class: "ab-svg",
    });
    if (!room.fit && width > (room.seen ?? room.w) + 1) {
        fadeRightEdge(svg, width * room.scale, height * room.scale);
    }
    listen(svg, "keydown", openTab);
    const said = make("div", { class: "ab-readout", "aria-live": "polite" }, host);
    const foot = make("div", { class: "ab-foot" }, host);
    if (colours) drawLegend(foot, data.matrices || [], colours);
    drawEditingLegend(foot, data.matrices || []);
    const matrices = data.matrices || [];
    svg.maker = null;
    if (!room.fit) drawCornerMenu(host, foot, svg, matrices);
    return [svg, said];
}

// A digit opens that tab below the figure.
function openTab(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    /** @type {HTMLElement | null} */
    const part = document.querySelector(
        `.ab-closer [aria-keyshortcuts="${CSS.escape(event.key)}"]`,
    );
    part?.click();
    if (part) consumeEvent(event);
}

// Fades the right edge of a drawing wider than the screen until the user has scrolled to its end.
function fadeRightEdge(svg, width, height) {
    const edge = make("div", { class: "ab-goes-on", "aria-hidden": "true" });
    make("i", {}, edge, "→");
    svg.after(edge);
    Object.assign(edge.style, {
        width: `${width + 30}px`,
        height: `${height}px`,
        marginTop: `${-height}px`,
    });
}

// Empties the existing SVG, which keeps the focus: focusing a new one would force a layout.
function emptySvg(host) {
    const svg = host.querySelector(":scope > svg");
    if (!svg) {
        host.replaceChildren();
        return node("svg", {}, host);
    }
    while (svg.nextSibling) svg.nextSibling.remove();
    host.querySelector(":scope > .ab-lead")?.remove();
    host.classList.remove("ab-led");
    svg.replaceChildren();
    svg.drawn?.abort(); // removes the listeners of the last drawing
    svg.drawn = null;
    return svg;
}

// The legend: the scales in the cells' colours with the numbers at their ends. Each matrix is
// scaled to its own largest number by default; where those differ, each is named.
const SCALE_STEPS = 24; // steps of colour

function drawLegend(foot, matrices, colours) {
    const line = make("div", { class: "ab-legend" }, foot);
    // Whole numbers are printed in their cells; their colour only helps to tell them apart.
    const coloured = matrices.filter((matrix) => !matrix.whole).map((matrix) => ({
        matrix,
        top: matrix.bare ? 1 : decodeMatrix(matrix).top,
    }));
    for (const scale of ["diverging", "for", "plain", "sequential"]) {
        const those = coloured.filter(({ matrix }) => (matrix.scale || "diverging") === scale);
        if (!those.length) continue;
        const [before, after, behind] = labelScaleEnds(scale, those);
        const part = make("span", {}, line);
        const strip = document.createElement("i");
        const from = isSigned(scale) ? -1 : 0;
        const stops = Array.from(
            { length: SCALE_STEPS + 1 },
            (_, k) => getColour(from + ((1 - from) * k) / SCALE_STEPS, { scale, top: 1 }, colours),
        );
        strip.style.background = `linear-gradient(to right, ${stops.map((c) => `rgb(${c})`)})`;
        part.append(before, strip, after);
        if (behind) make("span", { class: "ab-legend-tops" }, part, behind);
    }
}

const isSigned = (scale) => scale === "diverging" || scale === "for";

// The text before a scale, after it, and after that.
function labelScaleEnds(scale, those) {
    if (scale === "for") return ["against", "for", ""];
    const written = (top) => (scale !== "diverging" && top === 1 ? "1" : writeBrief(top));
    const tops = new Map(
        those.map(({ matrix, top }) => [`${getSymbol(matrix)} ${written(top)}`, written(top)]),
    );
    const ends = [...new Set(tops.values())];
    if (ends.length === 1) return [scale === "diverging" ? `−${ends[0]}` : "0", ends[0], ""];
    const each = tops.size <= 4
        ? `up to ${[...tops.keys()].join(" · ")}`
        : "each to its own largest number";
    return [scale === "diverging" ? "below 0" : "0", scale === "diverging" ? "above 0" : "", each];
}

// Which numbers can be edited, and what the mark on edited ones means.
function drawEditingLegend(foot, matrices) {
    const editable = matrices.find((matrix) => matrix.editable);
    if (editable) {
        make(
            "span",
            { class: "ab-by-hand" },
            foot,
            `${editable.editable.title}: click a number to change it`,
        );
    }
    if (matrices.some((matrix) => matrix.held)) make("span", {}, foot, "▂ in a cell: as held");
    const marked = matrices.find((matrix) => matrix.marks);
    if (marked) make("span", {}, foot, `◥ ${marked.marked || "edited; the scale stays"}`);
}
