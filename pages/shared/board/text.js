// Text: how wide it is, how it is made to fit, and which way it is read. Sizes are in pixels before
// a lecture's zoom.

/** @import { Matrix } from "./types.d.ts" */

export const LABEL_FONT = 12;

let measure = null; // a canvas, with the first text
let family = "sans-serif";

// Text is measured in the font that it is drawn in: the one of this element.
export function measureAsIn(element) {
    family = getComputedStyle(element).getPropertyValue("--st-font") || "sans-serif";
    return family;
}

export function textWidth(text, size = LABEL_FONT, weight = 400) {
    measure ??= document.createElement("canvas").getContext("2d");
    measure.font = `${weight} ${size}px ${family}`;
    return measure.measureText(text).width;
}

export const widest = (labels) => Math.max(0, ...labels.map((label) => textWidth(label)));

// A matrix's title with what stands behind it.
/** @param {Pick<Matrix, "title" | "bare">} matrix @param {string} behind */
export const titleWidth = ({ title, bare }, behind) =>
    textWidth(title, 13, 700) + (bare ? 0 : 8 + textWidth(behind));

// Text for which there is less room than it takes is drawn narrower: every letter stays.
export function fitted(text, width, room) {
    if (width <= room) return;
    text.setAttribute("textLength", room);
    text.setAttribute("lengthAdjust", "spacingAndGlyphs");
}

// A word that is written from right to left would turn what stands around it, “ω[first, second]”
// into “ω[second, first]”: it is set apart by characters that cannot be seen. The same in
// core/text.py.
const RIGHT_TO_LEFT =
    /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
export const isolated = (word) => (RIGHT_TO_LEFT.test(word) ? `\u2068${word}\u2069` : word);
