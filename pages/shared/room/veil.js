// What would tell the answer before it is shown: as long as a class is asked, the page shows to all
// of it, the lecturer too, no number but those that the answer is computed of. What has to be known
// stands in the question.

import { PAGE } from "../browser/streamlit_page.js";
import { room } from "./line.js";

// Where the class is, the ways on and the speaker's notes stay, and where matrices stand; beside
// numbers that are given, all names.
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

// The rules while this is asked; none where its answer is shown or nothing is asked. Whoever comes
// in does not know yet what is.
/** @param {{ asked: { given: string[], shown: boolean } | null, looks: boolean }} room */
export function veilOf({ asked, looks }) {
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

export function beginVeil() {
    const sheet = new CSSStyleSheet();
    document.adoptedStyleSheets.push(sheet);
    let says = "";
    window.addEventListener("attention-room", () => {
        const now = veilOf(room);
        if (now !== says) sheet.replaceSync(says = now);
    });
}
