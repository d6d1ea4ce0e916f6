// A question before a step is seen: one line above the figure, and in the figure's own row choices
// to click or shares to drag. What would tell is covered until it is answered or skipped, all else
// is alive; then the guess is a ghost over the truth. A guess stays in this window. Which questions
// were answered, and that none shall be asked, this browser keeps.

import { cover } from "../../board/covered.js";
import { make, press } from "../../board/dom.js";
import { brief } from "../../board/numbers.js";
import { textWidth } from "../../board/text.js";
import { drawOptions, drawShares, percents } from "./ask.js";
import { drawBars, drawReply } from "./told.js";

const SWITCH = "attention-predictions";
const ANSWERED = "attention-predicted";
const CHANGED = "attention-predicting";
// by the question: { of, picked, shares }: the question with its numbers, what was chosen, and if
// shares, all
const guesses = {};

// ---------- what this browser keeps ----------

function kept() {
    // a board alone has no room for a question
    if (/[?&]embed=board_/.test(location.search)) return { off: true, names: [], never: true };
    try {
        const names = JSON.parse(localStorage.getItem(ANSWERED) ?? "[]");
        return {
            off: localStorage.getItem(SWITCH) === "off",
            names: Array.isArray(names) ? names : [],
        };
    } catch {
        return { off: true, names: [], never: true }; // it would be asked again each time
    }
}

function keep({ off, names }) {
    try {
        localStorage.setItem(ANSWERED, JSON.stringify(names));
        if (off) localStorage.setItem(SWITCH, "off");
        else localStorage.removeItem(SWITCH);
    } catch { /* nothing can be kept: then nothing is asked */ }
    window.dispatchEvent(new Event(CHANGED));
}

const answered = (name) => keep({ off: kept().off, names: [...new Set([...kept().names, name])] });

function askAgain(name) {
    delete guesses[name];
    keep({ off: false, names: kept().names.filter((other) => other !== name) });
}

// ---------- on the figure ----------

// What is covered of a matrix, in its drawing's pixels: one row, where it is asked of one and there
// are several. Along rows stand words, which are always shown whole.
function coverOf(group, row) {
    const svg = group.ownerSVGElement,
        cells = group.querySelector(":scope > .ab-cells"),
        rows = Number(cells.dataset.rows);
    const scale = Number(svg.getAttribute("width")) / svg.viewBox.baseVal.width;
    const [left, top, width, height] = ["x", "y", "width", "height"].map((name) =>
        scale * Number(cells.getAttribute(name))
    );
    const ofRow = rows > 1 && row !== null, high = ofRow ? height / rows : height;
    return {
        svg,
        ofRow,
        left,
        width,
        top: top + (ofRow ? row * high : 0),
        height: high,
        columns: Number(cells.dataset.columns),
    };
}

// Over a drawing, moving with it: what is laid there is no part of it, for a pointer as for a
// picture of it.
function coversOn(svg) {
    const layer = svg.parentElement.querySelector(":scope > .ab-covers") ??
        make("div", { class: "ab-covers" });
    if (svg.previousElementSibling === layer) return layer;
    const focused = layer.contains(document.activeElement) && document.activeElement;
    svg.before(layer);
    if (focused) focused.focus({ preventScroll: true });
    return layer;
}

function layPiece({ svg, ofRow, left, top, width, height }, piece, lowest = top + height) {
    const layer = coversOn(svg),
        down = svg.getBoundingClientRect().top - layer.getBoundingClientRect().top;
    if (piece.parentElement !== layer) layer.append(piece);
    piece.classList.toggle("ab-of-row", ofRow);
    Object.assign(piece.style, {
        left: `${left}px`,
        top: `${lowest + down}px`,
        width: `${width}px`,
        minHeight: `${height}px`,
    });
}

// There the row that is asked stands over the figure, whose own would be narrow and far below.
const onPhone = () => innerWidth <= 640;
const MOST_ABOVE = 16; // words there, before they are a list
const LEAST_LIST = 150; // pixels that a list of options needs, beside its button
const LEAST_SHARE = 40; // and a share that is dragged

