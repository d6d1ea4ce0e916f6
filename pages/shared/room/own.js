// Questions of a lecturer's own. They are kept in this browser and nowhere else, go into a file or
// a link, and come to the server when the class is asked. Whatever is typed stays text.

import { download, make, press } from "../board/dom.js";
import { copied } from "../browser/copying.js";
import { remember, remembered } from "../browser/remembered.js";
import { doIt, openCard, room, told } from "./line.js";

const OWN = "attention-questions";
const MOST_OWN = 100; // questions that a browser keeps
const OWN_IN_A_LINK = /^#questions=([\w-]+)$/;
const LOOKS_LIKE_A_NUMBER = /^\s*[+−–—-]?\s?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?\s*$/i;
let ownLimits = { longest: 0, longest_choice: 0, fewest: 0, most: 0 }; // of core/own.py
// what is typed now, in place of which, and what is said of it
const writing = { draft: null, place: -1, says: "", turn: 0 };

// ---------- what is kept ----------

const onOneLine = (
    text,
    most,
) => (typeof text === "string" ? text.replace(/\s+/g, " ").trim().slice(0, most) : "");

// A question as the server takes it, of what a file, a link or a form has; null where it is none.
export function questionOf(given) {
    const asks = onOneLine(given?.asks, ownLimits.longest);
    if (!asks) return null;
    if (!Array.isArray(given.options)) {
        const answer = onOneLine(given.answer, 60), off = onOneLine(given.off, 60);
        return LOOKS_LIKE_A_NUMBER.test(answer) && (!off || LOOKS_LIKE_A_NUMBER.test(off))
            ? { asks, answer, off }
            : null;
    }
    const options = given.options.slice(0, ownLimits.most).map((each) =>
        onOneLine(each, ownLimits.longest_choice)
    );
    if (
        options.length < ownLimits.fewest || options.includes("") ||
        new Set(options).size < options.length
    ) return null;
    return {
        asks,
        options,
        right: Number.isInteger(given.right) && given.right >= 0 && given.right < options.length
            ? given.right
            : null,
    };
}

export const ownOnes = () => {
    const all = remembered(OWN, []);
    return Array.isArray(all) ? all.map(questionOf).filter(Boolean) : [];
};

export const ownLike = (asks) => ownOnes().find((each) => each.asks === asks) ?? null;

// Those that are not there yet come to the others; returns how many there are now, and how many
// came.
export function bringOwn(given) {
    const had = ownOnes(), all = new Map(had.map((each) => [JSON.stringify(each), each]));
    for (const each of (Array.isArray(given) ? given : []).map(questionOf).filter(Boolean)) {
        all.set(JSON.stringify(each), each);
    }
    const now = [...all.values()].slice(0, MOST_OWN);
    remember(OWN, now);
    return { all: now.length, came: now.length - had.length };
}

const inBase64 = (text) =>
    btoa(String.fromCharCode(...new TextEncoder().encode(text))).replaceAll("+", "-").replaceAll(
        "/",
        "_",
    ).replaceAll("=", "");
const outOfBase64 = (text) =>
    new TextDecoder().decode(
        Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) =>
            each.charCodeAt(0)),
    );

// Behind the #, so that no server is told.
export const asLink = (questions) =>
    `${window.attentionAddress.root()}/#questions=${inBase64(JSON.stringify(questions))}`;

export function fromText(text) {
    try {
        const data = JSON.parse(text);
        return bringOwn(Array.isArray(data) ? data : data.questions);
    } catch {
        return { all: ownOnes().length, came: -1 };
    }
}

const saidOfComing = (
    { came },
    where,
) => (came < 0
    ? `${where} has no questions of this explorer.`
    : came === 0
    ? `${where} has no questions that are not here already.`
    : `${came === 1 ? "One question" : `${came} questions`} came and ${
        came === 1 ? "is" : "are"
    } kept in this browser.`);

// ---------- drawing ----------

const drawAnew = () => {
    writing.turn += 1;
    told();
};
export const writingNow = () => [writing.turn, room.state === "there" && room.leads];

export function writeOwn(draft = null, place = -1) {
    openCard("writing", true);
    Object.assign(writing, { draft, place, says: "" });
    drawAnew();
}

const closeWriting = () => {
    room.writing = false;
    writing.draft = null;
    told();
};

export function askOwn(question) {
    Object.assign(room, { asking: false, writing: false });
    doIt({ do: "ask", what: "own", own: question, ...window.attentionAddress.here() });
}

/** @param {any} question */
const kindOfOwn = (
    { options, right, answer, off },
) => (options
    ? `${options.length} choices${right === null ? ", an opinion" : ""}`
    : `A number: ${answer}${off ? ` ± ${off}` : ""}`);

