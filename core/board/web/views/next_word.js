// View: the words so far, the probability of every next word, and the same probabilities end to end
// from 0 to 1 with the random number that samples one. Texts come formatted from Python; only
// lengths are computed here. Links are reused while the sentence grows, so that repeated clicks and
// the focus are kept.

import { make, node, updateElement } from "../dom.js";
import { textWidth } from "../text.js";
import { registerView } from "../view_registry.js";
/** @import { Data, View } from "../types.d.ts" */

/** @type {View} */
function drawNextWord(host, data, send, _colours, room) {
    const root = host.querySelector(":scope > .ab-next") || nextSkeleton(host);
    root.style.setProperty("--ab-px", `${room.scale}px`);
    root.classList.toggle("ab-next-compared", Boolean(data.compared));
    drawSentence(root.querySelector(".ab-next-sentence"), data);
    const buttons = drawRows(root.querySelector(".ab-next-rows"), data, send);
    drawEndToEnd(root.querySelector(".ab-next-strip"), data, room.w);
    updateElement(root.querySelector(".ab-next-said"), {}, data.said);
    drawActs(root.querySelector(".ab-next-acts"), data.acts);
    function follow([k]) {
        buttons.forEach((button, place) => updateElement(button, { "aria-pressed": place === k }));
        updateElement(root.querySelector("svg"), { "aria-label": data.alt });
    }
    follow(data.chosen);
    return follow;
}

registerView("next_word", drawNextWord);

function nextSkeleton(host) {
    host.replaceChildren();
    const root = make("div", { class: "ab-next" }, host);
    make("p", { class: "ab-next-sentence" }, root);
    make("ol", { class: "ab-next-rows" }, root);
    make("div", { class: "ab-next-strip" }, root);
    make("p", { class: "ab-next-said", "aria-live": "polite" }, root);
    make("p", { class: "ab-next-acts" }, root);
    return root;
}

// The words so far, then the sampled one, and those after it.
/** @param {HTMLElement} line @param {Data} data */
function drawSentence(line, { tokens, joint, drawn, after }) {
    line.replaceChildren();
    for (const token of tokens) {
        make("span", {}, line, token);
        line.append(joint);
    }
    make("b", { class: "ab-output" }, line, drawn);
    for (const token of after) {
        line.append(joint);
        make("span", {}, line, token);
    }
}

// A row per word, the likeliest first: its probability as a bar, with the language's true
// probability where it is known.
/** @param {HTMLElement} list @param {Data} data */
function drawRows(list, { rows, compared, heads, opens }, send) {
    list.replaceChildren();
    const top = Math.max(...rows.flatMap(({ share, language }) => [share, language ?? 0])) || 1;
    const head = make("li", { class: "ab-next-head", "aria-hidden": "true" }, list);
    for (const text of ["", "", heads[0], ...(compared ? [heads[1]] : [])]) {
        make("span", {}, head, text);
    }
    return rows.map((row, k) => {
        const item = make("li", {}, list);
        const button = make("button", {
            type: "button",
            class: `${row.drawn ? "ab-output" : ""}${row.share ? "" : " ab-next-out"}`,
            title: opens,
        }, item);
        if (row.rest) Object.assign(button, { disabled: true, title: "" });
        make("span", { class: "ab-next-word" }, button, row.word);
        const bars = make("span", { class: "ab-next-bars" }, button);
        if (row.language) {
            make("i", { class: "ab-next-language" }, bars).style.width = `${
                (100 * row.language) / top
            }%`;
        }
        make("i", { class: "ab-next-bar" }, bars).style.width = `${(100 * row.share) / top}%`;
        make("span", {}, button, row.said);
        if (compared) make("span", {}, button, row.languageSaid);
        button.addEventListener("click", () => send({ matrix: "next", row: 0, column: k }));
        return button;
    });
}

// All probabilities end to end, and where the random number falls.
/** @param {HTMLElement} strip @param {Data} data */
function drawEndToEnd(strip, { parts, number, numberSaid, alt }, wide) {
    strip.replaceChildren();
    const arrow = node("svg", {
        class: "ab-next-arrow",
        role: "img",
        viewBox: "0 0 100 10",
        preserveAspectRatio: "none",
        "aria-label": alt,
    }, strip);
    if (number !== null) {
        node("path", { d: `M${100 * number} 0v10`, class: "ab-next-needle" }, arrow);
        const label = make("span", { class: "ab-next-number" }, strip, numberSaid);
        label.style.left = `${100 * Math.min(Math.max(number, 0.06), 0.94)}%`;
    }
    const bar = make("div", { class: "ab-next-parts" }, strip);
    for (const { word, share, drawn, rest } of parts) {
        // a cut word would read as another one
        const fits = textWidth(word, "small", 700) + 6 <= share * wide;
        const part = make(
            "span",
            { class: `${drawn ? "ab-output" : ""}${rest ? " ab-next-rest" : ""}`, title: word },
            bar,
            fits ? word : "",
        );
        part.style.width = `${100 * share}%`;
    }
    const axis = make("div", { class: "ab-next-axis", "aria-hidden": "true" }, strip);
    for (const tick of ["0", "0.25", "0.5", "0.75", "1"]) make("span", {}, axis, tick);
}

function drawActs(line, acts) {
    acts.forEach(({ label, sets, href, kind }, k) => {
        const link = line.children[k] || make("a", { target: "_self" }, line);
        link.hidden = !href;
        updateElement(link, { class: kind ? `ab-next-${kind}` : "" }, label);
        if (href) updateElement(link, { href, "data-sets": sets });
        else link.removeAttribute("href");
    });
}
