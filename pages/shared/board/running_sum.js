// The terms of one cell, written out: bars and the sum so far as a line of steps, and beside them
// the same as a table. Another cell's numbers move what is there; only another number of terms
// makes or takes away elements.

import { blend, palette } from "./colours.js";
import { elementsIn, make, node, press, renew } from "./dom.js";
import { decode, exact, roundStep, writtenAt } from "./numbers.js";
import { inLecture } from "./screen.js";
import { writeTable } from "./table.js";
import { fitted, isolated, measureAsIn, textWidth } from "./text.js";
import { BY_SIZE, orderButtons } from "./windowed.js";

// Pixels; `word` is what a label may take at least, `font` is that of the style sheet.
const RUNNING = { high: 262, top: 20, foot: 40, word: 80, font: 12 };
const PROJECTED = { high: 470, top: 30, foot: 58, word: 120, font: 18 };
const runningSizes = () => (inLecture() && window.innerWidth > 640 ? PROJECTED : RUNNING);

export function drawOpenedCell({ data: bytes, parentElement }) {
    const host = parentElement.querySelector(":scope > .ab-opened-cell") ||
        beginRunningSum(parentElement);
    const text = new TextDecoder().decode(bytes);
    if (host.sent === text) host.colours = null; // the same once more: the theme changed
    host.sent = text;
    host.data = JSON.parse(text);
    arrangeTerms(host);
    return host.stopWatching;
}

// A model has hundreds of terms to a cell: then there is a choice of their order, and behind the
// first 40 stands the sum of the others, until a reader asks for all. Whatever the order, they add
// up to the cell.
const FEW_TERMS = 128; // as in packed.py
const FIRST_TERMS = 40; // as on the boards

function arrangeTerms(host) {
    const { data } = host, n = data.rows.length, numbers = decode(data.numbers);
    const sent = { ...data, terms: numbers.subarray(0, n), sums: numbers.subarray(n) };
    host.drawing = n > FEW_TERMS ? arranged(sent, host.order ?? BY_SIZE, host.showsAll) : sent;
    drawArrangement(host, n);
    writeTable(host.lastChild, host.drawing);
    if (host.wide) drawRunningSum(host);
}

export function arranged({ terms, sums, rows, ...data }, order, showsAll) {
    if (order !== BY_SIZE && showsAll) return { ...data, terms, sums, rows };
    const n = terms.length, cell = sums[n - 1];
    const places = [...terms.keys()];
    if (order === BY_SIZE) places.sort((a, b) => Math.abs(terms[b]) - Math.abs(terms[a]));
    const shown = showsAll ? places : places.slice(0, FIRST_TERMS);
    let sum = 0;
    const after = shown.map((k) => (sum += terms[k]));
    if (showsAll) after[n - 1] = cell; // as in the tensor, without what rounding does on the way
    const made = shown.map((k, at) => [...rows[k].slice(0, -1), exact(Math.fround(after[at]))]);
    if (showsAll) return { ...data, terms: shown.map((k) => terms[k]), sums: after, rows: made };
    const rest = Math.fround(cell - sum), blank = rows[0].slice(1, -2).map(() => null);
    made.push([`${n - shown.length} others`, ...blank, exact(rest), exact(cell)]);
    return {
        ...data,
        terms: [...shown.map((k) => terms[k]), rest],
        sums: [...after, cell],
        rows: made,
    };
}

// Over the bars, where there is a choice.
function drawArrangement(host, n) {
    let line = host.querySelector(":scope > .ab-arrangement");
    if (n <= FEW_TERMS) return void line?.remove();
    if (!line) {
        line = make("div", { class: "ab-arrangement" });
        orderButtons(line, () => host.order ?? BY_SIZE, (order) => {
            host.order = order;
            arrangeTerms(host);
        });
        press(line, "", () => {
            host.showsAll = !host.showsAll;
            arrangeTerms(host);
        });
        host.prepend(line);
    }
    for (const button of line.querySelectorAll(".ab-order button")) {
        renew(button, { "aria-pressed": button.textContent === (host.order ?? BY_SIZE) });
    }
    renew(
        line.lastChild,
        { "aria-expanded": Boolean(host.showsAll) },
        host.showsAll ? `${FIRST_TERMS} and the others as one` : `All ${n} terms`,
    );
}

// The watcher tells the width right after the next layout, before anything is painted, so nothing
// has to be measured.
function beginRunningSum(parent) {
    const host = make("div", { class: "ab-opened-cell" }, parent);
    const svg = node("svg", { role: "img" }, make("div", { class: "ab-running" }, host));
    host.parts = Object.fromEntries(
        ["band", "grid", "bars", "ticks", "words", "titles"].map((
            name,
        ) => [name, node("g", { class: `ab-running-${name}` }, svg)]),
    );
    host.line = node("path", { class: "ab-running-line" }, svg);
    host.parts.dots = node("g", { class: "ab-running-dots" }, svg);
    make("div", { class: "ab-table ab-written", role: "region", tabindex: 0 }, host);
    host.redraw = () => { // for paper, in other colours
        host.colours = null;
        drawRunningSum(host);
    };
    const watcher = new ResizeObserver(() => {
        const wide = svg.parentElement.clientWidth;
        if (!wide || Math.abs(wide - (host.wide || 0)) <= 1) return;
        host.wide = wide;
        drawRunningSum(host);
    });
    watcher.observe(svg.parentElement);
    host.stopWatching = () => watcher.disconnect();
    svg.addEventListener(
        "pointermove",
        (event) => pointAtTerm(host, event.clientX - svg.getBoundingClientRect().left),
    );
    svg.addEventListener("pointerleave", () => pointAtTerm(host, -1));
    return host;
}

