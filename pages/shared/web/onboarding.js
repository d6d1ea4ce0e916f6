// How much of the explorer is shown. A first visit without a link shows only the opening, then the
// story; whoever leaves those gets the whole workshop from then on, remembered in this browser.

import { address } from "../../../core/board/web/address.js";
import { readStored, store } from "./base/storage.js";

const GROWN_KEPT = "attention-grown"; // 0: the opening and the story, 1: the workshop

const isTold = ({ link }) => new URLSearchParams(link).get("route") === "story";

// At the start: the workshop for a returning user or a link.
export const isGrownAtStart = (kept, here) =>
    kept ? 1 : (here.page === "" && here.link === "") || isTold(here) ? 0 : 1;

// After an act: moving within the landing page or the story does not grow; links out of them say
// so.
export const isGrownAfter = (grown, to) => (isTold(to) || to.page === "" ? grown : 1);

export function beginOnboarding() {
    const { here } = address, root = document.documentElement;
    let grown = 0;
    const show = (next) => {
        grown = next;
        root.dataset.grown = String(grown);
        if (grown) store(GROWN_KEPT, grown);
    };
    show(isGrownAtStart(readStored(GROWN_KEPT, 0), here()));
    window.addEventListener("attention-moved", () => show(isGrownAfter(grown, here())));
    window.addEventListener("click", ({ target }) => { // before the address hears of it
        /** @type {HTMLElement | null} */
        const grows = /** @type {Element} */ (target).closest?.("[data-grows]");
        if (!grows) return;
        show(1);
        if (grows.dataset.grows !== "own") return;
        window.addEventListener("attention-answered", () => {
            const field = /** @type {HTMLTextAreaElement | null} */ (document.querySelector(
                ".ab-panel .ab-of-text textarea",
            ));
            field?.focus();
            field?.select();
        }, { once: true });
    }, true);
}
