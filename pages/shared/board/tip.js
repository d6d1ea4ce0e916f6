// What a mouse points at, said where it points: the cell's name and its number. Fingers would cover
// it, keys have no place, and for screen readers the line below the drawing says it.

import { make, renew } from "./dom.js";

const TIP_APART = 14; // pixels from the pointer

export function showTip(svg, text, { clientX, clientY }) {
    const host = svg.parentElement;
    const tip = host.querySelector(":scope > .ab-tip") ??
        make("div", { class: "ab-tip", "aria-hidden": "true" }, host);
    tip.hidden = false;
    renew(tip, {}, text);
    const beside = (
        at,
        size,
        most,
    ) => (at + TIP_APART + size <= most ? at + TIP_APART : Math.max(at - TIP_APART - size, 4));
    const {
        offsetWidth: wide,
        offsetHeight: high,
        ownerDocument: { documentElement: { clientWidth } },
    } = tip;
    tip.style.left = `${beside(clientX, wide, clientWidth - 4)}px`;
    // Above it, where it covers no number that is still to be read; below it where there is no
    // room.
    tip.style.top = `${
        clientY - TIP_APART - high >= 4 ? clientY - TIP_APART - high : clientY + TIP_APART
    }px`;
}

export function hideTip(svg) {
    const tip = svg.parentElement?.querySelector(":scope > .ab-tip");
    if (tip) tip.hidden = true;
}
