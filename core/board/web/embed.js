// One board by itself, embedded in a slide or a course: `embed=board_scores` in the address names
// it. The page is drawn as usual but hidden; the board covers it, with a link to the full page.
// Streamlit keeps `embed` in the browser and reacts only to "true".

import { make } from "./dom.js";

export const isEmbedded = () =>
    new URLSearchParams(location.search).getAll("embed").find((value) => /^board_\w+$/.test(value));

// Turns the slides around an embedded board, by a message that reveal.js listens to.
export const turnSlides = (by) =>
    window.parent.postMessage(JSON.stringify({ method: by < 0 ? "prev" : "next" }), "*");

export function beginEmbedded() {
    const parts = { foot: null };

    function foot() {
        if (parts.foot) return parts.foot;
        parts.foot = make("p", { class: "ab-alone-foot" }, document.body);
        return parts.foot;
    }

    // The same view without the frame, in a new window.
    function whole() {
        const url = new URL(location.href);
        url.searchParams.delete("embed");
        return url.href;
    }

    function show() {
        const key = isEmbedded();
        document.documentElement.toggleAttribute("data-alone", Boolean(key));
        for (const board of document.querySelectorAll(".ab-alone")) {
            if (!board.matches(`.st-key-${key}`)) board.classList.remove("ab-alone");
        }
        if (!key) return;
        const board = document.querySelector(`.st-key-${CSS.escape(key)}`);
        board?.classList.add("ab-alone");
        const note = foot();
        note.replaceChildren(board ? "" : `This page has no ${key}. `);
        make(
            "a",
            { href: whole(), target: "_blank", "data-new-tab": "", rel: "noopener" },
            note,
            "Open the page",
        );
    }

    window.addEventListener("attention-answered", show);
    window.addEventListener("attention-moved", show);
}

// The HTML that embeds a board elsewhere, at its current height.
export function writeIframe(host) {
    const key = [...(host.closest("[class*=st-key-board_]")?.classList ?? [])].find((name) =>
        name.startsWith("st-key-board_")
    );
    if (!key) return "";
    const url = new URL(location.href);
    // nor the code of a class
    for (const name of ["share", "room"]) url.searchParams.delete(name);
    url.searchParams.set("embed", key.slice("st-key-".length));
    const high = Math.ceil(host.getBoundingClientRect().height) + 56; // the foot and a margin
    return `<iframe src="${
        url.href.replaceAll("&", "&amp;")
    }" width="100%" height="${high}" style="border:0" title="Attention explorer"></iframe>`;
}
