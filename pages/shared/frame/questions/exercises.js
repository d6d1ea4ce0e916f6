// Where the reader looks: a link that opens an exercise brings it into view, once, and “Show me”
// the figure at the top. Links go on by themselves after that (address.js).

import { BLOCK, MAIN } from "../../browser/streamlit_page.js";

const EXERCISE = ".ab-exercise";

export function beginExercises() {
    document.addEventListener("click", ({ target }) => {
        const shows = /** @type {Element} */ (target).closest?.(`${EXERCISE} [data-shows]`);
        if (shows) document.querySelector(MAIN)?.scrollTo({ top: 0 });
    }, true);
    const asked = new URLSearchParams(location.search);
    if (asked.get("do") || asked.get("exercise")) comeIntoView();
}

// What is drawn above it later pushes it down: it is followed for a while, until the reader acts.
function comeIntoView() {
    const timer = setInterval(() => {
        const exercise = document.querySelector(EXERCISE);
        if (!exercise) return;
        (exercise.closest(BLOCK) ?? exercise).scrollIntoView({ block: "center" });
        setTimeout(end, 900);
    }, 150);
    const end = () => clearInterval(timer);
    for (const kind of ["wheel", "pointerdown", "keydown"]) {
        window.addEventListener(kind, end, { once: true, passive: true });
    }
}
