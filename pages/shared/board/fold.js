// What folds away on a board, and stays open where an answer draws the board anew.

import { make } from "./dom.js";

// An answer draws the board anew; what was open stays open. `act` is told of both, and whether a
// reader asked just now.
export function keptOpen(host, fold, kind, act) {
    host.opened ??= new Set();
    fold.open = host.opened.has(kind);
    let isOpen = fold.open;
    if (isOpen) act(true, false);
    fold.addEventListener("toggle", () => {
        if (fold.open === isOpen) return; // it was opened here
        isOpen = fold.open;
        host.opened[isOpen ? "add" : "delete"](kind);
        act(isOpen, true);
    });
}

// Folded away, and built when it is opened.
export function foldAway(parent, host, kind, title, build) {
    const folded = make("details", { class: kind }, parent);
    make("summary", {}, folded, title);
    keptOpen(host, folded, kind, (isOpen) => {
        if (isOpen && folded.children.length === 1) build(folded);
    });
}
