// Slides: a frame goes from beat to beat by its address, as a lecture's screen would; each is
// copied when it is drawn, and at the end the copies are one document, which the browser prints.
// The reader's own page stays where it is.

import { make } from "../../board/dom.js";
import { asDocument, asText, copyOf, fitOf, learnStyles, prepare, stylesOf } from "./slide_copy.js";
import { CHART, isRunning, PAGE, SKELETON, STALE } from "../../browser/streamlit_page.js";

const LOOK = 100; // milliseconds between two looks at the frame

const pause = (wait) => new Promise((done) => setTimeout(done, wait));

// Everything of the beat is there, and nothing moves.
function isAtRest({ contentDocument: doc, contentWindow: view }) {
    const main = doc.querySelector(PAGE);
    return view.attentionAddress.isAnswered() && doc.querySelector(".st-key-beat h2") &&
        !isRunning(doc) &&
        !main.querySelector(`${STALE}, ${SKELETON}`) &&
        [...main.querySelectorAll(".ab-host")].every((host) => host.children.length) &&
        [...main.querySelectorAll(CHART)].every((chart) => chart.querySelector(".marks")) &&
        doc.fonts.status === "loaded" &&
        doc.getAnimations().every((each) => each.playState !== "running");
}

// Until the frame's beat is drawn and two looks see the same. False where it never comes, or
// whoever waited has stopped.
async function drawn(frame, { quiet, longest }, stopped) {
    const began = performance.now();
    let since = began, before = null;
    while (
        !stopped.aborted && performance.now() - since < quiet && performance.now() - began < longest
    ) {
        const doc = frame.contentDocument, seen = doc?.querySelector(PAGE)?.innerHTML ?? null;
        if (seen !== null && frame.contentWindow.attentionAddress) {
            prepare(doc);
            if (seen === before && isAtRest(frame)) return true;
        }
        if (seen !== before) since = performance.now();
        before = seen;
        await pause(LOOK);
    }
    return false;
}

// Light whatever the reader's theme: paper is white.
function frameAt(place, page, link) {
    const path = new URL(window.attentionAddress.of(page), location.href).pathname;
    const frame = make("iframe", {
        class: "ab-slides-stage",
        title: "The slide that is being made",
        inert: "",
        "data-slides": "",
        src: `${path}?${link}&embed=true&embed_options=light_theme`,
    });
    place.replaceChildren(frame);
    return frame;
}

// Copies of these beats, and those that are missing. `told` hears how far it is.
async function copies(slides, given, place, told, stopped) {
    const made = [], missing = [], styles = new Map();
    let frame = null, size = "", css = "";
    for (const [k, [page, beat]] of slides.entries()) {
        const link = beat > 1 ? `${given.link}&beat=${beat}` : given.link;
        told(k);
        if (frame) frame.contentWindow.attentionAddress.follow(page, link);
        else frame = frameAt(place, page, link);
        if (await drawn(frame, given, stopped)) {
            const doc = frame.contentDocument, main = doc.querySelector(PAGE);
            learnStyles(doc, styles);
            made.push({ k, page, beat, screen: copyOf(main, fitOf(main), `slide-${k + 1}-`) });
            [size, css] = [
                frame.contentWindow.getComputedStyle(doc.documentElement).fontSize,
                stylesOf(doc, styles),
            ];
        } else {
            if (stopped.aborted) return null;
            missing.push([page, beat]);
            // the next one has a fresh frame; two in a row, and none is asked for any more
            frame = null;
            if (missing.length > 1 && made.at(-1)?.k !== k - 1) {
                return { made, missing: [...missing, ...slides.slice(k + 1)], size, css };
            }
        }
    }
    return { made, missing, size, css };
}

// A beat's title and what is for the speaker, which are others on some routes.
function textsOf([page, beat], given) {
    const texts = given.beats[page][beat - 1];
    return texts[given.route] ?? texts;
}

function slideOf({ k, page, beat, screen }, count, given, withNotes) {
    const { say, ask, wrong } = textsOf([page, beat], given);
    const part = (name, text) => `<div><h3>${name}</h3><p>${asText(text)}</p></div>`;
    const notes = withNotes
        ? `<div class="ab-notes">${part("Say", say)}${part("Ask", ask)}${
            part("Usual wrong answer", wrong)
        }</div>`
        : "";
    const number = `<p class="ab-slide-number">${asText(given.pages[page])} · ${
        k + 1
    } / ${count}</p>`;
    return `<section class="ab-slide${
        withNotes ? " ab-noted" : ""
    }"><div class="ab-slide-box">${screen}${number}</div>${notes}</section>`;
}

