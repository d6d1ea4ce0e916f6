// Scrolling: a link that opens an exercise scrolls to it once, and “Show me” scrolls to the figure.
// navigation.js follows the links.

import { BLOCK, MAIN } from "../../../../core/board/web/streamlit_page.js";

const EXERCISE = ".ab-exercise";

export function beginExercises() {
    document.addEventListener("click", ({ target }) => {
        const shows = /** @type {Element} */ (target).closest?.(`${EXERCISE} [data-shows]`);
        if (shows) document.querySelector(MAIN)?.scrollTo({ top: 0 });
    }, true);
    const asked = new URLSearchParams(location.search);
    if (asked.get("do") || asked.get("exercise")) keepInView();
}

// Keeps the exercise in view while parts above it are drawn: for 0.9 s, or until the user acts.
function keepInView() {
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
