// Boards without a server, in an HTML file or a notebook: each is drawn from the data beside it. A
// click changes only that drawing.

import { drawBoard } from "./board.js";
import { make } from "./dom.js";
import { beginMenus } from "./menu.js";
import { beginMotionKeys } from "./player.js";

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

if (!window.attentionReady) {
    window.attentionReady = true;
    beginMenus();
    beginMotionKeys();
}
document.querySelectorAll("script[type='application/json'].ab-board").forEach(beginStandalone);
