// The controls of the setup as HTML inputs. Each is drawn once from its field's declaration and
// then shows the value in the address; a change is an act.

import { address } from "../../../../core/board/web/address.js";
import { make, makeButton, updateElement } from "../../../../core/board/web/dom.js";
import { pasteText } from "../drop.js";

const MOST_ROWS = 60; // most visible lines of a pasted text
const A_MOMENT = 350; // milliseconds that each training moment is shown at least

export function beginControls(constants) {
    // the last answer, for what the address does not contain
    let says = {
        values: {},
        off: {},
        off_options: {},
        most: {},
        words: [],
        asked: [],
        edits: [],
        adds: {},
    };
    // the current controls and parts, each with a function that shows its value
    const drawn = new Set();

    // The page Real model adds what it reads to an address without a model.
    const put = (name, value) => {
        const { act, isAnswered } = address;
        act({ ...(isAnswered() ? says.adds : {}), [name]: value });
    };

    // The answered value of a field, since one choice may fix another; until then the address's.
    function current(name, answered = says.values[name]) {
        const { isAnswered, value } = address;
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

    // During a drag, values are sent as fast as they are answered, at least four times a second;
    // the last one at once on release.
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
            if (address.isAnswered() || performance.now() - last > 250) arrive();
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

    // ---------- text fields ----------

    // Shows a value, but keeps text that is being typed. A full selection stays selected when, for
    // example, Back replaces the text.
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

    // A change is applied on blur or Enter; Escape restores the old text.
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

    // Reads a text while it is typed, and at once when pasted. A text too long for a link is
    // uploaded as a file and stays in the field until the address has a text again.
    function readWhileTyped(area, name, most, longest) {
        let waits, brought;
        const isLong = () => area.value.length > most;
        function take() {
            clearTimeout(waits);
            const { isAnswered, value } = address, text = area.value;
            if (!isLong()) {
                area.shown = text;
                if (text.trim() !== value(name).trim()) put(name, text.trim() ? text : null);
                return;
            }
            if (text === brought) return;
            // First removes the address's text: a file sent during that rerun would be lost.
            if (value(name)) put(name, null);
            else if (isAnswered() && pasteText(text)) return void (brought = text);
            waits = setTimeout(take, 300);
        }
        area.addEventListener("input", () => {
            clearTimeout(waits);
            waits = setTimeout(take, isLong() ? 2000 : 500);
        });
        area.addEventListener("paste", (event) => {
            const { length } = event.clipboardData.getData("text");
            if (length <= longest) return void setTimeout(take);
            event.preventDefault(); // a field with megabytes stops the browser
            const [given, read] = [length, longest].map((count) => Math.round(count / 1000));
            area.parentElement.querySelector(".ab-why").textContent =
                `This text has ${given} kB, and at most ${read} kB are read: paste its matrices alone.`;
        });
        const stays = (value) => {
            if (value) brought = undefined;
            return !value && isLong();
        };
        return { take, stays };
    }

    // ---------- the kinds of controls ----------

    // Each returns its inputs, and a function that shows a value in them.
    const KINDS = {
        // A slider with a number field; a wide range has only the field.
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
                    if (most) { for (const input of inputs) updateElement(input, { max: most }); }
                    sliding?.stand(value);
                    showIn(typed, value);
                },
            };
        },
        // A slider over numbers that are available at once, with a button that plays them, each as
        // it is answered. The end is the default.
        moments(box, name, { label, stops }) {
            const end = stops.length - 1, { isAnswered, value } = address;
            const linked = (at) => String(at === end ? constants.defaults[name] : stops[at]);
            let sent, watch = null; // the link parameter of the played moment
            const play = makeButton(box, "", () => (watch === null ? begin() : rest()), {
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
        // One of several options; with `many`, any number of them, in a fold.
        choice(box, name, { label, many, options, names = {}, unlisted = [] }) {
            const nameOption = (option) => names[option] ?? option;
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
                make("span", {}, around, nameOption(option));
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
                    if (many) chosen.textContent = given.map(nameOption).join("; ") || "none";
                },
            };
        },
        // A text of one line (which may wrap), of `rows` lines, or pasted, of `longest` characters.
        text(box, name, { label, most, rows, hint = "", longest, title = "" }) {
            const area = make("textarea", {
                rows,
                title,
                "aria-label": label,
                placeholder: hint,
                autocomplete: "off",
                spellcheck: "false",
                ...(longest ? { wrap: "off" } : { maxlength: most }),
            }, box);
            const { take, stays } = longest ? readWhileTyped(area, name, most, longest) : {
                stays: () => false,
                take() {
                    area.shown = area.value;
                    put(name, area.value);
                },
            };
            // Shift + Enter begins a line, which a real model reads.
            const entered = ({ ctrlKey, metaKey, shiftKey }) =>
                (rows === 1 && !shiftKey) || ctrlKey || metaKey;
            typing(area, entered, take);
            // A pasted text shows all its lines, with the names beside them.
            const grow = () => {
                const lines = area.value.split("\n").length;
                if (longest) area.rows = Math.min(Math.max(lines, rows), MOST_ROWS);
            };
            area.addEventListener("input", grow);
            const show = () => {
                const value = address.value(name);
                if (!stays(value)) showIn(area, value);
                grow();
            };
            return { inputs: [area], show };
        },
    };

    // A control's label, which unfolds its explanation.
    function drawLabel(box, { label, help }) {
        if (!help) return void make("span", { class: "ab-called" }, box, label);
        const unfolds = make("details", { class: "ab-called" }, box);
        make("summary", { title: help }, unfolds, label);
        make("p", {}, unfolds, help);
    }

    // `given` overrides the field's declaration. `answered` returns the value of the last answer.
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
            updateElement(why, {}, reason);
            for (const input of inputs) updateElement(input, { "aria-description": reason });
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
