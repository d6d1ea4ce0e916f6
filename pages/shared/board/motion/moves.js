// What all performances are made of: what comes and goes, what covers and uncovers, what runs along
// a line.

import { node } from "../dom.js";

export const within = (least, value, most) => Math.min(Math.max(value, least), most);

export function shown(element, isShown) {
    if (isShown) element.removeAttribute("display");
    else element.setAttribute("display", "none");
}

// Over the result's cells that are still to come. What comes back uncovers as many as there are.
export function drawVeil(layer, { matrix: { m, n, role }, x, y, uw, uh }, { rows, start }) {
    const veil = node("path", { class: "ab-veil" }, layer);
    node("rect", { x, y, width: m * uw, height: n * uh, class: `ab-frame ab-${role}` }, layer);
    const over = (
        row,
        column,
        count,
    ) => (count ? `M${x + column * uw} ${y + row * uh}h${count * uw}v${uh}h${-count * uw}z` : "");
    return (reached) => {
        const ways = rows.map((row, rank) => {
            const done = within(0, reached - rank * m, m);
            const first = (start(rank) + done) % m;
            // up to the row's end; the others stand at its beginning
            const before = Math.min(m - done, m - first);
            return over(row, first, before) + over(row, 0, m - done - before);
        });
        veil.setAttribute("d", ways.join(""));
    };
}

// A line that is drawn as far as something has come along it, 0 to 1.
export function drawnAlong(layer, way) {
    const line = node("path", {
        d: way,
        class: "ab-link-hot",
        pathLength: 1,
        "stroke-dasharray": 1,
    }, layer);
    return (share) => {
        shown(line, share > 0);
        line.setAttribute("stroke-dashoffset", 1 - share);
    };
}
