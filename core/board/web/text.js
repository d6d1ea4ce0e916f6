// Text: its width, fitting it into a width, and its direction. Sizes are pixels before a lecture's
// zoom.

/** @import { Matrix } from "./types.d.ts" */

// The five sizes in a drawing; the same in base.css.
export const SIZES = { label: 12, small: 14, said: 16, large: 20, title: 28 };

let measure = null; // a canvas, created with the first text
let family = "sans-serif";

// Measures text in the font of this element.
export function measureInFont(element) {
    family = getComputedStyle(element).getPropertyValue("--st-font") || "sans-serif";
    return family;
}

/** @param {string} text @param {keyof SIZES} size */
export function textWidth(text, size = "label", weight = 400) {
    measure ??= document.createElement("canvas").getContext("2d");
    measure.font = `${weight} ${SIZES[size]}px ${family}`;
    return measure.measureText(text).width;
}

export const measureWidest = (labels) => Math.max(0, ...labels.map((label) => textWidth(label)));

// The width of a matrix's title and the text after it.
/** @param {Pick<Matrix, "title" | "bare">} matrix @param {string} behind */
export const measureTitle = ({ title, bare }, behind) =>
    textWidth(title, "small", 700) + (bare ? 0 : 8 + textWidth(behind));

// Condenses text that is wider than its room; no letter is cut.
export function fitText(text, width, room) {
    if (width <= room) return;
    text.setAttribute("textLength", room);
    text.setAttribute("lengthAdjust", "spacingAndGlyphs");
}

// A right-to-left word would reverse the text around it, “ω[first, second]” to “ω[second, first]”:
// invisible characters isolate it. The same in core/text/text.py.
const RIGHT_TO_LEFT =
    /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
export const isolate = (word) => (RIGHT_TO_LEFT.test(word) ? `\u2068${word}\u2069` : word);
