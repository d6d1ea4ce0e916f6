// What a reader has of the explorer so far. Who comes for the first time, without a link, sees the
// opening alone; who was told the story has the panel's words, and with each page that they go on
// to a part more. This browser keeps how far that is.

import { remember, remembered } from "./remembered.js";

// the panel's parts: words, heads, sizes, the rest
const GROWN_KEPT = "attention-grown", ALL_GROWN = 4;

const isToldLink = (link) => new URLSearchParams(link).get("route") === "story";
const isFirstVisit = ({ page, link }) => (page === "" && link === "") || isToldLink(link);

// How much there is when a window opens: none of it for a first visit without a link; whoever comes
// by one, or was here, has all.
export const grownAtFirst = (kept, here) => kept ?? (isFirstVisit(here) ? 0 : ALL_GROWN);

// And after an act that leads from one address to another: a page more is a part more; out of the
// opening or the story, by whatever way, leads to all of it.
export function grownAfter(grown, from, to) {
    if (isFirstVisit(to)) return grown;
    if (grown === 0) return ALL_GROWN;
    return from && from.page !== to.page ? Math.min(grown + 1, ALL_GROWN) : grown;
}

export function beginGrowing() {
    const { here } = window.attentionAddress, root = document.documentElement;
    let grown = 0, before = here();
    const show = (next) => {
        grown = next;
        root.dataset.grown = String(grown);
        if (grown) remember(GROWN_KEPT, grown);
    };
    show(grownAtFirst(remembered(GROWN_KEPT, null), before));
    window.addEventListener("attention-moved", () => {
        show(grownAfter(grown, before, here()));
        before = here();
    });
    window.addEventListener("click", ({ target }) => { // before the address hears of it
        const grows = /** @type {Element} */ (target).closest?.("[data-grows]");
        if (!grows) return;
        before = null; // where it leads is not yet a page more
        show(Math.max(grown, Number(grows.dataset.grows)));
        if (grown === 1) {
            window.addEventListener("attention-answered", () => {
                const field = /** @type {HTMLTextAreaElement | null} */ (document.querySelector(
                    ".ab-panel .ab-of-text textarea",
                ));
                field?.focus();
                field?.select();
            }, { once: true });
        }
    }, true);
}
