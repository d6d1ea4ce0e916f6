// View: the strip above the story: the sentence, and the numbers computed so far for its two words,
// each linked to the scene that computed it.

import { make } from "../dom.js";
import { chooseColours, paintMatrix } from "../matrix.js";
import { decodeMatrix } from "../decode.js";
import { registerView } from "../view_registry.js";
/** @import { Data } from "../types.d.ts" */

/** @param {Data} data */
function drawStoryNumbers(host, data, _send, colours) {
    host.replaceChildren();
    const [query, key] = data.chosen;
    const strip = make(
        "div",
        { class: "ab-story-numbers", role: "group", "aria-label": data.alt },
        host,
    );
    const line = make("p", { class: "ab-story-numbers-words" }, strip);
    const sameWords = data.keys.join(" ") === data.names.join(" ");
    data.names.forEach((word, k) => {
        make(
            "span",
            k === query ? { class: "ab-q" } : k === key && sameWords ? { class: "ab-k" } : {},
            line,
            word.replace(/[₀-₉]+$/, ""),
        );
        line.append(" ");
    });
    const arc = make("ol", { class: "ab-story-numbers-arc" }, strip);
    for (const bead of data.beads) {
        const item = make("li", { class: "ab-bead" }, arc);
        const part = bead.known
            ? make("a", {
                href: `./${bead.page}`,
                "data-sets": `beat=${bead.beat}`,
                title: "Back to where this was told",
                "aria-label": `${bead.label}: ${
                    bead.shown?.map(([, text]) => text).join(" and ") || "numbers"
                }`,
            }, item)
            : make("div", {}, item);
        make("small", {}, part, bead.label);
        const held = make("b", {}, part);
        for (const [role, text] of bead.shown ?? []) {
            make("span", { class: `ab-${role}` }, held, text);
        }
        for (const row of bead.rows ?? []) {
            const matrix = decodeMatrix(row),
                small = paintMatrix(matrix, chooseColours(matrix, colours));
            small.className = `ab-${matrix.role}`;
            held.append(small);
        }
    }
}

registerView("story_numbers", drawStoryNumbers);
