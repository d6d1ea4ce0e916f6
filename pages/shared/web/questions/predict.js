// A prediction before a step is shown: a line below the figure. A click on it covers the row in
// question with options to choose or shares to drag. Once submitted, the guess is drawn over the
// result; it disappears when the figure plays, and is not stored.

import { address } from "../../../../core/board/web/address.js";
import { make, makeButton } from "../../../../core/board/web/dom.js";
import { BLOCK } from "../../../../core/board/web/streamlit_page.js";
import { textWidth } from "../../../../core/board/web/text.js";
import { drawOptions, drawShares, roundPercents } from "./ask.js";
import { drawBars, drawReply } from "./results.js";

const LEAST_LIST = 150; // pixels for a list of options beside its button
const LEAST_SHARE = 40; // pixels for a draggable share

// ---------- on the figure ----------

// The place of the answer in its drawing's pixels: the row in question, or, without one, all rows.
function locateRow({ name, row }) {
    const { board, entry } = address.prediction(name);
    /** @type {NodeListOf<SVGGElement>} */
    const groups = document.querySelectorAll(`.st-key-${board} .ab-host > .ab-svg > .ab-matrix`);
    const group = [...groups].findLast((each) => !entry || each.dataset.name === entry);
    if (!group) return null;
    const svg = group.ownerSVGElement,
        cells = group.querySelector(":scope > .ab-cells"),
        rows = Number(cells.dataset.rows),
        columns = Number(cells.dataset.columns);
    const scale = Number(svg.getAttribute("width")) / svg.viewBox.baseVal.width;
    const [left, top, width, whole] = ["x", "y", "width", "height"].map((side) =>
        scale * Number(cells.getAttribute(side))
    );
    const isOne = rows > 1 && row !== null, height = isOne ? whole / rows : whole;
    return { svg, left, width, height, columns, top: top + (isOne ? row * height : 0) };
}

// Puts an overlay on a drawing that moves with it; it is not part of the drawing, so pointing and
// pictures ignore it.
function drawGuess(host, piece) {
    const place = locateRow(host.data);
    if (!place || !piece) return;
    const { svg, width, height, left, columns } = place;
    const layer = svg.parentElement.querySelector(":scope > .ab-covers") ??
        make("div", { class: "ab-covers" });
    if (svg.previousElementSibling !== layer) svg.before(layer);
    if (piece.parentElement !== layer) layer.append(piece);
    const { options, kind } = host.data,
        each = width / options.length,
        isShares = kind === "shares";
    const isList = !isShares &&
        Math.max(...options.map((option) => textWidth(option, "label", 600))) + 8 > each;
    piece.classList.toggle("ab-narrow", isList);
    // the column labels do not name each option
    piece.classList.toggle("ab-named", options.length !== columns || each < LEAST_SHARE);
    const down = svg.getBoundingClientRect().top - layer.getBoundingClientRect().top;
    const isTold = host.state === "told";
    if (isTold && options.length !== columns) piece.remove();
    const wide = isTold ? width : Math.max(width + (isShares ? 64 : 4), LEAST_LIST);
    const seen = Math.max(svg.getBoundingClientRect().width, LEAST_LIST);
    Object.assign(piece.style, {
        left: `${isTold ? left : Math.max(0, Math.min(left - 2, seen - wide))}px`,
        top: `${place.top + height + down}px`,
        width: `${wide}px`,
        minHeight: `${height}px`,
    });
}

// ---------- asking ----------

function tellGuess(host, picked, shares = null) {
    showGuess(host, "told", { picked, shares });
}

// The inputs that cover the row.
function drawGuessing(host) {
    const { asks, options, kind } = host.data;
    const piece = make("div", { class: "ab-answering", role: "group", "aria-label": asks });
    if (kind === "shares") {
        const shares = drawShares(piece, options);
        makeButton(piece, "See", () => tellGuess(host, findLargest(shares()), shares()), {
            class: "ab-predict-see",
        });
        return piece;
    }
    drawOptions(piece, options, (k) => tellGuess(host, [k]));
    const list = make("select", { "aria-label": asks }, piece);
    make("option", { value: "" }, list, "Which?");
    options.forEach((option, k) => make("option", { value: k }, list, option));
    makeButton(piece, "See", () => list.value && tellGuess(host, [Number(list.value)]), {
        class: "ab-predict-see",
    });
    return piece;
}

