// One row of numbers as a strip, and what a layer's row is called.

import { node } from "./dom.js";
import { coloursOf, picture } from "./matrix.js";

export const STRIP = 8; // how high such a row is

// One row in colours of its own scale, around (cx, y).
export function drawStrip(parent, values, { cx, y, wide }, colours) {
    const matrix = {
        values,
        top: values.reduce((most, v) => Math.max(most, Math.abs(v)), 0) || 1,
        n: 1,
        m: values.length,
    };
    const box = { x: cx - wide / 2, y: y - STRIP / 2, width: wide, height: STRIP };
    const group = node("g", { class: "ab-strip" }, parent);
    node("image", {
        href: picture(matrix, coloursOf(matrix, colours)).toDataURL(),
        ...box,
        preserveAspectRatio: "none",
    }, group);
    node("rect", { ...box, class: "ab-frame" }, group);
    return group;
}

export const handedOn = (layer) =>
    `X⁽${String(layer).replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])}⁾`;
