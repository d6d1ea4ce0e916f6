// Words in their frames, and the lines between them.

import { node } from "./dom.js";

// A word in its frame, with a tick: its position above it (row 0) or its id below (row 1).
export function drawChip(svg, { x, y, w }, row, tick, label) {
    const group = node("g", { class: "ab-chip" }, svg);
    node("rect", { x: x - w / 2, y: y - 17, width: w, height: 34, rx: 8 }, group);
    node("text", { x, y: y + 1, class: "ab-word" }, group, label);
    node(
        "text",
        { x, y: row ? y + 31 : y - 26, class: "ab-tick", "text-anchor": "middle" },
        group,
        tick,
    );
    return group;
}

export const linkWay = (a, b) =>
    `M${a.x} ${a.y + 17}C${a.x} ${a.y + 70} ${b.x} ${b.y - 70} ${b.x} ${b.y - 17}`;

export function drawLink(links, a, b, hot, way = linkWay(a, b)) {
    node("path", { d: way, class: hot ? "ab-link-hot" : "ab-link" }, links);
}
