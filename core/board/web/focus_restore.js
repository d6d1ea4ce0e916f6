// Keeps the keyboard focus across redraws: if the focused element is replaced, the new one in its
// place gets the focus. Otherwise the next Enter would be lost.

import { HTML } from "./streamlit_page.js";

// The elements equivalent to `part`: with the same first class or, without one, the same text.
function findAlike(root, part) {
    const [kind] = part.classList;
    const same = (other) =>
        other.classList[0] === kind && (kind || other.textContent === part.textContent);
    return [...root.querySelectorAll(part.tagName)].filter(same);
}

// The focused part within this root, and its index among the equivalent ones.
export function findFocused(root) {
    const part = document.activeElement;
    return root.contains(part) && part !== root
        ? { part, place: findAlike(root, part).indexOf(part) }
        : null;
}

// Focuses the equivalent of a part that had the focus, else the drawing.
export function restoreFocus(root, { part, place }) {
    (findAlike(root, part)[place] ?? root.querySelector(".ab-svg"))?.focus({ preventScroll: true });
}

// Boards do this themselves as they draw. Texts (st.html) are drawn by Streamlit: their focused
// part is remembered until the user leaves it.
export function beginFocusRestore() {
    const root = document.body,
        inText = (target) => target.closest(HTML) && target.matches(":focus-visible");
    let had = null;
    addEventListener("focusin", ({ target }) => {
        had = inText(target) ? { ...findFocused(root), page: location.pathname } : null;
    });
    addEventListener("focusout", () =>
        queueMicrotask(() => { // left by the user, not removed
            if (had?.part.isConnected && document.activeElement !== had.part) had = null;
        }));
    new MutationObserver(() => {
        if (!had || had.part.isConnected || document.activeElement !== root) return;
        if (had.page !== location.pathname) had = null;
        else findAlike(root, had.part)[had.place]?.focus({ preventScroll: true });
    }).observe(root, { childList: true, subtree: true });
}