// The covers, and on the first board's last matrix what is answered with. A row that is narrow for
// its options has them as a list.
function layCovers(host) {
    const { data, piece, state } = host, { covers } = window.attentionAddress.prediction(data.name);
    for (const laid of host.covers.splice(0)) laid.remove();
    const matrices = covers.map(([figure, name]) =>
        [...document.querySelectorAll(`.st-key-${figure} .ab-host > .ab-svg > .ab-matrix`)]
            .filter((group) => !name || group.dataset.name === name)
    );
    for (const group of matrices.flat()) {
        if (state !== "asks") cover(group, data.name);
        else cover(group, data.name, coverOf(group, data.row).ofRow ? data.row : "all", data.tells);
    }
    const answered = matrices[0].at(-1);
    if (!piece || !answered) return; // nothing is asked, or it is not drawn yet
    const on = coverOf(answered, data.row),
        count = data.options.length,
        isShares = data.kind === "shares",
        each = on.width / count;
    if (state === "told") return on.columns === count ? layPiece(on, piece) : piece.remove();
    const isAbove = onPhone() && data.row !== null && !(isShares && each >= LEAST_SHARE);
    piece.classList.toggle("ab-above", isAbove);
    piece.classList.toggle("ab-predict", !isAbove); // there it stands in one
    for (const group of matrices.flat()) {
        if (group === answered && !isAbove) continue;
        const place = coverOf(group, data.row), laid = make("div", { class: "ab-cover" });
        host.covers.push(laid);
        layPiece(
            { ...place, left: place.left - 2, width: place.width + 4, height: place.height + 4 },
            laid,
            place.top + place.height + 2,
        );
    }
    if (isAbove) {
        piece.removeAttribute("style");
        piece.classList.toggle("ab-narrow", count > MOST_ABOVE);
        piece.classList.toggle("ab-named", isShares);
        if (piece.parentElement !== host) host.append(piece);
        return;
    }
    const isList = !isShares &&
        Math.max(...data.options.map((option) => textWidth(option, 13, 600))) + 8 > each;
    piece.classList.toggle("ab-narrow", isList);
    // the words over the columns do not say whose each is
    piece.classList.toggle("ab-named", count !== on.columns || each < LEAST_SHARE);
    // of a drawing that moves sideways what is in sight
    const ofHost = isList ? on.svg.parentElement.clientWidth - on.left : Infinity;
    const width = Math.max(Math.min(on.width + (isShares ? 64 : 4), ofHost), LEAST_LIST);
    const seen = Math.max(on.svg.getBoundingClientRect().width, LEAST_LIST);
    layPiece(
        { ...on, left: Math.max(0, Math.min(on.left - 2, seen - width)), width, height: 0 },
        piece,
        on.top + (on.ofRow ? on.height / 2 + 22 : 42),
    );
}

// ---------- asking ----------

function guess(data, picked, shares = null) {
    guesses[data.name] = { of: JSON.stringify(data), picked, shares };
    answered(data.name);
}

// The line, and what lies in the figure.
function drawQuestion(place, data) {
    const line = make("div", { class: "ab-question-row" }, place),
        asks = make("p", { class: "ab-predict-asks" }, line);
    make("strong", {}, asks, "Guess: ");
    asks.append(data.asks);
    if (!onPhone()) {
        asks.append(
            ` ${data.kind === "shares" ? "Drag" : "Click"} ${
                data.row === null ? "below" : "in its row"
            }.`,
        );
    }
    press(line, "Skip", () => answered(data.name), { class: "ab-predict-aside" });
    if (!onPhone()) neverAgain(line); // there it would take a line: it stands behind Skip
    const piece = make("div", { class: "ab-answering", role: "group", "aria-label": data.asks });
    if (data.kind === "shares") {
        const shares = drawShares(piece, data.options);
        press(piece, "See", () => guess(data, largest(shares()), shares()), {
            class: "ab-predict-see",
        });
        return piece;
    }
    drawOptions(piece, data.options, (k) => guess(data, [k]));
    piece.querySelectorAll("button").forEach((button, k) => drawGiven(button, data, k));
    const list = make("select", { "aria-label": data.asks }, piece);
    make("option", { value: "" }, list, "Which?");
    data.options.forEach((option, k) => make("option", { value: k }, list, option));
    press(piece, "See", () => list.value && guess(data, [Number(list.value)]), {
        class: "ab-predict-see",
    });
    return piece;
}

const neverAgain = (parent) =>
    press(parent, "Don't ask again", () => keep({ ...kept(), off: true }), {
        class: "ab-predict-aside",
    });

// What is known of a word while it is asked: in its row over the figure.
function drawGiven(parent, { given }, k) {
    if (given) {
        make("span", { class: "ab-given" }, parent, `${given.symbol} ${brief(given.numbers[k])}`);
    }
}

// The same row once it is told: each word with what is known of it, or else with its number.
function drawRowAbove(place, data, mine) {
    if (
        !onPhone() || data.row === null || data.kind === "shares" ||
        data.options.length > MOST_ABOVE
    ) return; // of shares the figure has them all
    // the sentence and the numbers below say it
    const list = make("div", { class: "ab-told-row", "aria-hidden": "true" }, place);
    data.options.forEach((option, k) => {
        const cell = make(
            "div",
            mine?.picked.includes(k) && !mine.shares ? { class: "ab-picked" } : {},
            list,
        );
        make("bdi", {}, cell, option);
        if (data.given) drawGiven(cell, data, k);
        else make("span", {}, cell, brief(data.bars[k][1]));
    });
}

