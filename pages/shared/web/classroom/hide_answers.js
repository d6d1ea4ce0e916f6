// While a class is asked a question, the page hides all numbers except those that the answer is
// computed from, for the lecturer too. The question states everything needed.

import { PAGE } from "../../../../core/board/web/streamlit_page.js";
import { room } from "./socket.js";

// Stays visible: where the class is, the links on, the speaker's notes, and the outlines of
// matrices; beside given numbers, all labels.
const STAYS = [
    ".st-key-board_bar",
    ".st-key-beat",
    ".st-key-page_head h1",
    ".st-key-lecture_foot",
    ".ab-steps",
    ".ab-words",
    ".st-key-speaker",
];
const FRAME = ".ab-matrix > .ab-frame", NAMES = [".ab-label", ".ab-tick", ".ab-symbol"];

// The CSS rules while a question is open; empty if its answer is shown or there is none. A window
// that just joined does not know yet, and hides all.
/** @param {{ asked: { given: string[], shown: boolean } | null, looks: boolean }} room */
export function getHidden({ asked, looks }) {
    if (asked ? asked.shown : !looks) return "";
    const given = asked?.given.map((name) => `.ab-matrix[data-name="${name}"]`) ?? [];
    const seen = [...STAYS, FRAME, ...given, ...(given.length ? NAMES : [])];
    return `${PAGE} { visibility: hidden }
    ${PAGE} *:not(${
        [...seen, ...seen.map((each) => `${each} *`)].join()
    }) { visibility: hidden !important }
    ${PAGE} :is(${seen.join()}) { visibility: visible }
    .ab-matrix:not(${
        given.join() || "#none"
    }) > .ab-frame { fill: var(--ab-secondary-background); stroke-dasharray: 5 4 }`;
}

export function beginHiding() {
    const sheet = new CSSStyleSheet();
    document.adoptedStyleSheets.push(sheet);
    let says = "";
    window.addEventListener("attention-room", () => {
        const now = getHidden(room);
        if (now !== says) sheet.replaceSync(says = now);
    });
}
