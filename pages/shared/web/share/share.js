// Links to copy, and the QR code of the chosen one. Uses dom.js, copy.js and qr.js, which are
// sent with it.

import { make } from "../../../../core/board/web/dom.js";
import { drawCode } from "../qr.js";
import { copyText } from "../copy.js";

const CUT = 2000; // characters

function draw(place, { name, link, code }, note) {
    place.replaceChildren();
    if (link.length > CUT) {
        make(
            "p",
            {},
            place,
            `This link has ${link.length} characters. Some programs for mail and chat cut a link after ${CUT}.`,
        );
    }
    if (!code) {
        make(
            "p",
            {},
            place,
            "This link is too long for a code: a shorter sentence or fewer edits fit.",
        );
        return;
    }
    drawCode(place, code, `A QR code of the link: ${name}`);
    if (note) make("p", { class: "note" }, place, note);
}

// A modal dialog: Tab stays inside; Escape, a click outside and its last link close it.
function beginDialog(dialog) {
    if (dialog.getAttribute("role") === "dialog") return;
    const close = () =>
        /** @type {HTMLElement | null} */ (dialog.querySelector('[data-sets="share=off"]'))
            ?.click();
    for (
        const [name, value] of Object.entries({
            role: "dialog",
            "aria-modal": "true",
            "aria-label": "Share",
            tabindex: "-1",
        })
    ) dialog.setAttribute(name, value);
    dialog.addEventListener("keydown", (event) => {
        if (event.key === "Escape") close();
        if (event.key !== "Tab") return;
        const all = [
            ...dialog.querySelectorAll("a[href], button, input, select, summary, textarea"),
        ].filter((each) => each.offsetParent && !each.disabled);
        const [end, start] = event.shiftKey ? [all[0], all.at(-1)] : [all.at(-1), all[0]];
        if (document.activeElement !== end && document.activeElement !== dialog) return;
        if (document.activeElement === dialog && !event.shiftKey) return;
        event.preventDefault();
        start.focus();
    });
    document.addEventListener("pointerdown", function beside(event) {
        if (!dialog.isConnected) return document.removeEventListener("pointerdown", beside);
        // whose own click closes it
        if (!dialog.contains(event.target) && !event.target.closest(".st-key-share")) close();
    });
    dialog.focus();
}

// Where Streamlit writes that a file could not be made, a run of the page says why.
function askWhyOfFailed(dialog) {
    let failed = 0;
    new MutationObserver(() => {
        const before = failed;
        failed = dialog.querySelectorAll("[data-testid=stDownloadButtonError]").length;
        if (failed > before) dialog.querySelector(".st-key-say_why button")?.click();
    }).observe(dialog, { childList: true, subtree: true });
}

export default function ({ data: bytes, parentElement }) {
    const said_by = new TextDecoder().decode(bytes);
    if (parentElement.said_by === said_by) return; // keeps the chosen code and the focus
    const is_new = parentElement.said_by === undefined;
    parentElement.said_by = said_by;
    const data = JSON.parse(said_by);
    parentElement.querySelector(".links")?.remove();
    const all = make("div", { class: "links" }, parentElement);
    const list = make("div", { class: "list" }, all);
    const place = make("div", { class: "code" }, all);
    let card = null;
    data.links.forEach((entry, k) => {
        if (entry.group !== data.links[k - 1]?.group) {
            card = make("section", { class: "card" }, list);
            make("h4", {}, card, entry.group);
        }
        const row = make("div", { class: "row" }, card);
        const choose = make(
            "button",
            { class: "name", type: "button", "aria-pressed": String(k === 0) },
            row,
            entry.name,
        );
        const field = make("input", {
            readonly: "",
            "aria-label": `Link: ${entry.name}`,
            title: entry.link,
        }, row);
        field.value = entry.link;
        const button = make(
            "button",
            { type: "button", "aria-label": `Copy link: ${entry.name}` },
            row,
            "Copy",
        );
        button.addEventListener("click", async () => {
            said.textContent = await copyText(entry.link, () => field.select());
        });
        choose.addEventListener("click", () => {
            for (const other of list.querySelectorAll(".name")) {
                other.setAttribute("aria-pressed", String(other === choose));
            }
            draw(place, entry, data.note);
        });
    });
    const said = make("p", { role: "status" }, list);
    draw(place, data.links[0], data.note);
    if (is_new) { // scrolls to it and focuses it
        const dialog = parentElement.closest(".st-key-sharing");
        if (dialog) {
            beginDialog(dialog);
            askWhyOfFailed(dialog);
        }
        list.querySelector(".name").focus();
    }
}
