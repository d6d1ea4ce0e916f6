// An arc from one word to another, with the attention weight beside it.

import { node, updateElement } from "./dom.js";

/** @param {SVGElement} parent */
export const getArc = (parent) => ({
    line: node("path", { class: "ab-arc-line" }, parent),
    tip: node("path", { class: "ab-arc-tip" }, parent),
    share: node("text", { class: "ab-arc-share" }, parent),
});

// `size` is the font size of the words. An arc to a word in the line above runs between the lines.
export function drawArc({ line, tip, share }, from, to, size, thick) {
    const [across, sign, head] = [from.x - to.x, to.above ? -1 : 1, size * 0.34];
    const rise = to.above ? Math.max((from.y - to.y) / 2, 8) : size * 0.9 + Math.abs(across) * 0.16;
    const end = to.y - sign * head * 0.8; // the line ends under the arrowhead
    const bend = `${from.x} ${from.y - rise} ${to.x} ${to.y - sign * rise}`;
    const wide = head * 0.62, y = to.y - sign * head;
    updateElement(line, {
        d: `M${from.x} ${from.y}C${bend} ${to.x} ${end}`,
        "stroke-width": thick,
    });
    updateElement(tip, { d: `M${to.x} ${to.y}L${to.x - wide} ${y}L${to.x + wide} ${y}Z` });
    const middle = (from.x + to.x) / 2;
    updateElement(
        share,
        to.above
            ? {
                x: middle + across * 0.05 + 8,
                y: (from.y + to.y) / 2 - size * 0.5,
                "text-anchor": "start",
            }
            : { x: middle, y: to.y - rise * 0.75 - thick - size * 0.28, "text-anchor": "middle" },
    );
}