const named = (slide, given) => `${given.pages[slide[0]]}, “${textsOf(slide, given).title}”`;

function saidOf({ made, missing }, given) {
    const some = missing.slice(0, 3).map((each) => named(each, given)).join("; ");
    const more = missing.length > 3 ? `; and ${missing.length - 3} more` : "";
    return `${made.length} slide${made.length === 1 ? "" : "s"}.${
        missing.length ? ` Missing, since no answer came: ${some}${more}.` : ""
    }`;
}

// What the reader presses and is told.
function controls(parent, given) {
    const form = make("div", { class: "ab-slides" }, parent);
    const label = make("label", {}, form, "Which ");
    const which = make("select", {}, label);
    given.decks.forEach(({ name, slides }, k) =>
        make("option", { value: k }, which, `${name} (${slides.length})`)
    );
    const notes = make("input", { type: "checkbox" });
    make("label", {}, form).append(notes, " With the speaker’s notes");
    const begin = make("button", { type: "button", class: "ab-stop" }, form, "Make slides");
    const stop = make("button", { type: "button", class: "ab-stop", hidden: "" }, form, "Stop");
    const said = make("p", { role: "status" }, form);
    const after = make("p", { class: "ab-slides-after", hidden: "" }, form);
    const place = make("div", { class: "ab-slides-place" }, form);
    return { which, notes, begin, stop, said, after, place };
}

// The document in a frame, which is printed; and ways to print it again, or to open it where no
// frame can be printed.
function present({ after, place }, html) {
    const url = URL.createObjectURL(new Blob([html], { type: "text/html" }));
    const frame = make("iframe", { class: "ab-slides-stage", title: "The slides", src: url });
    place.replaceChildren(frame);
    const print = () => frame.contentWindow.print();
    frame.addEventListener("load", () => frame.contentDocument.fonts.ready.then(print), {
        once: true,
    });
    after.replaceChildren();
    make("button", { type: "button", class: "ab-stop" }, after, "Print, or save as PDF")
        .addEventListener("click", print);
    make(
        "a",
        { href: url, target: "_blank", "data-new-tab": "", class: "ab-stop" },
        after,
        "Open the slides",
    );
    after.hidden = false;
    return () => URL.revokeObjectURL(url);
}

async function making(parts, offered, stopped) {
    const { slides, route } = offered.decks[Number(parts.which.value)],
        withNotes = parts.notes.checked;
    const given = {
        ...offered,
        route,
        link: route ? `${offered.link}&route=${route}` : offered.link,
    };
    const told = (k) => {
        parts.said.textContent = `Slide ${k + 1} of ${slides.length}: ${named(slides[k], given)}`;
    };
    const all = await copies(slides, given, parts.place, told, stopped);
    parts.place.replaceChildren();
    parts.said.textContent = all ? saidOf(all, given) : "Stopped.";
    if (!all?.made.length) return () => {};
    const title = `attention-${
        slides.every(([page]) => page === slides[0][0]) ? slides[0][0] || "overview" : "lecture"
    }-slides`;
    return present(
        parts,
        asDocument(
            title,
            all.css,
            all.size,
            given.paper,
            all.made.map((each) => slideOf(each, slides.length, given, withNotes)),
        ),
    );
}

export default function ({ data: bytes, parentElement }) {
    const text = new TextDecoder().decode(bytes);
    // what is made of the same setup goes on
    if (parentElement.saidBy === text) return parentElement.stopSlides;
    parentElement.stopSlides?.();
    parentElement.saidBy = text;
    parentElement.querySelector(".ab-slides")?.remove();
    const given = JSON.parse(text), parts = controls(parentElement, given);
    let stopped = new AbortController(), forget = () => {};
    const isBusy = (busy) => {
        const had = [parts.begin, parts.stop].includes(document.activeElement);
        [parts.begin.hidden, parts.stop.hidden] = [busy, !busy];
        parts.which.disabled = parts.notes.disabled = busy;
        if (had) (busy ? parts.stop : parts.begin).focus();
    };
    parts.begin.addEventListener("click", async () => {
        forget();
        stopped = new AbortController();
        parts.after.hidden = true;
        isBusy(true);
        try {
            forget = await making(parts, given, stopped.signal);
        } catch (error) {
            parts.said.textContent = "The slides could not be made.";
            throw error;
        } finally {
            isBusy(false);
        }
    });
    parts.stop.addEventListener("click", () => stopped.abort());
    parentElement.stopSlides = () => {
        stopped.abort();
        forget();
    };
    return parentElement.stopSlides;
}
