// Who works by keyboard stays where they are: where an answer draws anew what has the focus, what
// stands there then has it. Otherwise the page itself would have it, and the next Enter would be
// lost.

import { HTML } from "./streamlit_page.js";

// Of a drawing's or a text's parts those that are the same thing to a reader: by their class or,
// where they have none, their words.
function alike(root, part) {
    const [kind] = part.classList;
    const same = (other) =>
        other.classList[0] === kind && (kind || other.textContent === part.textContent);
    return [...root.querySelectorAll(part.tagName)].filter(same);
}

// Where in this root the focus is: which part, and which of those alike.
export function focusedIn(root) {
    const part = document.activeElement;
    return root.contains(part) && part !== root
        ? { part, place: alike(root, part).indexOf(part) }
        : null;
}

// What stands in the place of a part that had the focus has it; if there is none, the drawing.
export function focusAgain(root, { part, place }) {
    (alike(root, part)[place] ?? root.querySelector(".ab-svg"))?.focus({ preventScroll: true });
}

// Boards see to it themselves as they draw. A text (st.html) is drawn by Streamlit: what was
// focused in one is remembered as long as the focus is there, or would be.
export function beginKeeping() {
    const root = document.body,
        inText = (target) => target.closest(HTML) && target.matches(":focus-visible");
    let had = null;
    addEventListener("focusin", ({ target }) => {
        had = inText(target) ? { ...focusedIn(root), page: location.pathname } : null;
    });
    addEventListener("focusout", () =>
        queueMicrotask(() => { // left, and not taken away
            if (had?.part.isConnected && document.activeElement !== had.part) had = null;
        }));
    new MutationObserver(() => {
        if (!had || had.part.isConnected || document.activeElement !== root) return;
        if (had.page !== location.pathname) had = null;
        else alike(root, had.part)[had.place]?.focus({ preventScroll: true });
    }).observe(root, { childList: true, subtree: true });
}
