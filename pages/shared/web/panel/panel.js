// The panel: every choice of the setup, in the groups of layout.py. Each answer brings what the
// address does not contain: choices fixed by others, the sentence's words.

import { address } from "../../../../core/board/web/address.js";
import { make, makeButton, updateElement } from "../../../../core/board/web/dom.js";
import { drawEdits } from "../../../../core/board/web/editing.js";
import { followRow } from "../bar.js";
import { CLOSES_SIDEBAR } from "../../../../core/board/web/streamlit_page.js";
import { beginControls } from "./controls.js";

const IN_SIGHT = 3; // of a page's own controls

// A phone in landscape has no room for a picture beside the panel.
const isLandscapePhone = () => matchMedia("(max-height: 500px)").matches;

export function beginPanel(constants) {
    const { current, drawControl, keepShown, learn, put, said, showAll } = beginControls(constants);
    const { act, canUndo, held, here, of, row, undo, value } = address;

    // ---------- its parts ----------

    // The sentence in one row: a click chooses the query; with Shift, or while "key" is
    // pressed, the key. In cross-attention the second sentence has its own row.
    function drawWords(parent) {
        const rows = make("div", {
            class: "ab-asking st-key-query st-key-key",
            role: "group",
            "aria-label": "Which word has the query, and which the key",
        }, parent);
        const [own, other] = [make("div", {}, rows), make("div", {}, rows)];
        const isPressed = () => handle.getAttribute("aria-pressed") === "true";
        const handle = makeButton(
            rows,
            "key",
            () => updateElement(handle, { "aria-pressed": !isPressed() }),
            {
                "aria-pressed": "false",
                title: "While this is pressed, a click on a word chooses the key. So does Shift.",
            },
        );
        const fill = (list, words, chooses) => {
            if (list.words === `${words}`) return;
            list.words = `${words}`;
            list.replaceChildren();
            words.forEach((word, k) =>
                makeButton(list, word, ({ shiftKey }) => put(chooses(shiftKey), k + 1))
            );
        };
        keepShown(rows, () => {
            const { words, asked } = said(), across = asked.length > 0;
            const [query, key] = [Number(current("query")), Number(current("key"))];
            followRow(query, words.length || 1);
            const asksKey = (shift) => said().asked.length === 0 && (shift || isPressed());
            fill(own, words, (shift) => (asksKey(shift) ? "key" : "query"));
            fill(other, asked, () => "key");
            handle.hidden = across;
            other.hidden = !across;
            for (const list of [own, other]) {
                [...list.children].forEach((word, k) => {
                    const roles = [
                        ...(list === own && k + 1 === query ? ["query"] : []),
                        ...(across === (list === other) && k + 1 === key ? ["key"] : []),
                    ];
                    word.classList.toggle("ab-asks", roles.includes("query"));
                    word.classList.toggle("ab-is-asked", roles.includes("key"));
                    updateElement(word, {
                        "aria-pressed": roles.length > 0,
                        "aria-description": roles.join(", "),
                    });
                });
            }
        });
    }

    // Which layer the seven pages show. A page with its own layer slider needs no second one.
    function drawLayer(parent) {
        const isReal = () => value("init") === "real";
        const choose = (k) =>
            act({ layer: k, seven: Number(k) > 1 && !isReal() ? "chosen" : null });
        const box = drawControl(
            parent,
            "layer",
            { act: choose },
            () => (isReal() || value("seven") === "chosen" ? undefined : "1"),
        );
        keepShown(box, () => {
            box.hidden = !said().layers || row().controls.includes("layer");
            box.classList.toggle("st-key-layer", !box.hidden);
        });
    }

    // Fields hidden by a link: no preset changes them, nor does "Reset everything".
    const hidden = () => value("hide").split(",");
    const changesHidden = (changes) =>
        hidden().some((name) =>
            name in changes && value(name) !== String(changes[name] ?? constants.defaults[name])
        );
    const resetShown = () =>
        act(
            Object.fromEntries(
                Object.entries(constants.reset).filter(([name]) => !hidden().includes(name)),
            ),
        );

    // All presets in a list, each with its purpose.
    function drawSetups(parent) {
        const list = make("div", {
            class: "ab-presets",
            role: "group",
            "aria-label": "Start from",
        }, parent);
        for (const [name, { changes, teaches }] of Object.entries(constants.presets)) {
            const setup = makeButton(list, name, () => act(changes), { "data-preset": name });
            make("small", {}, setup, ` · ${teaches}`);
            keepShown(setup, () => {
                updateElement(setup, { "aria-pressed": said().preset === name });
                setup.hidden = changesHidden(changes);
            });
        }
    }

    function drawShare(parent) {
        const isOpen = () => value("share") === "on";
        const share = makeButton(parent, "Share", () => act({ share: isOpen() ? null : "on" }), {
            class: "st-key-share",
            "aria-label": "Share or download",
        });
        keepShown(share, () => updateElement(share, { "aria-pressed": isOpen() }));
    }

    // Pins a setup, to compare later ones with it.
    function drawHold(parent) {
        const tools = make("div", { class: "ab-tools st-key-hold" }, parent);
        makeButton(tools, "Hold", () => act({ vs: held() }), {
            "aria-label": "Hold this setup",
            title: "Keep this setup beside the ones that follow",
        });
        const letGo = makeButton(tools, "Let go", () => act({ vs: null }));
        const back = makeButton(tools, "Undo", undo, { title: "Take the last step back" });
        const told = make(
            "small",
            { class: "ab-why" },
            parent,
            "Held. Change something, and see what follows.",
        );
        keepShown(tools, () => {
            letGo.hidden = told.hidden = !value("vs");
            back.disabled = !canUndo();
        });
    }

    function drawTeaching(parent) {
        const tools = make("div", { class: "ab-tools" }, parent);
        for (const [way, name] of [["begin", "Begin a class"], ["join", "Join a class"]]) {
            make("button", { type: "button", "data-class": way }, tools, name);
        }
        const ways = make("p", { class: "ab-ways" }, parent);
        make("b", {}, ways, "For teachers");
        for (const [path, title] of Object.entries(constants.for_teachers)) {
            const way = make("a", { "data-page": path }, ways, title);
            keepShown(way, () => updateElement(way, { href: of(path) }));
        }
        const sheet = make("a", { "data-sets": "sheet=on" }, ways, "Worksheet");
        keepShown(sheet, () => updateElement(sheet, { href: of(here().page) }));
    }

    // The notes open in a window of their own: the present one may be projected.
    function drawNotes(parent) {
        const { label, help } = constants.fields.notes;
        const ways = make("p", { class: "ab-ways st-key-notes" }, parent);
        const name = `${label}, in a second window`;
        const open = make("a", { target: "_blank", "data-new-tab": "", title: help }, ways, name);
        keepShown(ways, () => {
            const there = new URL(of(here().page), location.href);
            there.searchParams.set("notes", "on");
            there.searchParams.delete("lecture");
            updateElement(open, { href: there });
            ways.hidden = value("notes") === "on";
        });
    }

    const PARTS = {
        notes: drawNotes,
        words: drawWords,
        layer: drawLayer,
        setups: drawSetups,
        share: drawShare,
        hold: drawHold,
        teaching: drawTeaching,
        edits(parent) {
            const { group, show } = drawEdits(parent);
            keepShown(group, () => show(said().edits));
        },
        reset: (parent) =>
            makeButton(parent, "Reset everything", resetShown, { class: "st-key-reset" }),
    };

    // ---------- its groups ----------

    // Opens by itself on the pages in `opens_on`; a fold opened by the user stays open.
    function drawFolded(parent, { title, key, opens_on = [] }) {
        const fold = make("details", { class: `ab-more st-key-${key}` }, parent);
        make("summary", {}, fold, title);
        let page = null;
        keepShown(fold, () => {
            const [before, now] = [page, row()?.path];
            page = now;
            if (before !== now && opens_on.includes(now)) fold.open = true;
        });
        return fold;
    }

    function drawPanel(parent) {
        const panel = make("div", { class: "ab-panel" }, parent);
        for (const group of constants.groups) {
            const around = group.title ? drawFolded(panel, group) : panel;
            for (const name of group.names) (PARTS[name] ?? drawControl)(around, name);
        }
    }

    // ---------- mounting ----------

    const heard = ({ data }) => JSON.parse(new TextDecoder().decode(data));

    // Draws a part unless the same is already there.
    function once(parent, asked, draw) {
        const says = JSON.stringify(asked);
        if (parent.says === says && parent.firstElementChild) return showAll();
        parent.says = says;
        parent.replaceChildren();
        draw();
    }

    window.attentionPanel = (component) => {
        const { parentElement } = component, answer = heard(component);
        learn(answer.says);
        once(parentElement, "panel", () => {
            drawPanel(parentElement);
            if (isLandscapePhone()) {
                /** @type {HTMLElement | null} */ (document.querySelector(CLOSES_SIDEBAR))?.click();
            }
        });
        setTimeout(() => { // after the boards of this answer are drawn
            address.heard(answer);
            document.documentElement.dataset.acts = "heeded"; // from here on each act counts
            showAll();
        });
    };

    window.attentionControl = (component) => {
        const { parentElement } = component, { name, value, ...given } = heard(component);
        parentElement.inForce = value;
        once(
            parentElement,
            [name, given],
            () => drawControl(parentElement, name, given, () => parentElement.inForce),
        );
    };

    // A page's own controls, in a line at its figure; large or rarely used ones are folded.
    window.attentionControls = (component) => {
        const { parentElement } = component, names = heard(component);
        once(parentElement, names, () => {
            const bar = make("div", {
                class: "ab-at-figure",
                role: "group",
                "aria-label": "Choices of this page",
            }, parentElement);
            const few = names.filter((name) => !(constants.fields[name].rows > 1))
                .slice(0, IN_SIGHT);
            for (const name of few) drawControl(bar, name);
            const rest = names.filter((name) => !few.includes(name));
            if (!rest.length) return;
            const fold = drawFolded(bar, { title: "More", key: "more_here" });
            for (const name of rest) drawControl(fold, name);
        });
    };

    window.addEventListener("attention-moved", showAll);
}
