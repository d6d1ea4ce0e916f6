// Arrows, operator signs where they meet, and notes beside them.

import { drawText, node } from "./dom.js";

// An arrow through these points with round corners; without a head if it goes on.
/**
 * @param {SVGElement} wires @param {{ points: number[][], sign?: { x: number, y: number, text:
 * string }, goesOn?: boolean }} wire
 */
export function drawWire(wires, { points, sign, goesOn }) {
    const [last, before] = [points.at(-1), points.at(-2)];
    node("path", { d: drawRoundedPath(points), class: "ab-wire" }, wires);
    if (!goesOn) node("path", { d: arrowHead(before, last), class: "ab-arrow" }, wires);
    if (sign) drawSign(wires, sign.x, sign.y, sign.text);
}

export function drawRoundedPath(points, radius = 8) {
    const toward = ([x, y], [toX, toY], r) => {
        const size = Math.hypot(toX - x, toY - y) || 1;
        const share = Math.min(r, size / 2) / size;
        return [x + (toX - x) * share, y + (toY - y) * share];
    };
    return points.map((point, k) => {
        if (k === 0) return `M${point}`;
        if (k === points.length - 1) return `L${point}`;
        return `L${toward(point, points[k - 1], radius)}Q${point} ${
            toward(point, points[k + 1], radius)
        }`;
    }).join("");
}

// A triangle whose tip is at the arrow's end.
/** @param {number[]} from @param {number[]} to */
function arrowHead([fromX, fromY], [x, y], size = 8) {
    const long = Math.hypot(x - fromX, y - fromY) || 1;
    const [dx, dy] = [((x - fromX) / long) * size, ((y - fromY) / long) * size];
    return `M${x} ${y}L${x - dx - dy * 0.5} ${y - dy + dx * 0.5}L${x - dx + dy * 0.5} ${
        y - dy - dx * 0.5
    }Z`;
}

// An operator where two arrows meet: a product or a sum.
export function drawSign(parent, x, y, text, r = 9) {
    node("circle", { cx: x, cy: y, r, class: "ab-sign" }, parent);
    const s = text === "+" ? r * 0.55 : r * 0.4;
    const d = text === "+"
        ? `M${x - s} ${y}h${2 * s}M${x} ${y - s}v${2 * s}`
        : `M${x - s} ${y - s}l${2 * s} ${2 * s}M${x + s} ${y - s}l${-2 * s} ${2 * s}`;
    node("path", { d, class: "ab-sign-stroke" }, parent);
}

/**
 * @param {SVGElement} svg @param {{ x: number, y: number, text: string, anchor?: string, shape?:
 * boolean, behind?: string }} note
 */
export function drawNote(svg, { x, y, text, anchor = "middle", shape, behind }) {
    const note = drawText(svg, text, x, y, shape ? "ab-station-shape" : "ab-note", {
        style: `text-anchor: ${anchor}`,
    });
    if (behind) {
        node(
            "tspan",
            { dx: 6, class: "ab-station-shape", style: `text-anchor: ${anchor}` },
            note,
            behind,
        );
    }
}