// The lecturer's own, to ask with one press, above what the page offers.
export function drawOwnOffers(card) {
    const list = make("ul", { class: "ab-room-offers" }, card);
    for (const question of ownOnes()) {
        const offer = press(make("li", {}, list), "", () => askOwn(question));
        make(
            "small",
            {},
            offer,
            `Your own · ${question.options ? `${question.options.length} choices` : "a number"}`,
        );
        make("bdi", {}, offer, question.asks);
    }
    const ways = make("p", { class: "ab-room-ways" }, card);
    press(ways, "Write a question", () => writeOwn(freshDraft()));
    if (list.childElementCount) press(ways, "Change or save yours", () => writeOwn());
}

export function drawWriting(card) {
    if (writing.draft) drawOwnForm(card, writing.draft);
    else drawOwnList(card);
}

function drawOwnList(card) {
    const all = ownOnes(), leads = room.state === "there" && room.leads;
    make("h2", {}, card, "Your own questions");
    if (!all.length) {
        make(
            "p",
            {},
            card,
            "None yet. What you write is kept in this browser, and asked with one press once your class has begun.",
        );
    }
    const list = make("ul", { class: "ab-room-offers ab-own" }, card);
    for (const [k, question] of all.entries()) {
        const item = make("li", {}, list), text = make("div", {}, item);
        make("small", {}, text, kindOfOwn(question));
        make("bdi", {}, text, question.asks);
        if (leads) {
            press(item, "Ask", () => askOwn(question), { "aria-label": `Ask: ${question.asks}` });
        }
        press(item, "Change", () => {
            Object.assign(writing, { draft: draftOfOwn(question), place: k, says: "" });
            drawAnew();
        }, { "aria-label": `Change: ${question.asks}` });
        press(item, "Delete", () => {
            remember(OWN, ownOnes().filter((_, other) => other !== k));
            writing.says = "Deleted.";
            writing.deleted = question;
            drawAnew();
        }, { "aria-label": `Delete: ${question.asks}` });
    }
    const ways = make("p", { class: "ab-room-ways" }, card);
    press(ways, "Write a question", () => {
        Object.assign(writing, { draft: freshDraft(), place: -1, says: "" });
        drawAnew();
    }, { class: "ab-room-main" });
    if (writing.deleted) {
        press(ways, "Bring back what was deleted", () => {
            bringOwn([writing.deleted]);
            Object.assign(writing, { deleted: null, says: "" });
            drawAnew();
        });
    }
    press(ways, "Close", closeWriting);
    const more = make("p", { class: "ab-room-ways" }, card),
        said = make("span", { role: "status" }, make("p", {}, card), writing.says);
    if (all.length) {
        press(
            more,
            "Save as a file",
            () =>
                download(
                    "attention-questions.json",
                    new Blob([JSON.stringify({ questions: all }, null, 2)], {
                        type: "application/json",
                    }),
                ),
        );
        press(more, "Copy a link with them", async () => {
            said.textContent = `${await copied(
                asLink(all),
                () => {},
            )} It has the right answers, too: it is for you or a colleague, not for the class.`;
        });
    }
    const file = make(
        "input",
        { type: "file", accept: ".json,application/json", hidden: "" },
        more,
    );
    file.addEventListener("change", async () => {
        writing.says = saidOfComing(
            fromText(await file.files[0].slice(0, 1_000_000).text()),
            "This file",
        );
        drawAnew();
    });
    press(more, "Open a file", () => file.click());
}

// ---------- writing one ----------

const freshDraft = () => ({
    asks: "",
    kind: "choice",
    options: Array(ownLimits.fewest).fill(""),
    right: null,
    answer: "",
    off: "",
});
const draftOfOwn = (question) => ({
    ...freshDraft(),
    ...question,
    kind: question.options ? "choice" : "number",
    options: [...(question.options ?? freshDraft().options)],
});

// What is missing yet, in a sentence; "" where the question can be asked.
export function missingIn({ asks, kind, options, answer, off }) {
    if (!asks.trim()) return "The question is empty.";
    if (kind === "number") {
        if (!LOOKS_LIKE_A_NUMBER.test(answer)) return "The answer is a number such as 0.25.";
        return off.trim() && !LOOKS_LIKE_A_NUMBER.test(off)
            ? "How far off an answer may be is a number such as 0.01, or nothing."
            : "";
    }
    const filled = options.map((each) => each.trim()).filter(Boolean);
    if (filled.length < ownLimits.fewest) {
        return `It has at least ${ownLimits.fewest === 2 ? "two" : ownLimits.fewest} choices.`;
    }
    return new Set(filled).size < filled.length ? "Two choices are the same." : "";
}

// What was typed, as a question: lines left empty are none.
export function questionTyped({ asks, kind, options, right, answer, off }) {
    if (kind === "number") return questionOf({ asks, answer, off });
    const filled = options.map((text, k) => ({ text, k })).filter(({ text }) => text.trim());
    const at = filled.findIndex(({ k }) => k === right);
    return questionOf({ asks, options: filled.map(({ text }) => text), right: at < 0 ? null : at });
}

