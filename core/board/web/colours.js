// Colours: a number's colour on its matrix's scale, and a text colour with enough contrast. A
// colour is [red, green, blue].

/** @import { Matrix, Colours, Colour } from "./types.d.ts" */

export function parseColour(text) {
    const value = text.trim();
    if (value.startsWith("#")) {
        const hex = value.length === 4
            ? [...value.slice(1)].map((c) => c + c).join("")
            : value.slice(1);
        return [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16));
    }
    return (value.match(/[\d.]+/g) || [0, 0, 0]).slice(0, 3).map(Number);
}

// The colours of the current theme, light or dark, as Streamlit passes them to a component.
export function readPalette(element) {
    const style = getComputedStyle(element);
    const list = (name) =>
        style.getPropertyValue(name).match(/#[0-9a-fA-F]+|rgba?\([^)]*\)/g) || ["#fff", "#888"];
    return {
        diverging: list("--st-chart-diverging-colors").map(parseColour),
        sequential: list("--st-chart-sequential-colors").map(parseColour),
        background: parseColour(style.getPropertyValue("--st-background-color")),
        gray: parseColour(style.getPropertyValue("--st-gray-color")),
    };
}

// The colour at t in [0, 1], interpolated between these stops.
export function blend(stops, t) {
    const place = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
    const low = Math.min(Math.floor(place), stops.length - 2);
    return stops[low].map((c, k) => Math.round(c + (stops[low + 1][k] - c) * (place - low)));
}

// A matrix's scale is "sequential" (shares), "plain" (neither sign nor share), or diverging: ten
// colours, the middle two the background, so each sign has a scale that starts at zero. "for" has the
// same colours: what is above zero speaks for a word.
/** @param {Pick<Matrix, "scale" | "top">} matrix @param {Colours} colours */
export function getColour(v, matrix, colours) {
    if (!Number.isFinite(v)) return colours.background;
    if (matrix.scale === "plain") return blend([colours.background, colours.gray], v / matrix.top);
    if (matrix.scale === "sequential") return blend(colours.sequential, v / matrix.top);
    const size = (Math.abs(v) / matrix.top) ** 0.7; // makes small values visible beside large ones
    return blend(
        v < 0 ? colours.diverging.slice(0, 5).reverse() : colours.diverging.slice(5),
        size,
    );
}

/** @param {Colour} colour */
export function chooseInk(colour) {
    const [r, g, b] = colour.map((
        c,
    ) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    // At luminance 0.179 black and white text both have a contrast of 4.58.
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000000" : "#ffffff";
}

// Copies the theme's colours, which Streamlit gives to components only, to the whole page. Sets
// only those that changed, since each change makes the browser recompute the page's styles.
export function shareTheme(element) {
    const style = getComputedStyle(element), shared = document.documentElement.style;
    for (
        const name of [
            "text",
            "gray-text",
            "blue-text",
            "red-text",
            "green-text",
            "violet-text",
            "yellow-text",
            "orange-text",
            "link",
            "background",
            "border",
            "gray",
            "primary",
            "secondary-background",
        ]
    ) {
        const colour = style.getPropertyValue(`--st-${name}-color`);
        if (shared.getPropertyValue(`--ab-${name}`) !== colour) {
            shared.setProperty(`--ab-${name}`, colour);
        }
    }
}