function drawRunningSum(host) {
    if (!host.isConnected) return;
    if (!host.colours) {
        host.colours = palette(host).diverging;
        measureAsIn(host);
    }
    const { terms, sums, rows, picture } = host.drawing, sizes = runningSizes();
    const svg = host.line.ownerSVGElement,
        frame = runningFrame([...terms, ...sums], rows.length, host.wide, sizes);
    host.frame = frame;
    host.classList.toggle("ab-projected", sizes === PROJECTED);
    renew(svg, {
        width: host.wide,
        height: sizes.high,
        viewBox: `0 0 ${host.wide} ${sizes.high}`,
        "aria-label": picture,
    });
    drawTicks(host.parts, frame, host.wide);
    const largest = Math.max(...terms.filter(Number.isFinite).map(Math.abs), 0) || 1,
        wide = Math.min(0.8 * frame.step, 48);
    elementsIn(host.parts.bars, "rect", terms.length).forEach((bar, k) => {
        const [y0, y1] = [frame.y(Math.max(terms[k], 0)), frame.y(Math.min(terms[k], 0))];
        const shade = Math.min(Math.max(terms[k] / largest, -1), 1) || 0;
        const fill = `rgb(${blend(host.colours, (shade + 1) / 2)})`;
        renew(bar, { x: frame.x(k) - wide / 2, y: y0, width: wide, height: y1 - y0, fill });
    });
    const tips = [...sums].map((sum, k) => [frame.x(k), frame.y(sum)]);
    renew(host.line, { d: `M${tips[0]}${tips.slice(1).map(([x, y]) => `H${x}V${y}`).join("")}` });
    const r = Math.min(3, 0.25 * frame.step);
    elementsIn(host.parts.dots, "circle", tips.length).forEach((dot, k) =>
        renew(dot, { cx: tips[k][0], cy: tips[k][1], r })
    );
    drawTermNames(host.parts.words, frame, rows.map(([name]) => name), host.wide);
    pointAtTerm(host, -1);
}

// Where numbers and terms stand. What is not finite stands at the edge.
function runningFrame(values, n, wide, sizes) {
    const finite = values.filter(Number.isFinite);
    let [low, high] = [Math.min(0, ...finite), Math.max(0, ...finite)];
    if (low === high) [low, high] = [-1, 1];
    const each = roundStep((high - low) / 6), ticks = [];
    for (let k = Math.ceil(low / each); k <= high / each; k++) {
        ticks.push([k * each, writtenAt(k * each, each)]);
    }
    const left = Math.ceil(Math.max(0, ...ticks.map(([, text]) => textWidth(text, sizes.font)))) +
            12,
        step = (wide - left - 4) / n;
    const [top, bottom] = [sizes.top + 6, sizes.high - sizes.foot - 6];
    const share = (v) => Math.min(Math.max((high - (v || 0)) / (high - low), 0), 1);
    return {
        sizes,
        left,
        step,
        ticks,
        n,
        x: (k) => left + (k + 0.5) * step,
        y: (v) => top + share(v) * (bottom - top),
    };
}

function drawTicks({ grid, ticks }, { left, ticks: all, y }, wide) {
    elementsIn(grid, "path", all.length).forEach((line, k) => {
        renew(line, {
            d: `M${left} ${y(all[k][0])}H${wide - 4}`,
            class: all[k][0] ? "" : "ab-running-zero",
        });
    });
    elementsIn(ticks, "text", all.length).forEach((tick, k) =>
        renew(tick, { x: left - 6, y: y(all[k][0]) }, all[k][1])
    );
}

// As many names under the bars as there is room for: all, or every second, third …
function drawTermNames(group, { sizes, step, x }, names, wide) {
    const room = Math.max(sizes.word, step - 8);
    const widths = names.map((name) => Math.min(textWidth(name, sizes.font), room));
    const every = Math.ceil((Math.max(...widths) + 6) / step);
    const shown = [...names.keys()].filter((k) =>
        k % every === 0 && (k === 0 || x(k) + widths[k] / 2 <= wide)
    );
    const y = sizes.high - sizes.foot + (2 * sizes.font) / 3;
    elementsIn(group, "text", shown.length).forEach((text, place) => {
        const k = shown[place];
        text.removeAttribute("textLength");
        renew(text, { x: Math.max(x(k), widths[k] / 2), y }, names[k]);
        fitted(text, textWidth(names[k], sizes.font), room);
    });
}

// The first line names the axis; while a term is pointed at, it has that term's numbers, as the
// table has them.
function pointAtTerm({ parts, frame, drawing, wide }, x) {
    const k = x < 0 ? -1 : Math.floor((x - frame.left) / frame.step), row = drawing.rows[k];
    const titles = drawing.columns.slice(-2), { font, top, high, foot } = frame.sizes;
    const said = row
        ? `${isolated(row[0])}: ${titles.map((title, t) => `${title} ${row.at(t - 2)}`).join(", ")}`
        : titles.join(", ");
    const [across, up] = elementsIn(parts.titles, "text", 2);
    renew(across, {
        x: frame.left + (frame.n * frame.step) / 2,
        y: high - 0.8 * font,
        "text-anchor": "middle",
    }, drawing.columns[0]);
    renew(up, { x: 0, y: 0.75 * font }, said);
    up.removeAttribute("textLength");
    fitted(up, textWidth(said, font), wide);
    const [band] = elementsIn(parts.band, "rect", row ? 1 : 0);
    if (band) {
        renew(band, {
            x: frame.x(k) - frame.step / 2,
            y: top,
            width: frame.step,
            height: high - top - foot,
        });
    }
}
