// The glossary: each symbol and term in a sentence with a link to its page; those of the current
// page come first. Any link to #glossary opens it, without the server.

import { address } from "../../../core/board/web/address.js";
import { make } from "../../../core/board/web/dom.js";
import { APP } from "../../../core/board/web/streamlit_page.js";

export function beginGlossary({ glossary, pages }) {
    document.addEventListener("click", (event) => {
        if (!event.target.closest?.('a[href$="#glossary"]')) return;
        event.preventDefault();
        const here = address.here().page;
        const first = glossary.filter(({ page }) => page === here);
        openGlossary([...first, ...glossary.filter(({ page }) => page !== here)], pages);
    }, true);
}

function openGlossary(entries, pages) {
    // Inside Streamlit's page, for its colour scheme. Its role keeps arrow keys from turning the
    // page.
    const dialog = make("dialog", {
        class: "ab-glossary",
        role: "dialog",
        "aria-label": "Words and symbols",
    }, document.querySelector(APP) || document.body);
    dialog.addEventListener("close", () => dialog.remove());
    window.addEventListener("attention-moved", () => dialog.close(), { once: true });
    const find = make("input", {
        type: "search",
        placeholder: "Find",
        "aria-label": "Find a word or a symbol",
    }, dialog);
    make("button", { type: "button" }, dialog, "Close").addEventListener(
        "click",
        () => dialog.close(),
    );
    const list = make("dl", { tabindex: "0", "aria-label": "Entries" }, dialog);
    const rows = entries.map((entry) => drawEntry(list, entry, pages));
    find.addEventListener("input", () => {
        const wish = find.value.trim().toLowerCase();
        for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wish);
    });
    dialog.showModal();
}

function drawEntry(list, { name, says, page, role }, pages) {
    const row = make("div", {}, list);
    make("dt", { class: `ab-${role}` }, row, name);
    const said = make("dd", {}, row, `${says} `);
    const { menu } = pages.find(({ path }) => path === page);
    make("a", { href: address.of(page) }, said, menu);
    return row;
}
