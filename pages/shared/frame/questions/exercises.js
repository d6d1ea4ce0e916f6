// The reply to an answer, hints one at a time, the way to the next exercise, and what was solved,
// which this browser keeps. Links are made of the address as it is now.

import { download, make, press } from "../../board/dom.js";
import { remember, remembered } from "../../browser/remembered.js";
import { BLOCK, MAIN } from "../../browser/streamlit_page.js";
import { drawReply } from "./told.js";

const KEPT = "attention-exercises";
// the answer that was counted last: what a reader then forgets is not counted again
let recorded = null;

// ---------- what was solved ----------

function solved() {
    const kept = remembered(KEPT, {});
    return typeof kept === "object" && !Array.isArray(kept) ? kept : {};
}

function record({ name, variation, question, verdict }) {
    const answer = [name, variation, question].join();
    if (!verdict?.right) recorded = null;
    if (!verdict?.right || recorded === answer) return;
    recorded = answer;
    remember(KEPT, {
        ...solved(),
        [name]: { solved: new Date().toISOString(), link: location.href },
    });
}

function saveSolved(names) {
    const all = solved();
    const done = Object.fromEntries(
        names.filter((name) => all[name]).map((name) => [name, all[name]]),
    );
    const text = JSON.stringify(
        { solved: Object.keys(done).length, of: names.length, exercises: done },
        null,
        2,
    );
    download("attention-exercises.json", new Blob([text], { type: "application/json" }));
}

// ---------- links ----------

const pageOf = (name) => name.split(".")[0];

function href(path, fields) {
    const [place, query] = window.attentionAddress.of(path).split("?");
    const parameters = new URLSearchParams(query);
    for (const [name, value] of Object.entries(fields)) {
        if (value === null) parameters.delete(name);
        else parameters.set(name, value);
    }
    return `${place}?${parameters}`;
}

// A link whose address is made anew whenever the reader's own moves.
function link(parent, text, path, fields, attributes = {}) {
    const made = make("a", attributes, parent, text);
    made.point = () => {
        made.href = href(path, fields);
    };
    made.point();
    return made;
}

const toTop = () => document.querySelector(MAIN)?.scrollTo({ top: 0 });

// ---------- the parts ----------

function drawJudged(place, { verdict }) {
    place.replaceChildren();
    if (!verdict) return;
    const line = make("p", { class: verdict.right ? "ab-right" : "ab-wrong" }, place);
    drawReply(line, verdict.right, verdict.says);
    for (const { path, page, fields } of verdict.places) {
        link(line, `Where that number stands: ${page}`, path, fields).addEventListener(
            "click",
            toTop,
        );
    }
}

function drawHints(place, { hints = [], opens }) {
    place.replaceChildren();
    const row = make("div", { class: "ab-question-row" });
    const list = make("ol", {}, make("div", { role: "status" }, place));
    place.append(row);
    if (hints.length) {
        const next = () => `Hint ${list.children.length + 1} of ${hints.length}`;
        const more = press(row, next(), () => {
            make("li", {}, list, hints[list.children.length]);
            if (list.children.length < hints.length) more.textContent = next();
            else more.hidden = true;
        });
    }
    if (opens) link(row, "Show me", opens.path, opens.fields).addEventListener("click", toTop);
}

function drawWay(place, { name, variation, all, set }) {
    place.replaceChildren();
    const own = set ? all : all.filter((other) => pageOf(other) === pageOf(name));
    const at = own.indexOf(name), done = solved();
    const to = (parent, text, other, attributes) =>
        other &&
        link(parent, text, pageOf(other), { exercise: other, variation: null }, attributes);
    to(place, "← Previous", own[at - 1], { rel: "prev" });
    own.forEach((other, k) => {
        const state = done[other] ? `, solved` : "";
        const made = to(place, `${set ? other : k + 1}${done[other] ? " ✓" : ""}`, other, {
            "aria-label": `Exercise ${set ? other : k + 1}${state}`,
        });
        if (other === name) made.setAttribute("aria-current", "step");
    });
    to(place, "Next →", own[at + 1], { rel: "next" });
    link(place, "Another like this", pageOf(name), {
        exercise: name,
        variation: (variation % 99) + 1,
    });
}

function drawProgress(place, data, again) {
    place.replaceChildren();
    const { name, all } = data, done = solved();
    const count = (names) => `${names.filter((other) => done[other]).length} of ${names.length}`;
    const here = all.filter((other) => pageOf(other) === pageOf(name));
    make(
        "span",
        { class: "ab-count" },
        place,
        `Solved: ${count(here)} on this page, ${count(all)} in all. Kept in this browser alone.`,
    );
    if (!all.some((other) => done[other])) return;
    press(place, "Save as a file", () => saveSolved(all));
    press(place, "Forget all", () => {
        if (!confirm("Forget which exercises were solved in this browser?")) return;
        remember(KEPT, {});
        again();
    });
}

// ---------- mounting ----------

// A link that opens an exercise brings it into view, once: after that the reader scrolls.
let hasArrived = false;

function comeIntoView(host) {
    if (hasArrived) return;
    hasArrived = true;
    const now = new URLSearchParams(window.attentionAddress.here().link);
    if (!now.get("do") && !now.get("exercise")) return;
    const question = host.closest(BLOCK) ?? host;
    const show = () => question.scrollIntoView({ block: "center" });
    // Boards above it are drawn first, and push it down.
    show();
    const timer = setInterval(show, 150);
    const end = () => clearInterval(timer);
    setTimeout(end, 900);
    for (const kind of ["wheel", "pointerdown", "keydown"]) {
        window.addEventListener(kind, end, { once: true, passive: true });
    }
}

// A part is drawn anew only where it says something else: a link that is replaced between press and
// release misses the click, and hints that are open stay so.
function drawOnce(place, says, draw) {
    const key = JSON.stringify(says);
    if (place.says === key) return;
    place.says = key;
    draw();
}

function drawExercise(host, data) {
    record(data);
    const [reply, hints, way, progress] = host.children;
    drawOnce(reply, [data.question, data.verdict], () => drawJudged(reply, data));
    drawOnce(hints, [data.question, data.opens], () => drawHints(hints, data));
    const again = () => {
        const { name, variation, all } = data;
        const says = [name, variation, all, Object.keys(solved())];
        drawOnce(way, says, () => drawWay(way, data));
        drawOnce(progress, says, () => drawProgress(progress, data, again));
    };
    again();
}

export function beginExercises({ data: bytes, parentElement }) {
    let host = parentElement.querySelector(":scope > .ab-exercise");
    if (!host) {
        host = make("div", { class: "ab-exercise" }, parentElement);
        make("div", { class: "ab-reply", role: "status" }, host);
        make("div", { class: "ab-hints" }, host);
        make("nav", { class: "ab-question-row", "aria-label": "Exercises" }, host);
        make("div", { class: "ab-question-row ab-progress" }, host);
    }
    drawExercise(host, JSON.parse(new TextDecoder().decode(bytes)));
    comeIntoView(host);
    const point = () => {
        for (const made of host.querySelectorAll("a")) made.point();
    };
    window.addEventListener("attention-moved", point);
    return () => window.removeEventListener("attention-moved", point);
}
