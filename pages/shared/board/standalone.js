// Boards without a server around them, in a file or in a notebook's output: each is drawn from the
// data that stands beside it. What is clicked is followed in that drawing alone.

import { drawBoard } from "./board.js";
import { make } from "./dom.js";
import { beginMenus } from "./menu.js";
import { beginMotionKeys } from "./player.js";

// In place of the address, to which a page's acts go.
const NOWHERE = {
    act: () => {},
    choose: (_chooses, cell, host) => host.followsAlone(cell),
    edit: () => false,
    edits: () => [],
    isAnswered: () => true,
    limits: () => ({ most: 0, largest: 0, decimals: 0 }),
    of: () => "",
    row: () => null,
    value: () => "",
};

function beginStandalone(script) {
    const data = JSON.parse(script.textContent);
    const parent = make("div", { class: "ab-standalone" });
    script.replaceWith(parent);
    const draw = (chosen) => {
        const bytes = new TextEncoder().encode(JSON.stringify({ ...data, chosen }));
        drawBoard({ data: bytes, parentElement: parent });
        /** @type {any} */ (parent.firstElementChild).followsAlone = ({ row, column }) =>
            draw([row, column]);
    };
    draw(data.chosen);
}

if (!window.attentionAddress) {
    window.attentionAddress = /** @type {any} */ (NOWHERE);
    beginMenus();
    beginMotionKeys();
}
document.querySelectorAll("script[type='application/json'].ab-board").forEach(beginStandalone);
