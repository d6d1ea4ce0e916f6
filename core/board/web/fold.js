// Foldable parts of a board that stay open when the board is redrawn.

import { make } from "./dom.js";

// Keeps a fold open across redraws. `act(isOpen, byUser)` is called at each change.
export function keepFoldOpen(host, fold, kind, act) {
    host.opened ??= new Set();
    fold.open = host.opened.has(kind);
    let isOpen = fold.open;
    if (isOpen) act(true, false);
    fold.addEventListener("toggle", () => {
        if (fold.open === isOpen) return; // opened again above, after a redraw
        isOpen = fold.open;
        host.opened[isOpen ? "add" : "delete"](kind);
        act(isOpen, true);
    });
}

// A folded part whose content is built when it is opened.
export function foldAway(parent, host, kind, title, build) {
    const folded = make("details", { class: kind }, parent);
    make("summary", {}, folded, title);
    keepFoldOpen(host, folded, kind, (isOpen) => {
        if (isOpen && folded.children.length === 1) build(folded);
    });
}
