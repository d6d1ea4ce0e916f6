// Popovers beside a cell, and one of them: a tooltip at the mouse with the cell's name and number.
// For touch, keyboard and screen readers the line below the drawing shows the same.

import { make, updateElement } from "./dom.js";

const TIP_APART = 14; // pixels from the pointer

export function showTip(svg, text, { clientX, clientY }) {
    const host = svg.parentElement;
    const tip = host.querySelector(":scope > .ab-tip") ??
        make("div", { class: "ab-tip", "aria-hidden": "true", popover: "manual" }, host);
    tip.hidden = false;
    tip.showPopover(); // above all, and placed in the window whatever is around the board
    updateElement(tip, {}, text);
    placeBeside(tip, new DOMRect(clientX, clientY), TIP_APART);
}

// Places an open popover to the right of a box of the window and above it, where it covers neither
// its row nor what is still to be read; without room, to the left and below.
export function placeBeside(popover, { left, right, top, bottom }, apart) {
    const { offsetWidth: wide, offsetHeight: high } = popover,
        { clientWidth, clientHeight } = document.documentElement,
        above = top - apart - high,
        last = clientWidth - 4 - wide;
    const x = right + apart <= last || left + right < clientWidth
        ? Math.min(right + apart, last)
        : Math.max(left - apart - wide, 4);
    const y = above >= 4 ? above : Math.min(bottom + apart, clientHeight - 4 - high);
    Object.assign(popover.style, { left: `${x}px`, top: `${y}px` });
}

export function hideTip(svg) {
    const tip = svg.parentElement?.querySelector(":scope > .ab-tip");
    if (tip) tip.hidden = true;
}