const findLargest = (shares) =>
    [...shares.keys()].filter((k) => shares[k] > Math.max(...shares) - 1e-9);

// The guess, over the row.
function drawGuessGhost({ data }, { picked, shares }) {
    const ghost = make("div", { class: "ab-guessed", "aria-hidden": "true" });
    const said = shares && roundPercents(shares);
    data.options.forEach((_, k) =>
        make("i", { class: said ? "ab-guessed-share" : "" }, make("span", {}, ghost), said?.[k])
            .hidden = !said && !picked.includes(k)
    );
    return ghost;
}

// Several equal largest shares count as chosen together: neither right nor wrong if only some of
// them are right.
function drawGuessTold({ data, line }, mine) {
    const hits = mine.picked.filter((k) => data.right.includes(k)).length,
        right = hits === mine.picked.length || (hits ? null : false);
    const one = mine.picked.length === 1 ? mine.picked[0] : data.right[0];
    drawReply(make("p", { role: "status" }, line), right, data.says[one]);
    const unfolds = make("details", {}, line);
    make("summary", {}, unfolds, "Every number, your guess dashed");
    drawBars(unfolds, data, mine);
}

const GUESS_WORDS = { off: "Guess first?", asks: "Never mind", told: "Guess again" };

function showGuess(host, state, mine = null) {
    const had = host.line.contains(document.activeElement) ||
        host.piece?.contains(document.activeElement);
    host.piece?.remove();
    Object.assign(host, { state, piece: null });
    const { line, data } = host,
        { role } = address.prediction(data.name);
    line.className = `ab-predict ab-${role} ab-predict-${state}`;
    hideSentences(line, state === "asks");
    line.replaceChildren();
    if (state === "asks") {
        const asks = make("p", {}, line);
        make("strong", {}, asks, "Guess: ");
        asks.append(`${data.asks} ${data.kind === "shares" ? "Drag" : "Click"} in the figure.`);
        host.piece = drawGuessing(host);
    } else if (state === "told") {
        drawGuessTold(host, mine);
        host.piece = drawGuessGhost(host, mine);
    }
    makeButton(line, GUESS_WORDS[state], () => showGuess(host, state === "asks" ? "off" : "asks"), {
        class: "ab-predict-aside",
    });
    host.piece?.classList.add("ab-predict", `ab-${role}`);
    drawGuess(host, host.piece);
    if (had) {
        const to = state === "asks" ? host.piece : line;
        [...to.querySelectorAll("button, input, select")].find((each) => each.checkVisibility())
            ?.focus({ preventScroll: true });
    }
}

// While it is asked, the sentences around the figure keep the answer back too.
function hideSentences(line, hides) {
    for (const each of [line.closest(BLOCK), document.documentElement]) {
        each?.toggleAttribute("data-guesses", hides);
    }
}

export function beginPrediction({ data: bytes, parentElement }) {
    const said = new TextDecoder().decode(bytes), data = JSON.parse(said);
    let host = parentElement.host;
    if (!host) {
        const line = make("div", { role: "group", "aria-label": "Guess, then see" }, parentElement);
        host = parentElement.host = { line };
    }
    host.end?.(); // other data come without a call of `end`
    const isOther = host.said !== said;
    Object.assign(host, { data, said });
    host.line.hidden = !data.asks;
    if (isOther) showGuess(host, "off");
    else hideSentences(host.line, host.state === "asks");
    const again = () => drawGuess(host, host.piece);
    const played = ({ target }) => {
        const { board } = address.prediction(data.name);
        if (target.closest(`.st-key-${board}`) && host.state !== "off") showGuess(host, "off");
    };
    window.addEventListener("attention-drawn", again);
    window.addEventListener("attention-plays", played);
    host.end = () => {
        window.removeEventListener("attention-drawn", again);
        window.removeEventListener("attention-plays", played);
        host.piece?.remove();
        hideSentences(host.line, false);
    };
    again();
    return host.end;
}