function keepOwn() {
    const says = missingIn(writing.draft), question = says ? null : questionTyped(writing.draft);
    if (!question) {
        writing.says = says;
        drawAnew();
        return null;
    }
    const all = ownOnes();
    if (writing.place >= 0) all[writing.place] = question;
    else all.unshift(question);
    remember(OWN, all.slice(0, MOST_OWN));
    Object.assign(writing, { draft: null, place: -1, says: "Kept in this browser." });
    return question;
}

// A line to type into, with its name above it.
function drawTyped(parent, name, value, most, type, more = {}) {
    const label = make("label", {}, parent, name),
        field = make(more.rows ? "textarea" : "input", {
            maxlength: most,
            autocomplete: "off",
            dir: "auto",
            ...more,
        }, label);
    field.value = value;
    field.addEventListener("input", () => type(field.value));
    return field;
}

function drawOwnForm(card, draft) {
    make("h2", {}, card, writing.place < 0 ? "Write a question" : "Change your question");
    const form = make("form", { class: "ab-own-form" }, card);
    drawTyped(form, "The question", draft.asks, ownLimits.longest, (text) => {
        draft.asks = text;
    }, { rows: 2 });
    const kinds = make("div", {
        role: "group",
        "aria-label": "What is answered",
        class: "ab-room-ways",
    }, form);
    for (const [kind, name] of [["choice", "Choices"], ["number", "A number"]]) {
        press(kinds, name, () => {
            draft.kind = kind;
            drawAnew();
        }, { "aria-pressed": String(draft.kind === kind) });
    }
    if (draft.kind === "choice") drawChoices(form, draft);
    else {
        const both = make("div", { class: "ab-own-both" }, form);
        drawTyped(both, "The answer", draft.answer, 60, (text) => {
            draft.answer = text;
        }, { placeholder: "0.25" });
        drawTyped(both, "Give or take", draft.off, 60, (text) => {
            draft.off = text;
        }, { placeholder: "0" });
    }
    make("p", { role: "status" }, form, writing.says);
    const ways = make("p", { class: "ab-room-ways" }, form);
    if (room.state === "there" && room.leads) {
        press(ways, "Ask the class now", () => {
            const question = keepOwn();
            if (question) askOwn(question);
        }, { class: "ab-room-main" });
    }
    press(ways, "Keep it for later", () => {
        if (keepOwn()) drawAnew();
    });
    press(ways, "Back", () => {
        Object.assign(writing, { draft: null, says: "" });
        drawAnew();
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    // Enter goes on to the next line, and asks nothing
    form.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || event.target.tagName === "BUTTON") return;
        event.preventDefault();
        const lines = [...form.querySelectorAll("textarea, input")],
            next = lines[lines.indexOf(event.target) + 1];
        if (next) next.focus();
        else form.querySelector(".ab-own-more")?.click();
    });
}

function drawChoices(form, draft) {
    const list = make("ol", { class: "ab-own-choices" }, form);
    for (const [k, option] of draft.options.entries()) {
        const item = make("li", {}, list), name = `Choice ${k + 1}`;
        const field = make("input", {
            "aria-label": name,
            placeholder: name,
            maxlength: ownLimits.longest_choice,
            autocomplete: "off",
            dir: "auto",
        }, item);
        field.value = option;
        field.addEventListener("input", () => {
            draft.options[k] = field.value;
        });
        press(item, "right", () => {
            draft.right = draft.right === k ? null : k;
            drawAnew();
        }, { "aria-pressed": String(draft.right === k), "aria-label": `${name} is right` });
        if (draft.options.length > ownLimits.fewest) {
            press(item, "✕", () => {
                draft.options.splice(k, 1);
                draft.right = draft.right === k
                    ? null
                    : draft.right > k
                    ? draft.right - 1
                    : draft.right;
                drawAnew();
            }, { "aria-label": `Without ${name}` });
        }
    }
    if (draft.options.length < ownLimits.most) {
        press(form, "One more choice", () => {
            draft.options.push("");
            drawAnew();
            document.querySelector(".ab-own-choices li:last-child input")?.focus();
        }, { class: "ab-own-more" });
    }
    make(
        "p",
        { class: "ab-room-small" },
        form,
        "Press “right” beside the right one. Without it you ask for an opinion.",
    );
}

// ---------- coming by a link ----------

// What came by what stands behind a link's #; nothing where that is something else.
export function takeOwn(hash) {
    const link = hash.match(OWN_IN_A_LINK);
    if (!link) return null;
    try {
        return fromText(outOfBase64(link[1]));
    } catch {
        return fromText("");
    }
}

// With #questions=… in the address they are taken in, and it goes from the address.
function takeInOwn() {
    const came = takeOwn(location.hash);
    if (!came) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    openCard("writing", true);
    Object.assign(writing, { draft: null, says: saidOfComing(came, "This link") });
    drawAnew();
}

export function beginOwn(given) {
    ownLimits = given;
    window.addEventListener("click", (event) => {
        if (!event.target.closest?.("[data-class=write]")) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        writeOwn();
    }, true);
    window.addEventListener("hashchange", takeInOwn);
    takeInOwn();
}
