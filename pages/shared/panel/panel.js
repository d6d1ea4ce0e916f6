// The panel: the controls of the setup, as the browser's own inputs. Each is drawn once, from what
// its field declares, and from then on shows what the address says. What the address does not say
// (what a choice ties, the sentence's words) comes with each answer.

import { shareTheme } from "../board/colours.js";
import { make, press, renew } from "../board/dom.js";
import { drawEdits } from "../board/editing.js";
import { followRow } from "../browser/bar.js";
import { bringText } from "../browser/bringing.js";
import { CLOSES_SIDEBAR } from "../browser/streamlit_page.js";

const MOST_DOTS = 5; // in a line
const IN_SIGHT = 3; // of a page's own controls
const A_MOMENT = 350; // milliseconds that each moment of training is there at least

// A phone on its side has no room for a picture beside the panel.
const onItsSide = () => matchMedia("(max-height: 500px)").matches;

export function beginPanel(constants) {
    let says = {
        values: {},
        off: {},
        off_options: {},
        words: [],
        asked: [],
        heads: 1,
        layers: 0,
        models: false,
        preset: null,
        edits: [],
        held: null,
    };
    // the controls and parts that are there, each with a function that shows what is in force
    const drawn = new Set();

    const put = (name, value) => window.attentionAddress.act({ [name]: value });
    function current(name, answered = says.values[name]) {
        const { isAnswered, value } = window.attentionAddress;
        return (isAnswered() ? answered : undefined) ?? value(name);
    }

    function showAll() {
        followRow(Number(current("query")), says.words.length || 1);
        for (const part of drawn) {
            if (part.box.isConnected) part.show();
            else drawn.delete(part);
        }
    }

    function keepShown(box, show) {
        drawn.add({ box, show });
        show();
    }

    // ---------- a hand that goes on: a slider that is dragged, a key that is held ----------

    // Its values count as quickly as they are answered, or four times a second; the last one counts
    // at once.
    let moving = null, last = 0;
    function slide(act) {
        moving = act;
        const next = () => {
            if (moving !== act) return;
            if (window.attentionAddress.isAnswered() || performance.now() - last > 250) arrive();
            else setTimeout(next, 30);
        };
        next();
    }
    function arrive(act = moving) {
        [moving, last] = [null, performance.now()];
        act?.();
    }

    // ---------- the kinds of controls ----------

    let count = 0;

    // What it is called; the name unfolds what it means, by a click as by the focus.
    function drawLabel(box, { label, help }) {
        if (!help) return make("span", { class: "ab-called" }, box, label);
        const unfolds = make("details", { class: "ab-called" }, box);
        const summary = make("summary", { title: help }, unfolds, label);
        make("p", {}, unfolds, help);
        let byFocus = false; // then it goes with it; what was clicked open stays
        summary.addEventListener("focus", () => {
            byFocus = !unfolds.open && summary.matches(":focus-visible");
            unfolds.open ||= byFocus;
        });
        summary.addEventListener("blur", () => {
            unfolds.open &&= !byFocus;
        });
        return summary;
    }

    const KINDS = {
        range(box, name, field) {
            const slider = make("input", {
                type: "range",
                min: field.low,
                max: field.slides,
                step: field.step,
                "aria-label": field.label,
            }, box);
            if (constants.layout.sizes.includes(name)) slider.setAttribute("list", "ab-notches");
            const typed = make("input", {
                type: "number",
                min: field.low,
                max: field.high,
                step: field.step,
                "aria-label": `${field.label}, typed`,
            }, box);
            const act = () => put(name, slider.value);
            let isHeld = false;
            slider.addEventListener("input", () => {
                typed.value = slider.value;
                slide(act);
            });
            slider.addEventListener("change", () => {
                if (!isHeld) arrive(act);
            });
            slider.addEventListener("keydown", (event) => {
                isHeld = event.repeat;
            });
            for (const end of ["keyup", "blur"]) {
                slider.addEventListener(end, () => {
                    isHeld = false;
                    if (moving === act) arrive();
                });
            }
            putTyped(typed, name);
            return {
                inputs: [slider, typed],
                show: (value) => {
                    if (moving !== act) slider.value = value;
                    showIn(typed, value);
                },
            };
        },
        // A slider through numbers that are there at once, and a way to see them go by, each as it
        // is answered. Its end is the default.
        moments(box, name, field) {
            const { stops } = field,
                end = stops.length - 1,
                { act, isAnswered, value } = window.attentionAddress;
            const play = press(box, "", () => (sent ? rest() : begin()), { class: "ab-play" });
            const slider = make("input", {
                type: "range",
                min: 0,
                max: end,
                step: 1,
                "aria-label": field.label,
            }, box);
            const told = make("output", {}, box);
            const linked = (at) => String(at === end ? constants.defaults[name] : stops[at]);
            const mark = (at) => {
                slider.value = at;
                told.textContent = `${stops[at]} of ${stops[end]} steps`;
                slider.setAttribute("aria-valuetext", told.textContent);
            };
            const send = () => {
                mark(slider.value);
                slide(() => act({ [name]: linked(Number(slider.value)) }));
            };
            slider.addEventListener("input", () => {
                rest();
                send();
            });
            slider.addEventListener("change", () => {
                if (moving) arrive();
            });

            let sent = null; // what Play has put into the address; null while it rests
            const rest = () => {
                sent = null;
                play.textContent = "Watch it learn";
            };
            const go = (at) => {
                sent = linked(at);
                mark(at);
                act({ [name]: sent });
                setTimeout(next, A_MOMENT);
            };
            function begin() {
                play.textContent = "Pause";
                go(Number(slider.value) === end ? 0 : Number(slider.value) + 1);
            }
            function next() {
                if (sent === null) return;
                if (!box.isConnected || value(name) !== sent || Number(slider.value) === end) {
                    return rest();
                }
                if (!isAnswered()) return void setTimeout(next, 30);
                go(Number(slider.value) + 1);
            }
            rest();
            return {
                inputs: [slider, play],
                show: (given) => {
                    if (moving || sent !== null) return;
                    const after = stops.findIndex((stop) => stop >= Number(given));
                    mark(after < 0 ? end : after);
                },
            };
        },
        number(box, name, field) {
            const typed = make("input", {
                type: "number",
                min: field.low,
                max: field.high,
                step: field.step,
                "aria-label": field.label,
            }, box);
            putTyped(typed, name);
            return { inputs: [typed], show: (value) => showIn(typed, value) };
        },
        choice(box, name, field) {
            const group = make("div", {
                class: "ab-options",
                role: "radiogroup",
                "aria-label": field.label,
            }, box);
            const group_name = `ab-${name}-${count += 1}`;
            const radios = field.options.map((option) => {
                const label = make("label", {}, group);
                const radio = make(
                    "input",
                    { type: "radio", name: group_name, value: option },
                    label,
                );
                make("span", {}, label, option);
                radio.addEventListener("change", () => put(name, option));
                return radio;
            });
            return {
                inputs: radios,
                show(value) {
                    for (const radio of radios) {
                        const why = says.off_options[name]?.[radio.value];
                        radio.checked = radio.value === value;
                        radio.disabled = Boolean(says.off[name] ?? why);
                        radio.parentElement.title = why ?? "";
                        radio.parentElement.hidden = !radio.checked && !says.models &&
                            Boolean(field.unlisted?.includes(radio.value));
                    }
                },
                why: () =>
                    Object.entries(says.off_options[name] ?? {}).map(([option, why]) =>
                        `not ${option}: ${why}`
                    ).join("; "),
            };
        },
        select(box, name, field) {
            const list = make("select", { "aria-label": field.label }, box);
            for (const option of field.options) make("option", {}, list, option);
            list.addEventListener("change", () => put(name, list.value));
            return {
                inputs: [list],
                show: (value) => {
                    list.value = value;
                },
            };
        },
        text(box, name, field) {
            const line = make("textarea", {
                rows: 1,
                maxlength: field.most,
                "aria-label": field.label,
                autocomplete: "off",
                spellcheck: "false",
            }, box);
            // one line, however many it takes on screen
            line.addEventListener("keydown", (event) => {
                if (event.key !== "Enter" || event.isComposing) return;
                event.preventDefault();
                if (line.value !== line.shown) line.dispatchEvent(new Event("change"));
            });
            return { inputs: [line], show: typing(line, name) };
        },
        lines(box, name, field) {
            const lines = make("textarea", {
                maxlength: field.most,
                "aria-label": field.label,
                rows: field.rows ?? 3,
                placeholder: field.hint ?? "",
                spellcheck: "false",
            }, box);
            lines.addEventListener("keydown", (event) => {
                if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
                    put(name, lines.value);
                }
            });
            return { inputs: [lines], show: typing(lines, name) };
        },
        // A text that is read while one types, and at once when it is pasted. What is too long for
        // a link goes on as a file.
        pasted(box, name, field) {
            const lines = make("textarea", {
                "aria-label": field.label,
                rows: field.rows ?? 3,
                placeholder: field.hint ?? "",
                spellcheck: "false",
                class: "ab-pasted",
            }, box);
            let waits, brought;
            // The address lets its text go first: a file that comes while it is being answered
            // would be lost.
            const bring = () => {
                const { isAnswered, value } = window.attentionAddress;
                if (brought === lines.value) return;
                if (value(name)) put(name, null);
                else if (isAnswered() && bringText(lines.value)) {
                    brought = lines.value;
                    return;
                }
                waits = setTimeout(take, 300);
            };
            const take = () => {
                clearTimeout(waits);
                if (lines.value.length > field.most) return bring();
                lines.shown = lines.value;
                if (lines.value.trim() !== window.attentionAddress.value(name).trim()) {
                    put(name, lines.value.trim() ? lines.value : null);
                }
            };
            lines.addEventListener("input", () => {
                clearTimeout(waits);
                waits = setTimeout(take, lines.value.length > field.most ? 2000 : 500);
            });
            lines.addEventListener("paste", () => setTimeout(take));
            const show = typing(lines, name, take);
            lines.addEventListener("keydown", (event) => {
                if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) take();
            });
            // What went on as a file stays where it was typed, until the address holds a text
            // again.
            return {
                inputs: [lines],
                show: () => {
                    if (window.attentionAddress.value(name)) brought = undefined;
                    else if (lines.value.length > field.most) return;
                    show();
                },
            };
        },
        names(box, name, field) {
            const unfolds = make("details", { class: "ab-names" }, box);
            const summary = make("summary", {}, unfolds);
            const group = make("div", { role: "group", "aria-label": field.label }, unfolds);
            const boxes = field.options.map((option) => {
                const label = make("label", {}, group);
                const check = make("input", { type: "checkbox", value: option }, label);
                make("span", {}, label, option);
                check.addEventListener(
                    "change",
                    () =>
                        put(
                            name,
                            boxes.filter((each) => each.checked).map((each) => each.value).join() ||
                                null,
                        ),
                );
                return check;
            });
            return {
                inputs: boxes,
                show(value) {
                    const names = value.split(",").filter(Boolean);
                    for (const check of boxes) check.checked = names.includes(check.value);
                    summary.textContent = names.length ? names.join(", ") : "none";
                },
            };
        },
    };

    // What a reader is typing stays. Words that are all marked stay so where Back, say, writes
    // others in.
    function showIn(input, value) {
        const isTyping = document.activeElement === input && input.value !== input.shown &&
            input.shown !== undefined;
        if (isTyping || input.value === value) {
            if (!isTyping) input.shown = input.value;
            return;
        }
        const marked = input.type === "textarea" && document.activeElement === input &&
            input.value && input.selectionStart === 0 &&
            input.selectionEnd === input.value.length;
        input.value = value;
        input.shown = input.value;
        if (marked) input.select();
    }

    function putTyped(input, name) {
        input.addEventListener("change", () => {
            input.shown = input.value;
            if (input.value !== "") put(name, input.value);
        });
    }

    function typing(input, name, take = () => {
        input.shown = input.value;
        put(name, input.value);
    }) {
        input.addEventListener("change", take);
        input.addEventListener("keydown", (event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            input.value = input.shown = window.attentionAddress.value(name);
            input.blur();
        });
        return () => showIn(input, window.attentionAddress.value(name));
    }

    // `answered` says what is in force by an answer; where there is none, what the address says.
    function drawControl(parent, name, asked = {}, answered = () => says.values[name]) {
        const given = Object.fromEntries(
            Object.entries(asked).filter(([, value]) => value !== null && value !== undefined),
        );
        const field = { ...constants.fields[name], ...given };
        const box = make("div", { class: `ab-control ab-of-${field.kind} st-key-${name}` }, parent);
        const called = drawLabel(box, field);
        const { inputs, show, why } = KINDS[field.kind](box, name, field);
        // shown to a pointer and where the focus is
        const reason = make("small", { class: "ab-why", id: `ab-why-${count += 1}` }, box);
        for (const each of [called, ...inputs]) each.setAttribute("aria-describedby", reason.id);
        keepShown(box, () => {
            const off = says.off[name];
            for (const input of inputs) input.disabled = Boolean(off);
            show(current(name, answered()));
            reason.textContent = off ?? why?.() ?? "";
            box.classList.toggle("ab-off", Boolean(off));
            // a name without help has the focus for the reason alone
            if (called.localName === "span" && off) called.tabIndex = 0;
            else if (called.localName === "span") called.removeAttribute("tabindex");
        });
        return box;
    }

    // ---------- the panel's parts ----------

    // The sentence in one row: a click says which word asks. With Shift, or while "is asked" is
    // pressed, it says which is asked. A sentence that another one asks has a row of its own.
    function drawWords(parent) {
        const rows = make("div", {
            class: "ab-asking st-key-query st-key-key",
            role: "group",
            "aria-label": "Which word asks, and which is asked",
        }, parent);
        const [own, other] = [make("div", {}, rows), make("div", {}, rows)];
        const handle = press(rows, "is asked", () => {
            const isPressed = handle.getAttribute("aria-pressed") !== "true";
            handle.setAttribute("aria-pressed", String(isPressed));
        }, {
            "aria-pressed": "false",
            title: "While this is pressed, a click on a word says which is asked. So does Shift.",
        });
        const fill = (list, words, choose) => {
            if (list.words === `${words}`) return;
            list.words = `${words}`;
            list.replaceChildren();
            words.forEach((word, k) => {
                const button = press(list, word, () => {});
                button.addEventListener("click", ({ shiftKey }) => {
                    put(choose(shiftKey), k + 1);
                    showAll();
                });
            });
        };
        const mark = (list, kind, at) =>
            [...list.children].forEach((word, k) => word.classList.toggle(kind, k + 1 === at));
        keepShown(rows, () => {
            const across = says.asked.length > 0,
                [query, key] = ["query", "key"].map((name) => current(name));
            fill(
                own,
                says.words,
                (shift) =>
                    !across && (shift || handle.getAttribute("aria-pressed") === "true")
                        ? "key"
                        : "query",
            );
            fill(other, says.asked, () => "key");
            handle.hidden = across;
            other.hidden = !across;
            mark(own, "ab-asks", Number(query));
            mark(own, "ab-is-asked", across ? 0 : Number(key));
            mark(other, "ab-is-asked", Number(key));
            for (const word of rows.querySelectorAll("div > button")) {
                const is = ["ab-asks", "ab-is-asked"].filter((kind) =>
                    word.classList.contains(kind)
                );
                word.setAttribute("aria-pressed", String(is.length > 0));
                word.setAttribute(
                    "aria-description",
                    is.map((kind) => (kind === "ab-asks" ? "asks" : "is asked")).join(", "),
                );
            }
        });
    }

    // Heads or layers as numbers: the one that is followed, `lit`, is marked. `count` says how many
    // there are; of none, nothing shows. What takes more than a line of them is a slider.
    function drawDots(
        parent,
        name,
        count,
        lit = () => current(name),
        choose = (k) => put(name, k),
    ) {
        const box = make("div", { class: "ab-control ab-of-choice" }, parent);
        drawLabel(box, constants.fields[name]);
        const dots = make("div", {
            class: "ab-dots",
            role: "radiogroup",
            "aria-label": constants.fields[name].label,
        }, box);
        const slider = make("input", {
                type: "range",
                min: 1,
                "aria-label": constants.fields[name].label,
            }, box),
            told = make("output", {}, box);
        slider.addEventListener("input", () => {
            told.textContent = slider.value;
        });
        slider.addEventListener("change", () => choose(Number(slider.value)));
        keepShown(box, () => {
            const isLong = count() > MOST_DOTS;
            box.hidden = !count();
            box.classList.toggle("ab-of-choice", !isLong);
            box.classList.toggle("ab-of-range", isLong);
            dots.hidden = !(slider.hidden = told.hidden = !isLong);
            renew(slider, { max: Math.max(count(), 1) });
            slider.value = told.textContent = lit();
            if (isLong) dots.replaceChildren();
            box.classList.toggle(`st-key-${name}`, count() > 0);
            while (dots.childElementCount > count()) dots.lastChild.remove();
            while (!isLong && dots.childElementCount < count()) {
                const k = dots.childElementCount + 1, label = make("label", {}, dots);
                make("input", { type: "radio", name: `ab-${name}`, value: k }, label)
                    .addEventListener("change", () => choose(k));
                make("span", {}, label, String(k));
            }
            for (const radio of dots.querySelectorAll("input")) {
                radio.checked = radio.value === lit();
            }
        });
    }

    // Whose attention the seven pages show. A page that has a slider for the layer of its own needs
    // no second one.
    function drawLayers(parent) {
        const { act, row, value } = window.attentionAddress;
        const isReal = () => value("init") === "real",
            hasSlider = () => row().controls.includes("layer");
        drawDots(
            parent,
            "layer",
            () => (hasSlider() ? 0 : says.layers),
            () => (isReal() || value("seven") === "chosen" ? current("layer") : "1"),
            (k) => act({ layer: k, seven: k > 1 && !isReal() ? "chosen" : null }),
        );
    }

    // A setup that stays beside the ones that follow.
    function drawHeld(parent) {
        const { act, held, undo, canUndo, value } = window.attentionAddress;
        const row = make("div", { class: "ab-tools" }, parent);
        const hold = make("div", {
            class: "st-key-hold",
            role: "group",
            "aria-label": "Two setups side by side",
        }, row);
        press(hold, "Hold", () => act({ vs: held() }), {
            "aria-label": "Hold this setup",
            title: "Keep this setup beside the ones that follow",
        });
        const letGo = press(hold, "Let go", () => act({ vs: null }));
        const back = press(row, "Undo", undo, { title: "Take the last step back" });
        const strip = make(
            "dl",
            { class: "ab-held", "aria-label": "Held, and now", tabindex: "0" },
            parent,
        );
        strip.hidden = true;
        keepShown(row, () => {
            letGo.hidden = !value("vs");
            back.disabled = !canUndo();
            if (says.held && strip.hidden) parent.open = true;
            strip.hidden = !says.held;
            strip.replaceChildren();
            for (const [name, before, now] of says.held ?? []) {
                make("dt", {}, strip, name);
                make("dd", {}, strip, `held ${before || "none"} | now ${now || "none"}`);
            }
            if (says.held?.length === 0) {
                make("dt", {}, strip, "Held. Change something, and see what follows.");
            }
        });
    }

    function drawShare(parent) {
        const { act, value } = window.attentionAddress;
        const share = press(
            parent,
            "Share",
            () => act({ share: value("share") === "on" ? null : "on" }),
            { class: "st-key-share", "aria-label": "Share or download" },
        );
        keepShown(share, () => share.setAttribute("aria-pressed", String(value("share") === "on")));
    }

    // What a link hides stays as it is: no preset changes it, nor does "Reset everything".
    const hiddenNames = () => window.attentionAddress.value("hide")?.split(",") ?? [];
    const changesHidden = (changes) =>
        hiddenNames().some((name) =>
            name in changes &&
            window.attentionAddress.value(name) !==
                String(changes[name] ?? constants.defaults[name])
        );
    const resetShown = () => {
        const hidden = hiddenNames();
        window.attentionAddress.act(
            Object.fromEntries(
                Object.entries(constants.reset).filter(([name]) => !hidden.includes(name)),
            ),
        );
    };

    // All setups in one list, with what each is for.
    function drawPresets(parent) {
        const cards = Object.entries(constants.presets).map(([name, { changes, teaches }]) => {
            const card = press(parent, name, () => window.attentionAddress.act(changes), {
                "data-preset": name,
            });
            make("small", {}, card, teaches);
            return card;
        });
        keepShown(parent, () => {
            for (const card of cards) {
                card.setAttribute("aria-pressed", String(card.dataset.preset === says.preset));
                card.hidden = changesHidden(constants.presets[card.dataset.preset].changes);
            }
        });
    }

    function drawFolded(parent, title, key, names = []) {
        const unfolds = make("details", { class: `ab-more st-key-${key}` }, parent);
        make("summary", {}, unfolds, title);
        for (const name of names) drawControl(unfolds, name);
        return unfolds;
    }

    function drawPanel(parent) {
        const { layout } = constants;
        const panel = make("div", { class: "ab-panel" }, parent);
        const notches = make("datalist", { id: "ab-notches" }, panel);
        for (const value of [2, 4, 8, 16, 64]) make("option", { value }, notches);
        for (const name of layout.sentence) drawControl(panel, name);
        drawWords(panel);
        drawLayers(panel);
        drawDots(panel, "head", () => says.heads);
        const top = make("div", { class: "ab-tools" }, panel);
        const setups = drawFolded(top, "Setups", "preset");
        drawPresets(
            make("div", { class: "ab-presets", role: "group", "aria-label": "Start from" }, setups),
        );
        drawShare(top);
        const sizes = drawFolded(panel, "Sizes", "sizes_panel", layout.sizes);
        let opened = false; // by the page, where they are derived; what a reader opened stays
        keepShown(sizes, () => {
            const isDerived = layout.derived.includes(window.attentionAddress.row().path);
            if (isDerived && !sizes.open) sizes.open = opened = true;
            else if (!isDerived && opened) sizes.open = opened = false;
        });
        const edits = make("div", {}, panel);
        keepShown(edits, () => drawEdits(edits, says.edits));
        drawHeld(drawFolded(panel, "Hold", "hold_panel"));
        const more = drawFolded(panel, "More", "more", [...layout.choices, ...layout.followed]);
        press(more, "Reset everything", resetShown, { class: "st-key-reset" });
        drawLectureAndClass(panel, layout.lecture);
    }

    function drawLectureAndClass(panel, lecture) {
        const fold = drawFolded(panel, "Lecture and class", "lecture_panel");
        const together = make("div", { class: "ab-tools" }, fold);
        make("button", { type: "button", "data-class": "begin" }, together, "Begin a class");
        make("button", { type: "button", "data-class": "join" }, together, "Join a class");
        for (const name of lecture) drawControl(fold, name);
        const ways = make("p", { class: "ab-ways" }, fold);
        make("b", {}, ways, "For teachers");
        const others = Object.entries(constants.layout.for_teachers).map((
            [path, title],
        ) => [path, make("a", { "data-page": path }, ways, title)]);
        const sheet = make("a", { "data-sets": "sheet=on" }, ways, "Worksheet");
        keepShown(fold, () => {
            const { of, here } = window.attentionAddress;
            for (const [path, way] of others) way.href = of(path);
            sheet.href = of(here().page);
        });
    }

    // ---------- mounting ----------

    window.attentionPanel = ({ data: bytes, parentElement }) => {
        const answer = JSON.parse(new TextDecoder().decode(bytes));
        shareTheme(parentElement);
        says = answer.says;
        if (!parentElement.querySelector(".ab-panel")) {
            drawPanel(parentElement);
            if (onItsSide()) {
                /** @type {HTMLElement | null} */ (document.querySelector(CLOSES_SIDEBAR))?.click();
            }
        }
        setTimeout(() => { // the boards of this answer are drawn by then
            window.attentionAddress.heard(answer);
            document.documentElement.dataset.acts = "heeded"; // from here on each act is a step
            showAll();
        });
    };

    window.attentionControl = ({ data: bytes, parentElement }) => {
        const { name, value, ...asked } = JSON.parse(new TextDecoder().decode(bytes));
        const says = JSON.stringify([name, asked]);
        shareTheme(parentElement);
        parentElement.inForce = value;
        if (parentElement.says === says && parentElement.querySelector(".ab-control")) {
            return showAll();
        }
        parentElement.says = says;
        parentElement.replaceChildren();
        drawControl(parentElement, name, asked, () => parentElement.inForce);
    };

    // What one page has more than the others, in a line at its figure; what takes more room, or is
    // seldom moved, unfolds.
    window.attentionControls = ({ data: bytes, parentElement }) => {
        const says = new TextDecoder().decode(bytes), names = JSON.parse(says);
        shareTheme(parentElement);
        if (parentElement.says === says && parentElement.firstElementChild) return showAll();
        parentElement.says = says;
        parentElement.replaceChildren();
        const bar = make("div", {
            class: "ab-at-figure",
            role: "group",
            "aria-label": "Choices of this page",
        }, parentElement);
        const few = names.filter((name) => constants.fields[name].kind !== "lines").slice(
            0,
            IN_SIGHT,
        );
        for (const name of few) drawControl(bar, name);
        const rest = names.filter((name) => !few.includes(name));
        if (rest.length) drawFolded(bar, "More", "more_here", rest);
    };

    window.addEventListener("attention-moved", showAll);
}
