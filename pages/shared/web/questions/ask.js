// Questions to a user or a class: the question's lines and its inputs: options, a field, or sliders
// of shares.

import { make, makeButton } from "../../../../core/board/web/dom.js";

const TO_TYPE = {
    number: "A number, to four decimals",
    whole: "A whole number",
};

// The lines of a question; the last one asks.
export function drawLines(parent, asks) {
    const all = asks.split("\n");
    for (const [k, each] of all.entries()) {
        make("p", k === all.length - 1 ? { class: "ab-room-asks" } : {}, parent, each);
    }
}

// A button for each option; `choose` gets its index. `chosen` is the index of the current one, if
// the choice can be changed.
export function drawOptions(parent, options, choose, chosen) {
    const list = make("ul", { class: "ab-ask-options" }, parent);
    for (const [k, option] of options.entries()) {
        const pressed = chosen === undefined ? {} : { "aria-pressed": String(chosen === k) };
        make("bdi", {}, makeButton(make("li", {}, list), "", () => choose(k), pressed), option);
    }
}

// A field for a number with its current text; `answer` gets what is submitted.
export function drawField(parent, kind, text, answer) {
    const form = make("form", {}, parent), name = TO_TYPE[kind];
    const field = make("input", {
        "aria-label": name,
        placeholder: name,
        autocomplete: "off",
        maxlength: 60,
    }, form);
    field.value = text;
    make("button", { type: "submit" }, form, "Answer");
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (field.value.trim()) answer(field.value);
    });
}

// A slider for each option. Moving one rescales the others in proportion, so that they always sum
// to 1. Returns a function for the current shares.
export function drawShares(parent, options) {
    const count = options.length;
    let shares = options.map(() => 1 / count);
    const bars = make("div", { class: "ab-predict-bars" }, parent);
    const parts = options.map((option, k) => {
        const line = make("label", { class: "ab-predict-bar" }, bars);
        make("bdi", {}, line, option);
        const input = make("input", { type: "range", min: 0, max: 1, step: 0.01 }, line);
        const said = make("span", {}, line);
        input.addEventListener("input", () => move(k, Number(input.value)));
        return { input, said };
    });
    const tell = (moved = -1) => {
        const said = roundPercents(shares);
        parts.forEach((part, k) => {
            if (k !== moved) part.input.value = shares[k];
            part.input.setAttribute("aria-valuetext", said[k]);
            part.said.textContent = said[k];
        });
    };
    const move = (k, share) => {
        shares = setShare(shares, k, share);
        tell(k);
    };
    tell();
    return () => shares;
}

// Shares that sum to 1 with a new one at `k`; the others keep their proportions.
export function setShare(shares, k, share) {
    const others = 1 - shares[k];
    const along = (
        other,
    ) => (others > 1e-9 ? (other * (1 - share)) / others : (1 - share) / (shares.length - 1));
    return shares.map((other, at) => (at === k ? share : along(other)));
}

// Shares in whole percents, rounded down or up so that they sum to 100.
export function roundPercents(shares) {
    const whole = shares.map((share) => Math.floor(100 * share + 1e-9));
    const left = 100 - whole.reduce((sum, percent) => sum + percent, 0);
    const rest = (k) => 100 * shares[k] - whole[k];
    for (const k of [...shares.keys()].sort((a, b) => rest(b) - rest(a)).slice(0, left)) {
        whole[k] += 1;
    }
    return whole.map((percent) => `${percent}%`);
}
