// Draws a QR code from the path of its dark modules, with the quiet zone that readers need.

import { node } from "../../../core/board/web/dom.js";

export function drawCode(parent, path, name) {
    const size = Math.max(...path.match(/M\d+/g).map((x) => Number(x.slice(1)))) + 1;
    const svg = node("svg", {
        viewBox: `-4 -4 ${size + 8} ${size + 8}`,
        role: "img",
        "aria-label": name,
    }, parent);
    node("path", { d: path }, svg);
}
