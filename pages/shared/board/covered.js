// What questions that are open cover of a board: a row of a matrix, or all of it. Over it lies what
// frame/questions/predict.js lays there; here is how the board itself tells nothing of it: not in
// its digits and its picture, nor in what is said, read or written.

import { node } from "./dom.js";
/** @import { Place } from "./types.d.ts" */

export const COVERED = "covered until its question is answered";

/** @param {Pick<Place, "group">} place */
export const isCovered = ({ group }, i) =>
    (group?.dataset.covered ?? "").split(" ").some((row) => row === "all" || row === `${i}`);

// What describes a board to who does not see it: what would tell stands behind its first sentence.
export const describedAs = (
    svg,
    alt,
) => (svg.querySelector("[data-tells]")
    ? `${alt.split(". ")[0].replace(/\.$/, "")}. The rest is ${COVERED}.`
    : alt);

// by a matrix's drawing: of each open question what it covers, a row or "all", and whether the
// description tells
const asked = new WeakMap();

// Covers for a question a row of a matrix that is drawn, or "all"; or nothing any more. The board
// hears of it, and says anew what it says.
export function cover(group, question, row = null, tells = false) {
    const of = asked.get(group) ?? new Map();
    if (row === null) of.delete(question);
    else of.set(question, [row, tells]);
    asked.set(group, of);
    const covered = [...of.values()].map(([each]) => each).join(" "),
        isTold = [...of.values()].some(([, each]) => each),
        { dataset } = group;
    if ((dataset.covered ?? "") === covered && "tells" in dataset === isTold) return;
    if (covered) dataset.covered = covered;
    else delete dataset.covered;
    group.toggleAttribute("data-tells", isTold);
    const svg = group.ownerSVGElement,
        { rows, columns } = group.querySelector(":scope > .ab-cells").dataset;
    drawCovered(
        group,
        Array.from({ length: Number(rows) }, (_, i) => i).filter((i) => isCovered({ group }, i)),
    );
    group.querySelectorAll(":scope > .ab-numbers > text").forEach((text, k) =>
        text.classList.toggle("ab-covered", isCovered({ group }, Math.floor(k / columns)))
    );
    svg.setAttribute("aria-label", describedAs(svg, svg.parentElement.drawing.alt));
    svg.dispatchEvent(new Event("attention-covered"));
}

// In the drawing, too, which is kept as a picture.
function drawCovered(group, rows) {
    const cells = group.querySelector(":scope > .ab-cells"),
        high = Number(cells.getAttribute("height")) / cells.dataset.rows;
    const d = rows.map((i) =>
        `M${cells.getAttribute("x")} ${Number(cells.getAttribute("y")) + i * high}h${
            cells.getAttribute("width")
        }v${high}h${-cells.getAttribute("width")}z`
    );
    group.querySelector(":scope > .ab-covered-cells")?.remove();
    if (d.length) cells.after(node("path", { d: d.join(""), class: "ab-covered-cells" }));
}