const largest = (shares) =>
    [...shares.keys()].filter((k) => shares[k] > Math.max(...shares) - 1e-9);

// Who left several shares largest has chosen all of them: that is neither right nor wrong where
// only some are. Over the row lies what was guessed of it.
function drawTruth(place, status, data, mine) {
    // else it was a guess of other numbers
    const fits = mine.of === JSON.stringify(data), picked = fits ? mine.picked : [];
    const hits = picked.filter((k) => data.right.includes(k)).length,
        right = hits === picked.length || (hits ? null : false);
    drawReply(
        make("p", {}, status),
        picked.length ? right : null,
        data.says[picked.length === 1 ? picked[0] : data.right[0]],
        "No",
    );
    const unfolds = make("details", {}, place);
    make("summary", {}, unfolds, fits ? "Every number, your guess dashed" : "Every number");
    drawBars(unfolds, data, fits ? mine : null);
    drawRowAbove(place, data, fits ? mine : null);
    press(place, fits ? "Ask again" : "Ask me of these numbers", () => askAgain(data.name), {
        class: "ab-predict-aside",
    });
    if (!fits) return null;
    const ghost = make("div", { class: "ab-guessed", "aria-hidden": "true" });
    const said = mine.shares && percents(mine.shares);
    data.options.forEach((_, k) =>
        make("i", { class: said ? "ab-guessed-share" : "" }, make("span", {}, ghost), said?.[k])
            .hidden = !said && !picked.includes(k)
    );
    return ghost;
}

// ---------- mounting ----------

function stateOf({ name, asks }) {
    const { off, names, never } = kept();
    if (never || !asks) return "never"; // nothing can be kept, or there is nothing to ask
    if (off) return guesses[name] ? "told" : "off";
    if (!names.includes(name)) return "asks";
    return guesses[name] ? "told" : "off";
}

function drawPrediction(host) {
    const { data } = host,
        state = stateOf(data),
        drawn = JSON.stringify([state, data, guesses[data.name], kept().off, onPhone()]);
    markAsking(data.name, state === "asks");
    if (host.drawn === drawn) return;
    Object.assign(host, { drawn, state });
    const had = host.contains(document.activeElement) ||
        host.piece?.contains(document.activeElement);
    const [status, place] = host.children;
    place.replaceChildren();
    status.replaceChildren();
    host.piece?.remove();
    const { role } = window.attentionAddress.prediction(data.name);
    host.className = `ab-predict ab-${role} ab-predict-${state}`;
    // or it would keep a gap
    host.closest(`.st-key-predict_${data.name}`).style.display = state === "never" ? "none" : "";
    host.piece = state === "asks"
        ? drawQuestion(place, data)
        : state === "told"
        ? drawTruth(place, status, data, guesses[data.name])
        : null;
    host.piece?.classList.add("ab-predict", `ab-${role}`);
    if (state === "off") {
        press(place, "Ask me before I see", () => askAgain(data.name), {
            class: "ab-predict-aside",
        });
    }
    if (state === "off" && !kept().off && onPhone()) neverAgain(place);
    layCovers(host);
    if (had) {
        [host.piece, host].map((part) => part?.querySelector("button, input")).find((each) =>
            each?.checkVisibility()
        )?.focus({ preventScroll: true });
    }
}

// Which questions are open, for the style sheet: words that would tell wait, too.
function markAsking(name, on) {
    const { dataset } = document.documentElement,
        open = new Set((dataset.asking ?? "").split(" ").filter(Boolean));
    open[on ? "add" : "delete"](name);
    if (open.size) dataset.asking = [...open].join(" ");
    else delete dataset.asking;
}

export function beginPrediction({ data: bytes, parentElement }) {
    let host = parentElement.querySelector(":scope > .ab-predict");
    if (!host) {
        host = make("div", {
            class: "ab-predict",
            role: "group",
            "aria-label": "Predict, then see",
        }, parentElement);
        host.covers = [];
        make("div", { role: "status" }, host);
        make("div", {}, host);
    }
    host.end?.(); // with other data it begins anew, without an end
    host.data = JSON.parse(new TextDecoder().decode(bytes));
    const { name } = host.data,
        again = () => drawPrediction(host),
        layAgain = () => layCovers(host);
    again();
    for (const kind of [CHANGED, "attention-answered"]) window.addEventListener(kind, again);
    window.addEventListener("attention-drawn", layAgain);
    host.end = () => {
        for (const kind of [CHANGED, "attention-answered"]) window.removeEventListener(kind, again);
        window.removeEventListener("attention-drawn", layAgain);
        markAsking(name, false);
        host.piece?.remove();
        Object.assign(host, { state: "never", piece: null, drawn: null });
        layCovers(host);
    };
    return host.end;
}
