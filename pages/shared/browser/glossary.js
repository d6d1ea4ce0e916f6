// The glossary: each symbol and term in plain words, with the way to its page. Drawn when a link to
// it is followed, in the browser alone. Any link to #glossary opens it.

import { make } from "../board/dom.js";
import { APP } from "./streamlit_page.js";

const ON_THIS_PAGE = "On this page";

function drawEntry(list, entry, pages, group) {
    const row = make("div", {}, list);
    make("dt", { class: `ab-${entry.role}` }, row, entry.name);
    const said = make("dd", {}, row, `${entry.says} `);
    const title = pages.find((page) => page.path === entry.page).menu;
    if (group !== ON_THIS_PAGE) {
        make("a", { href: window.attentionAddress.of(entry.page) }, said, title);
    }
    return { row, text: `${entry.name} ${entry.says} ${title}`.toLowerCase() };
}

function drawGlossary(dialog, { glossary, pages }) {
    const head = make("div", { class: "ab-glossary-head" }, dialog);
    make("h2", { id: "ab-glossary-title" }, head, "Words and symbols");
    const find = make("input", {
        type: "search",
        placeholder: "Find",
        "aria-label": "Find a word or a symbol",
    }, head);
    make("button", { type: "button" }, head, "Close").addEventListener(
        "click",
        () => dialog.close(),
    );
    const body = make("div", {
        class: "ab-glossary-body",
        tabindex: "0",
        role: "region",
        "aria-label": "Entries",
    }, dialog);
    const page = window.attentionAddress.here().page;
    const groupOf = (entry) => (entry.page === page ? ON_THIS_PAGE : entry.group);
    const groups = [...new Set([ON_THIS_PAGE, ...glossary.map((entry) => entry.group)])].map(
        (group) => {
            const section = make("section", {}, body);
            make("h3", {}, section, group);
            const list = make("dl", {}, section);
            const entries = glossary.filter((entry) => groupOf(entry) === group);
            section.hidden = !entries.length;
            return { section, rows: entries.map((entry) => drawEntry(list, entry, pages, group)) };
        },
    );
    const nothing = make("p", { role: "status" }, body);
    find.addEventListener("input", () => {
        const wish = find.value.trim().toLowerCase();
        for (const { section, rows } of groups) {
            for (const { row, text } of rows) row.hidden = !text.includes(wish);
            section.hidden = rows.every(({ row }) => row.hidden);
        }
        nothing.textContent = groups.every(({ section }) => section.hidden)
            ? "No entry has these letters."
            : "";
    });
}

function openGlossary(data) {
    // Within Streamlit's own page, whose scheme of colours it has. Its role keeps the arrow keys
    // from turning the page below.
    const parent = document.querySelector(APP) || document.body;
    const dialog = make("dialog", {
        class: "ab-glossary",
        role: "dialog",
        "aria-labelledby": "ab-glossary-title",
    }, parent);
    dialog.addEventListener("close", () => dialog.remove());
    // beside it
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    // on to a page
    window.addEventListener("attention-moved", () => dialog.close(), { once: true });
    drawGlossary(dialog, data);
    dialog.showModal();
}

export function beginGlossary(data) {
    document.addEventListener("click", (event) => {
        if (!event.target.closest?.('a[href$="#glossary"]')) return;
        event.preventDefault();
        openGlossary(data);
    }, true);
}
