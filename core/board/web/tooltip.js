// A tooltip at the mouse: the cell's name and number. For touch, keyboard and screen readers the
// line below the drawing shows the same.

import { make, updateElement } from "./dom.js";

const TIP_APART = 14; // pixels from the pointer

export function showTip(svg, text, { clientX, clientY }) {
    const host = svg.parentElement;
    const tip = host.querySelector(":scope > .ab-tip") ??
        make("div", { class: "ab-tip", "aria-hidden": "true", popover: "manual" }, host);
    tip.hidden = false;
    tip.showPopover(); // above all, and placed in the window whatever is around the board
    updateElement(tip, {}, text);
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
    // Above the pointer, where it covers nothing still to be read; below it if there is no room.
    tip.style.top = `${
        clientY - TIP_APART - high >= 4 ? clientY - TIP_APART - high : clientY + TIP_APART
    }px`;
}

export function hideTip(svg) {
    const tip = svg.parentElement?.querySelector(":scope > .ab-tip");
    if (tip) tip.hidden = true;
}
