// View: the sentence, with the chosen words in the colours of their roles.

import { make } from "../dom.js";
import { registerView } from "../view_registry.js";
/** @import { Data } from "../types.d.ts" */

/** @param {Data} data */
export function drawWords(host, data) {
    host.replaceChildren();
    const line = make("div", { class: "ab-sentence" }, host);
    data.names.forEach((word, k) => {
        make(
            "span",
            k === data.query ? { class: "ab-q" } : k === data.asked ? { class: "ab-k" } : {},
            line,
            word,
        );
    });
    make("div", { class: "ab-followed" }, host, data.said);
}

registerView("words", drawWords);
