// The controls of the setup, as the browser's own inputs. Each is drawn once, from what its field
// declares, and from then on shows what the address says; what a hand does with it is an act.

import { make, press, renew } from "../board/dom.js";
import { bringText } from "../browser/bringing.js";

const MOST_ROWS = 60; // of a pasted text that are in view at once
const A_MOMENT = 350; // milliseconds that each moment of training is there at least

export function beginControls(constants) {
    // what the last answer said that the address does not
    let says = { values: {}, off: {}, off_options: {}, most: {}, words: [], asked: [], edits: [] };
    // the controls and parts that are there, each with a function that shows what is in force
    const drawn = new Set();

    const put = (name, value) => window.attentionAddress.act({ [name]: value });

    // What a choice ties is known with the answer; until then the address alone counts.
    function current(name, answered = says.values[name]) {
        const { isAnswered, value } = window.attentionAddress;
        return (isAnswered() ? answered : undefined) ?? value(name);
    }

    function showAll() {
        for (const part of drawn) {
            if (part.box.isConnected) part.show();
            else drawn.delete(part);
        }
    }

    function keepShown(box, show) {
        drawn.add({ box, show });
        show();
    }

    // ---------- a slider ----------

    // Where a hand goes on, its values count as quickly as they are answered, or four times a
    // second; the last one counts at once when the hand lets go.
    let moving = null, last = 0;
    function arrive() {
        const act = moving;
        [moving, last] = [null, performance.now()];
        act();
    }
    function slide(act) {
        moving = act;
        const next = () => {
            if (moving !== act) return;
            if (window.attentionAddress.isAnswered() || performance.now() - last > 250) arrive();
            else setTimeout(next, 30);
        };
        next();
    }

    function drawSlider(box, attributes, act, follow) {
        const slider = make("input", { type: "range", ...attributes }, box);
        const moved = () => act(slider.value);
        slider.addEventListener("input", () => {
            follow(slider.value);
            slide(moved);
        });
        for (const end of ["pointerup", "keyup", "blur"]) {
            slider.addEventListener(end, () => moving === moved && arrive());
        }
        return {
            slider,
            stand: (value) => {
                if (moving !== moved) slider.value = value;
            },
        };
    }

    // ---------- what is typed ----------

    // What a reader is typing stays. Words that are all marked stay so where Back, say, writes
    // others in.
    function showIn(input, value) {
        const isHere = document.activeElement === input;
        if (isHere && input.value !== (input.shown ?? input.value)) return;
        if (input.value !== value) {
            const isMarked = isHere && input.value &&
                input.selectionEnd - input.selectionStart === input.value.length;
            input.value = value;
            if (isMarked) input.select();
        }
        input.shown = input.value;
    }

    // It counts when it is left or entered; Escape leaves it as it was.
    function typing(input, entered, take) {
        input.addEventListener("change", take);
        input.addEventListener("keydown", (event) => {
            if (event.key === "Enter" && !event.isComposing && entered(event)) {
                event.preventDefault();
                take();
            } else if (event.key === "Escape") {
                event.stopPropagation();
                input.value = input.shown ?? input.value;
                input.blur();
            }
        });
        return input;
    }

    // A text that is read while it is typed, and at once when it is pasted. What is too long for a
    // link goes on as a file, and stays where it was typed until the address holds a text again.
    function readWhileTyped(area, name, most) {
        let waits, brought;
        const isLong = () => area.value.length > most;
        function take() {
            clearTimeout(waits);
            const { isAnswered, value } = window.attentionAddress, text = area.value;
            if (!isLong()) {
                area.shown = text;
                if (text.trim() !== value(name).trim()) put(name, text.trim() ? text : null);
                return;
            }
            if (text === brought) return;
            // The address lets its text go first: a file that comes while it is being answered
            // would be lost.
            if (value(name)) put(name, null);
            else if (isAnswered() && bringText(text)) return void (brought = text);
            waits = setTimeout(take, 300);
        }
        area.addEventListener("input", () => {
            clearTimeout(waits);
            waits = setTimeout(take, isLong() ? 2000 : 500);
        });
        area.addEventListener("paste", () => setTimeout(take));
        const stays = (value) => {
            if (value) brought = undefined;
            return !value && isLong();
        };
        return { take, stays };
    }

    // ---------- the kinds of controls ----------

    // Each returns its inputs, and what shows a value in them.
    const KINDS = {
        // A slider with its number beside it; a wide range has the number alone.
        number(box, name, field) {
            const { act = (value) => put(name, value), label, low, high, slides, step } = field;
            const attributes = { min: low, step, "aria-label": label };
            const sliding = slides &&
                drawSlider(box, { ...attributes, max: slides }, act, (value) => {
                    typed.value = value;
                });
            const typed = make("input", {
                ...attributes,
                type: "number",
                max: high,
                "aria-label": slides ? `${label}, typed` : label,
            }, box);
            typing(typed, () => false, () => {
                typed.shown = typed.value;
                if (typed.value !== "") act(typed.value);
            });
            const inputs = [...(sliding ? [sliding.slider] : []), typed];
            return {
                inputs,
                show(value) {
                    const most = says.most[name];
                    if (most) { for (const input of inputs) renew(input, { max: most }); }
                    sliding?.stand(value);
                    showIn(typed, value);
                },
            };
        },
        // A slider through numbers that are there at once, and a way to see them go by, each as it
        // is answered. Its end is the default.
        moments(box, name, { label, stops }) {
            const end = stops.length - 1, { isAnswered, value } = window.attentionAddress;
            const linked = (at) => String(at === end ? constants.defaults[name] : stops[at]);
            let sent, watch = null; // what is watched, as it stands in the address
            const play = press(box, "", () => (watch === null ? begin() : rest()), {
                class: "ab-play",
            });
            const { slider, stand } = drawSlider(
                box,
                { min: 0, max: end, step: 1, "aria-label": label },
                (at) => put(name, linked(Number(at))),
                () => {
                    rest();
                    tell();
                },
            );
            const told = make("output", {}, box);
            const tell = () => {
                told.textContent = `${stops[slider.value]} of ${stops[end]} steps`;
                slider.setAttribute("aria-valuetext", told.textContent);
            };
            function rest() {
                clearInterval(watch);
                watch = null;
                play.textContent = "Watch it learn";
            }
            function begin() {
                play.textContent = "Pause";
                watch = setInterval(goOn, A_MOMENT);
                go(Number(slider.value) === end ? 0 : Number(slider.value) + 1);
            }
            function goOn() {
                const at = Number(slider.value);
                if (!box.isConnected || value(name) !== sent || at === end) rest();
                else if (isAnswered()) go(at + 1);
            }
            function go(at) {
                sent = linked(at);
                slider.value = String(at);
                tell();
                put(name, sent);
            }
            rest();
            return {
                inputs: [slider, play],
                show(given) {
                    if (watch !== null) return;
                    const after = stops.findIndex((stop) => stop >= Number(given));
                    stand(after < 0 ? end : after);
                    tell();
                },
            };
        },
        // One of a few; of `many` as many as one likes, and they fold.
        choice(box, name, { label, many, options, unlisted = [] }) {
            const fold = many && make("details", {}, box),
                chosen = fold && make("summary", {}, fold);
            const group = make("div", {
                class: "ab-options",
                role: many ? "group" : "radiogroup",
                "aria-label": label,
            }, fold || box);
            const inputs = options.map((option) => {
                const around = make("label", {}, group), type = many ? "checkbox" : "radio";
                const input = make("input", { type, name: `ab-${name}`, value: option }, around);
                make("span", {}, around, option);
                input.addEventListener("change", () => {
                    const all = inputs.filter((each) => each.checked).map((each) => each.value);
                    put(name, all.join() || null);
                });
                return input;
            });
            return {
                inputs,
                show(value) {
                    const given = many ? value.split(",") : [value];
                    for (const input of inputs) {
                        input.checked = given.includes(input.value);
                        input.disabled ||= Boolean(says.off_options[name]?.[input.value]);
                        input.parentElement.hidden = !input.checked && !says.models &&
                            unlisted.includes(input.value);
                    }
                    if (many) chosen.textContent = value.replaceAll(",", ", ") || "none";
                },
            };
        },
        // A text: of one line, however many it takes on screen; of `rows`; or one that is `pasted`.
        text(box, name, { label, most, rows, hint = "", pasted }) {
            const area = make("textarea", {
                rows,
                "aria-label": label,
                placeholder: hint,
                autocomplete: "off",
                spellcheck: "false",
                ...(pasted ? { wrap: "off" } : { maxlength: most }),
            }, box);
            const { take, stays } = pasted ? readWhileTyped(area, name, most) : {
                stays: () => false,
                take() {
                    area.shown = area.value;
                    put(name, area.value);
                },
            };
            typing(area, (event) => rows === 1 || event.ctrlKey || event.metaKey, take);
            // What is pasted has room for all its lines, beside which its names stand.
            const grow = () => {
                const lines = area.value.split("\n").length;
                if (pasted) area.rows = Math.min(Math.max(lines, rows), MOST_ROWS);
            };
            area.addEventListener("input", grow);
            const show = () => {
                const value = window.attentionAddress.value(name);
                if (!stays(value)) showIn(area, value);
                grow();
            };
            return { inputs: [area], show };
        },
    };

    // What it is called; the name unfolds what it means.
    function drawLabel(box, { label, help }) {
        if (!help) return void make("span", { class: "ab-called" }, box, label);
        const unfolds = make("details", { class: "ab-called" }, box);
        make("summary", { title: help }, unfolds, label);
        make("p", {}, unfolds, help);
    }

    // `given` goes before what the field declares. `answered` says what is in force by an answer.
    function drawControl(parent, name, given = {}, answered = () => says.values[name]) {
        const field = { ...constants.fields[name], ...given };
        const box = make("div", { class: `ab-control ab-of-${field.kind} st-key-${name}` }, parent);
        drawLabel(box, field);
        const { inputs, show } = KINDS[field.kind](box, name, field);
        const why = make("small", { class: "ab-why" }, box);
        keepShown(box, () => {
            const off = says.off[name], off_options = Object.entries(says.off_options[name] ?? {});
            for (const input of inputs) input.disabled = Boolean(off);
            show(current(name, answered()));
            const reason = off ??
                off_options.map(([option, reason]) => `not ${option}: ${reason}`).join("; ");
            renew(why, {}, reason);
            for (const input of inputs) renew(input, { "aria-description": reason });
        });
        return box;
    }

    return {
        current,
        drawControl,
        keepShown,
        put,
        showAll,
        said: () => says,
        learn: (answered) => {
            says = answered;
        },
    };
}
