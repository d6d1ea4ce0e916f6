// View: one scene of the story. One thing moves, once, and again when asked; where the scene has a
// question, a hand answers it on the figure itself, and the truth moves in beside the answer.

import { withShare } from "../../frame/questions/ask.js";
import { make, node, press, renew, used } from "../dom.js";
import { drawCells } from "../matrix.js";
import { brief, decode, percentOf } from "../numbers.js";
import { smooth } from "../primitives.js";
import { read } from "../read.js";
import { lessMotion } from "../screen.js";
import { fitted, textWidth } from "../text.js";
/** @import { View, Matrix } from "../types.d.ts" */

// pixels: a figure, a screen that stacks, a row of numbers and its cells
const WIDEST = 1000, NARROW = 640, ROW = 42, CELL = 52;
const toldGuesses = new Map(); // what a hand answered, by the scene: as long as the page is open

// Each draws what stands, and returns how high it is, how long the motion takes, and what shows the
// moment t of it, from 0 to 1.
const SCENES = {
    arc: drawArcScene,
    ids: drawIds,
    lookup: drawLookup,
    made: drawMade,
    fits: drawFits,
    bars: drawBarScene,
    mixed: drawMixed,
};

/** @type {View} */
export function drawTold(host, data, _send, colours, room) {
    host.stopTold?.();
    host.replaceChildren();
    const wide = Math.min(room.w, WIDEST), name = data.alt;
    const svg = node("svg", {
        class: "ab-told",
        role: data.asked ? "group" : "img",
        "aria-label": data.alt,
    }, host);
    const foot = make("div", { class: "ab-told-under" }, host);
    const said = make("p", { class: "ab-told-said", "aria-live": "polite" }, foot);
    const again = press(foot, "↻ Again", () => play(), {
        class: "ab-told-again",
        title: "Show what moves once more",
    });
    const tall = room.fit ? Math.max(room.h - 28, 300) : 400;
    const stage = {
        host,
        svg,
        tall,
        foot,
        data,
        colours,
        wide,
        narrow: wide < NARROW,
        guessed: () => toldGuesses.get(name),
        answer,
    };
    const scene = SCENES[data.scene](stage);
    renew(svg, {
        width: wide * room.scale,
        height: scene.height * room.scale,
        viewBox: `0 0 ${wide} ${scene.height}`,
    });

    // The answer, and what is said of it; then the truth.
    function answer(guess, picked) {
        toldGuesses.set(name, { ...guess, picked });
        scene.ask?.end();
        play();
    }
    const reply = () => {
        const guess = stage.guessed(), { right, says } = data.asked ?? {};
        if (guess?.picked === undefined) return scene.silent ? "" : data.said;
        return `${right.includes(guess.picked) ? "Yes." : "Not quite."} ${
            data.scene === "arc" ? data.said : says[guess.picked] ?? data.said
        }`;
    };
    function play() {
        renew(said, {
            "data-right": String(
                Boolean(stage.guessed() && data.asked.right.includes(stage.guessed().picked)),
            ),
        }, "");
        again.hidden = lessMotion();
        host.stopTold?.();
        moving(host, scene.lasts, scene.show, () => renew(said, {}, reply()));
    }
    const asks = data.asked && !stage.guessed() && scene.ask;
    if (asks) {
        again.hidden = true;
        svg.dataset.state = "asks";
        asks.begin();
    } else play();
}

// From 0 to 1 in steps of the screen; at once where a reader wants no motion.
function moving(host, lasts, show, then) {
    const ended = () => {
        show(1);
        host.querySelector(".ab-told").dataset.state = "told";
        then();
    };
    if (lessMotion()) return void ended();
    let frame = 0;
    const began = performance.now();
    const step = (now) => {
        const t = Math.min(Math.max((now - began) / lasts, 0), 1);
        if (t === 1) return void ended();
        show(t);
        frame = requestAnimationFrame(step);
    };
    show(0);
    host.querySelector(".ab-told").dataset.state = "moves";
    frame = requestAnimationFrame(step);
    host.stopTold = () => cancelAnimationFrame(frame);
}

// of the way, within this span of the whole
const part = (t, from, to) => smooth(Math.min(Math.max((t - from) / (to - from), 0), 1));

// What a key presses as a button is pressed.
function pressable(element, label, act) {
    renew(element, { role: "button", tabindex: 0, "aria-label": label });
    element.addEventListener("click", act);
    element.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        used(event);
        act();
    });
}

// Where a pointer is, in the drawing's own measure.
function pointIn(svg, event) {
    const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
    return { x: (event.clientX - box.left) / scale, y: (event.clientY - box.top) / scale };
}

// ---------- rows of numbers ----------

// Numbers in smaller type, or none.
const tight = (group, uw) =>
    uw < 46 && group.classList.add(uw < 34 ? "ab-told-bare" : "ab-told-tight");

// A row under its title; its cells as wide as there is room.
/** @param {Matrix} matrix */
function drawRow(
    parent,
    matrix,
    x,
    y,
    room,
    colours,
    { title = matrix.title, role = matrix.role, high = ROW, cell = CELL } = {},
) {
    const group = node("g", {}, parent), uw = Math.min(cell, room / matrix.m);
    if (title) node("text", { x, y: y - 8, class: `ab-told-title ab-${role}` }, group, title);
    drawCells(group, { ...matrix, role }, x, y, uw, high, colours);
    tight(group, uw);
    return { group, width: uw * matrix.m, uw };
}

// What is seen of a group: so much of it from the left.
let windows = 0;
function revealed(svg, group, x, y, width, height) {
    const id = `ab-told-window-${windows += 1}`;
    const box = node("rect", { x, y, width: 0, height }, node("clipPath", { id }, svg));
    group.setAttribute("clip-path", `url(#${id})`);
    return (t) => renew(box, { width: width * t });
}

// ---------- arc: one word looks at another ----------

function drawArcScene({ svg, data, wide, narrow, answer, guessed }) {
    const [query] = data.chosen, words = data.names.map((word) => word.replace(/[₀-₉]+$/, ""));
    const size = narrow ? 25 : Math.min(
        46,
        Math.max(30, (0.97 * wide) / (textWidth(words.join(" "), 1, 600) + 0.1 * words.length)),
    );
    const gap = size * 0.3, between = size * 2.5, top = narrow ? 70 : size * 4.4;
    let x = 0, line = 0;
    const places = words.map((word) => {
        const width = textWidth(word, size, 600);
        if (x + width > wide && x) [x, line] = [0, line + 1];
        const place = { x, line, width };
        x += width + gap;
        return place;
    });
    for (const place of places) {
        const ofLine = places.filter((other) => other.line === place.line).at(-1);
        place.shift = (wide - ofLine.x - ofLine.width) / 2;
    }
    for (const place of places) {
        Object.assign(place, { x: place.x + place.shift, y: top + place.line * (size + between) });
    }
    const arcs = node("g", {}, svg);
    const mine = node("path", { class: "ab-told-arc ab-told-mine" }, arcs);
    const arc = node("path", { class: "ab-told-arc" }, arcs),
        tip = node("path", { class: "ab-told-tip" }, arcs);
    const share = node("text", {
        class: "ab-arc-share",
        "font-size": size * 0.62,
        "text-anchor": "middle",
    }, arcs);
    const texts = words.map((word, k) =>
        node(
            "text",
            {
                x: places[k].x,
                y: places[k].y + size * 0.8,
                "font-size": size,
                class: `ab-told-word${k === query ? " ab-q" : ""}`,
            },
            svg,
            word,
        )
    );
    const from = { x: places[query].x + places[query].width / 2, y: places[query].y - 4 };
    const landing = (k) => {
        const above = places[k].line < places[query].line;
        return {
            x: places[k].x + places[k].width / 2,
            y: above ? places[k].y + size * 1.15 : places[k].y - 4,
            above,
        };
    };
    const bend = (to) => {
        const rise = to.above
            ? Math.max((from.y - to.y) / 2, 8)
            : Math.min(size * 0.9 + Math.abs(from.x - to.x) * 0.16, top * 1.1);
        return {
            d: `M${from.x} ${from.y}C${from.x} ${from.y - rise} ${to.x} ${
                to.above ? to.y + rise : to.y - rise
            } ${to.x} ${to.y}`,
            rise,
        };
    };
    const draw = (line, head, to) => {
        const { d, rise } = bend(to), sign = to.above ? -1 : 1, h = size * 0.32;
        renew(line, { d });
        if (head) renew(head, { d: `M${to.x} ${to.y}l${-h * 0.6} ${-sign * h}h${h * 1.2}Z` });
        return rise;
    };
    const shares = decode(data.bars), k = shares.indexOf(Math.max(...shares)), truth = landing(k);
    const light = (lit, kind = "ab-k") =>
        texts.forEach((text, at) =>
            at !== query && text.setAttribute("class", `ab-told-word ${at === lit ? kind : ""}`)
        );
    const show = (t) => {
        const guess = guessed(),
            start = guess ? landing(guess.picked) : { ...from, y: from.y - size, above: false };
        const at = part(t, 0, 0.7), mid = (a, b) => a + (b - a) * at;
        const rise = draw(arc, tip, {
            x: mid(start.x, truth.x),
            y: mid(start.y, truth.y),
            above: at > 0.5 ? truth.above : start.above,
        });
        if (guess && guess.picked !== k) draw(mine, null, landing(guess.picked));
        light(t > 0.7 ? k : -1);
        renew(share, {
            x: (from.x + truth.x) / 2,
            y: truth.above ? (from.y + truth.y) / 2 - 4 : from.y - rise * 0.75 - size * 0.4,
            opacity: part(t, 0.7, 1),
        }, percentOf(shares[k]));
    };
    const ask = {
        begin,
        end: () => {
            stop.abort();
            handle.remove();
        },
    };
    const stop = new AbortController();
    let handle = node("g", {});
    function begin() {
        const end = { x: from.x - size * 1.5, y: from.y - size * 1.1, above: false };
        handle = node("g", { class: "ab-told-handle" }, svg);
        const ring = node("circle", { r: size * 0.42 }, handle);
        const put = (to) => {
            draw(arc, null, to);
            renew(ring, { cx: to.x, cy: to.y });
        };
        put(end);
        const nearest = ({ x, y }) => {
            const far = (
                place,
                at,
            ) => (at === query
                ? Infinity
                : Math.hypot(place.x + place.width / 2 - x, (place.y + size / 2 - y) * 1.5));
            const all = places.map(far), best = Math.min(...all);
            return best < size * 3.2 ? all.indexOf(best) : -1;
        };
        let dragged = false;
        const { signal } = stop;
        handle.addEventListener("pointerdown", (event) => {
            dragged = true;
            handle.setPointerCapture(event.pointerId);
            event.preventDefault();
        }, { signal });
        handle.addEventListener("pointermove", (event) => {
            if (!dragged) return;
            const to = pointIn(svg, event);
            put(to);
            light(nearest(to), "ab-told-near");
        }, { signal });
        handle.addEventListener("pointerup", (event) => {
            dragged = false;
            const near = nearest(pointIn(svg, event));
            if (near >= 0) answer({}, near);
            else {
                put(end);
                light(-1);
            }
        }, { signal });
        texts.forEach((text, at) =>
            at !== query &&
            pressable(text, `${words[at]}: the arc leads here`, () =>
                !signal.aborted && answer({}, at))
        );
    }
    return { height: places.at(-1).y + size * 1.5, lasts: 1300, show, ask };
}

// ---------- ids: two places in a list ----------

function drawIds({ svg, data, wide, narrow }) {
    const size = narrow ? 14 : 19,
        high = narrow ? 32 : 48,
        apart = narrow ? 8 : 12,
        [i, j] = decode(data.bars);
    let x = 0, y = 4;
    const chips = data.entries.map(([id, word]) => {
        const width = textWidth(word, size, 600) + textWidth(String(id), 12) + 30;
        if (x + width > wide && x) [x, y] = [0, y + high + apart];
        const chip = node("g", { class: "ab-told-chip", transform: `translate(${x} ${y})` }, svg);
        node("rect", { width, height: high, rx: 8 }, chip);
        node("text", { x: 10, y: high / 2, class: "ab-told-id" }, chip, id);
        node(
            "text",
            { x: 18 + textWidth(String(id), 12), y: high / 2, "font-size": size },
            chip,
            word,
        );
        x += width + apart;
        return { chip, id };
    });
    const show = (t) => {
        const at = Math.floor(t * chips.length);
        chips.forEach(({ chip, id }, k) => {
            const role = k <= at && (id === i ? "ab-q" : id === j ? "ab-k" : "");
            chip.setAttribute(
                "class",
                `ab-told-chip ${role || ""} ${k === at && t < 1 ? "ab-told-here" : ""} ${
                    t === 1 && !role ? "ab-told-other" : ""
                }`,
            );
        });
    };
    return { height: y + high + 6, lasts: 2200, show };
}

// ---------- lookup: two rows come out of a table ----------

function drawLookup({ svg, data, tall, wide, narrow, colours }) {
    const [table, ...both] = data.matrices.map(read), places = decode(data.bars);
    const uh = Math.max(5, Math.min(13, Math.floor((narrow ? 200 : tall - 40) / table.n))),
        name = narrow ? 0 : 92,
        uw = Math.min(14, (wide - name) / (narrow ? 1 : 3) / table.m);
    const left = narrow ? 0 : name, high = table.n * uh;
    node(
        "text",
        { x: left, y: 16, class: "ab-told-title ab-x" },
        svg,
        narrow ? "E, the table" : "E, the table: a row for each word",
    );
    drawCells(svg, table, left, 26, uw, uh, colours);
    const x = narrow ? 0 : left + table.m * uw + 64, room = wide - x;
    const rows = both.map((matrix, k) => {
        const role = ["q", "k"][k],
            from = 26 + places[k] * uh,
            y = narrow ? 26 + high + 44 + k * 84 : Math.max(26 + high / 2 - 88, 30) + k * 108;
        if (!narrow) {
            node(
                "text",
                { x: left - 8, y: from + uh / 2, class: `ab-told-side ab-${role}` },
                svg,
                table.rows[places[k]],
            );
        }
        node("rect", {
            x: left - 1.5,
            y: from - 1.5,
            width: table.m * uw + 3,
            height: uh + 3,
            class: `ab-told-outline ab-${role}`,
        }, svg);
        const { group, width } = drawRow(svg, matrix, x, y, room, colours, { role });
        return { group, width, from, y };
    });
    const show = (t) =>
        rows.forEach(({ group, width, from, y }, k) => {
            const at = part(t, 0.1 + 0.25 * k, 0.75 + 0.25 * k), mid = (a, b) => a + (b - a) * at;
            const [sx, sy] = [mid((table.m * uw) / width, 1), mid(uh / ROW, 1)];
            renew(group, {
                transform: `translate(${mid(left, x)} ${
                    mid(from, y)
                }) scale(${sx} ${sy}) translate(${-x} ${-y})`,
                opacity: at ? 1 : 0,
            });
        });
    return {
        height: narrow ? rows[1].y + ROW + 6 : Math.max(26 + high, rows[1].y + ROW) + 6,
        lasts: 2000,
        show,
    };
}

// ---------- made: a row times a matrix is a row ----------

function drawMade({ svg, data, tall, wide, narrow, colours }) {
    const all = data.matrices.map(read),
        row = all[0],
        result = all.at(-1),
        weights = all.length > 2 ? all[1] : null;
    const { role } = data;
    let y = 26, box = null;
    const out = { role, cell: narrow ? CELL : 46 };
    if (narrow || !weights) {
        drawRow(svg, row, 0, y, wide, colours, { role: role === "output" ? role : "x" });
        y += ROW + 34;
        if (weights) {
            const uw = Math.min(CELL, wide / result.m),
                uh = Math.max(3, Math.min(9, Math.floor(150 / weights.n)));
            node(
                "text",
                { x: 0, y: y - 8, class: `ab-told-title ab-${role}` },
                svg,
                `× ${weights.title}`,
            );
            drawCells(svg, weights, 0, y, uw, uh, colours);
            box = { x: 0, y, uw, high: weights.n * uh };
            y += box.high + 34;
        }
        const made = drawRow(svg, result, 0, y, wide, colours, {
            ...out,
            title: `= ${result.title}`,
        });
        const reveal = revealed(svg, made.group, -4, y - 30, wide + 8, ROW + 40);
        return {
            height: y + ROW + 8,
            lasts: 2600,
            show: columnByColumn(svg, box, result.m, made, reveal, wide, role),
        };
    }
    // As on the pages: the row at the left, the matrix above, and the result where they cross.
    const ideal = (tall - 130) / weights.n, apart = 56;
    // of many rows the colours alone: all is above the foot
    const uh = ideal < 4 ? Math.max(ideal, 1.5) : Math.min(14, Math.floor(ideal));
    const uwOut = Math.min(46, (wide * 0.46) / result.m), left = wide - uwOut * result.m;
    const below = 26 + weights.n * uh + 40;
    drawRow(svg, row, 0, below, left - apart, colours, {
        role: role === "output" ? role : "x",
        cell: 46,
    });
    node("text", { x: left - apart / 2, y: below + ROW / 2, class: "ab-told-sign" }, svg, "→");
    node("text", { x: left, y: 18, class: `ab-told-title ab-${role}` }, svg, `${weights.title}`);
    drawCells(svg, { ...weights, role }, left, 26, uwOut, uh, colours);
    box = { x: left, y: 26, uw: uwOut, high: weights.n * uh };
    const made = drawRow(svg, result, left, below, uwOut * result.m, colours, {
        ...out,
        cell: uwOut,
    });
    const reveal = revealed(svg, made.group, left - 2, below - 30, uwOut * result.m + 4, ROW + 40);
    return {
        height: below + ROW + 8,
        lasts: 2600,
        show: columnByColumn(svg, box, result.m, made, reveal, uwOut * result.m, role),
    };
}

// The result from its first number to its last, and the column of the matrix that each is made
// with.
function columnByColumn(svg, box, count, made, reveal, width, role) {
    const lit = box &&
        node("rect", {
            y: box.y - 2,
            width: box.uw,
            height: box.high + 4,
            class: `ab-told-outline ab-${role}`,
        }, svg);
    return (t) => {
        const at = Math.min(Math.ceil(t * count), count);
        reveal(Math.min(1, (made.uw * at + 4) / width + (at === count ? 1 : 0)));
        if (lit) {
            renew(lit, {
                x: box.x + Math.max(at - 1, 0) * box.uw,
                opacity: t > 0 && t < 1 ? 1 : 0,
            });
        }
    };
}

// ---------- fits: number by number, and the sum ----------

function drawFits({ svg, data, wide, narrow, colours }) {
    const rows = data.matrices.map(read), left = narrow ? 0 : 130, apart = narrow ? 26 : 0;
    const cell = narrow ? CELL : 104,
        uw = Math.min(cell, (wide - left) / rows[0].m),
        high = narrow ? ROW : 64;
    const signs = ["", "× ", "= "];
    const drawn = rows.map((matrix, k) => {
        const y = 26 + k * (high + 8 + apart);
        if (!narrow) {
            const label = node(
                "text",
                { x: left - 12, y: y + high / 2, class: `ab-told-side ab-${matrix.role}` },
                svg,
                `${signs[k]}${matrix.title}`,
            );
            fitted(label, textWidth(`${signs[k]}${matrix.title}`, 16, 600), left - 14);
        }
        const { group } = drawRow(svg, matrix, left, y, wide - left, colours, {
            title: narrow ? `${signs[k]}${matrix.title}` : "",
            cell: uw,
            high,
        });
        return { group, y };
    });
    const last = drawn[2].y,
        product = rows[2],
        reveal = revealed(svg, drawn[2].group, left - 2, last - 26, uw * product.m + 4, high + 30);
    const total = node(
        "text",
        { x: left, y: last + high + 44, class: "ab-told-total ab-scores" },
        svg,
    );
    const show = (t) => {
        const at = Math.min(Math.floor(t * (product.m + 1)), product.m);
        reveal(t === 1 ? 1 : at / product.m);
        renew(
            total,
            {},
            at === product.m
                ? data.said
                : at
                ? `sum so far: ${brief(product.values.slice(0, at).reduce((sum, v) => sum + v, 0))}`
                : "",
        );
    };
    return {
        height: last + high + 64,
        silent: true,
        lasts: 400 * (Math.min(product.m, 10) + 1),
        show,
    };
}

// ---------- bars: one for each word ----------

function drawBarScene({ svg, foot, data, tall, wide, narrow, answer, guessed }) {
    const count = data.keys.length,
        all = Array.from(decode(data.bars), (v) => (Number.isFinite(v) ? v : 0));
    const [before, after] = [all.slice(0, count), all.slice(count)];
    const room = wide / count, width = Math.min(room * 0.66, 64), [, key] = data.chosen;
    const top = 40,
        high = narrow ? 220 : Math.min(Math.max(tall - 100, 200), 340),
        turned = Math.max(...data.keys.map((word) => textWidth(word, 15))) + 6 > room;
    const [low, most] = data.shares ? [0, 1] : [Math.min(0, ...all), Math.max(0, ...all) || 1];
    const under = low < 0 ? 18 : 0; // for the number below a bar that hangs down
    const yOf = (v) => top + high * (1 - (v - low) / (most - low)),
        write = data.shares
            ? (
                v,
            ) => (v >= 0.995 || v < 0.005
                ? percentOf(v).replace("less than ", "< ").replace("more than ", "> ")
                : percentOf(v))
            : brief;
    node("path", { d: `M0 ${yOf(0)}H${wide}`, class: "ab-told-zero" }, svg);
    const columns = data.keys.map((word, k) => {
        const x = (k + 0.5) * room,
            group = node("g", {
                class: k === key ? "ab-told-column ab-told-followed" : "ab-told-column",
            }, svg);
        node("rect", {
            x: k * room,
            y: 0,
            width: room,
            height: top + high + 30,
            class: "ab-told-reach",
        }, group);
        const bar = node("rect", {
            x: x - width / 2,
            width,
            rx: 3,
            class: `ab-told-bar ab-${data.role}`,
        }, group);
        const ghost = node("rect", {
            x: x - width / 2 - 2,
            width: width + 4,
            rx: 3,
            class: "ab-told-ghost",
            visibility: "hidden",
        }, group);
        const value = node("text", { x, class: "ab-told-value" }, group),
            y = top + high + 24 + under;
        node(
            "text",
            {
                ...(turned
                    ? {
                        transform: `translate(${x + 4} ${y - 8}) rotate(-50)`,
                        "text-anchor": "end",
                    }
                    : { x, y, "text-anchor": "middle" }),
                class: `ab-told-name${k === key ? " ab-k" : ""}`,
            },
            group,
            word,
        );
        return { group, bar, ghost, value };
    });
    // where what was guessed ends: a number that would lie on that stands above it
    const over = columns.map(() => Infinity);
    const put = (values) =>
        columns.forEach(({ bar, value }, k) => {
            const [from, to] = [yOf(Math.max(values[k], 0)), yOf(Math.min(values[k], 0))];
            renew(bar, { y: from, height: Math.max(to - from, 1) });
            renew(value, {
                y: values[k] < 0
                    ? to + 16
                    : (from - over[k] > 0 && from - over[k] < 26 ? over[k] : from) - 8,
            }, write(values[k]));
        });
    const mark = (values) =>
        columns.forEach(({ ghost }, k) => {
            const [from, to] = [yOf(Math.max(values[k], 0)), yOf(Math.min(values[k], 0))];
            // nothing to compare, where it would lie on the bar
            const apart = Math.abs(yOf(values[k]) - yOf(after[k]));
            renew(ghost, {
                y: from - 2,
                height: Math.max(to - from, 1) + 4,
                visibility: apart > 6 ? "visible" : "hidden",
            });
            over[k] = apart > 6 ? from : Infinity;
        });
    const show = (t) => {
        const start = guessed()?.shares ?? before;
        if (data.drags ? guessed()?.picked !== undefined : before.some(Boolean)) mark(start);
        const at = smooth(t);
        put(start.map((v, k) => v + (after[k] - v) * at));
    };
    const parts = { svg, foot, data, columns, before, put, yOf, top, high, room, answer };
    const ask = data.drags ? dragBars(parts) : pressArrow(parts);
    return { height: top + high + under + (turned ? 72 : 36), lasts: 1500, show, ask };
}

// Each bar is dragged, or moved by keys, to the share that is expected; the others give way.
function dragBars({ svg, foot, columns, before, put, top, high, answer }) {
    const stop = new AbortController(), { signal } = stop;
    let shares = before, done = null;
    const tell = () =>
        columns.forEach(({ group }, k) =>
            renew(group, {
                "aria-valuenow": Math.round(100 * shares[k]),
                "aria-valuetext": percentOf(shares[k]),
            })
        );
    const move = (k, share) => {
        shares = withShare(shares, k, Math.min(Math.max(share, 0), 1));
        put(shares);
        tell();
    };
    function begin() {
        put(shares);
        svg.classList.add("ab-told-drags");
        columns.forEach(({ group }, k) => {
            renew(group, {
                role: "slider",
                tabindex: 0,
                "aria-valuemin": 0,
                "aria-valuemax": 100,
                "aria-orientation": "vertical",
                "aria-label": group.lastChild.textContent,
            });
            let held = false;
            const follow = (event) => held && move(k, 1 - (pointIn(svg, event).y - top) / high);
            group.addEventListener("pointerdown", (event) => {
                held = true;
                group.setPointerCapture(event.pointerId);
                event.preventDefault();
                follow(event);
            }, { signal });
            group.addEventListener("pointermove", follow, { signal });
            group.addEventListener("pointerup", () => {
                held = false;
            }, { signal });
            group.addEventListener("keydown", (event) => {
                const by = { ArrowUp: 0.05, ArrowDown: -0.05 }[event.key];
                if (!by) return;
                used(event);
                move(k, shares[k] + by);
            }, { signal });
        });
        tell();
        done = press(
            foot,
            "Show the real shares",
            () =>
                answer(
                    { shares },
                    shares === before ? undefined : shares.indexOf(Math.max(...shares)),
                ),
            { class: "ab-told-done" },
        );
    }
    const end = () => {
        stop.abort();
        done?.remove();
        svg.classList.remove("ab-told-drags");
        for (const { group } of columns) {
            for (
                const name of [
                    "role",
                    "tabindex",
                    "aria-valuemin",
                    "aria-valuemax",
                    "aria-valuenow",
                    "aria-valuetext",
                    "aria-orientation",
                    "aria-label",
                ]
            ) group.removeAttribute(name);
        }
    };
    return { begin, end };
}

// Which way the largest bar goes: an arrow over it, up or down.
function pressArrow({ svg, data, before, put, yOf, room, top, answer }) {
    const k = before.indexOf(Math.max(...before)), middle = (k + 0.5) * room, arrows = [];
    function begin() {
        put(before);
        const beside = middle + room * 0.5 + 30 < room * data.keys.length ? 1 : -1,
            x = middle + beside * (Math.max(room * 0.5, 24) + 24),
            y = Math.max(yOf(before[k]), top + 30);
        for (
            const [name, picked, dy, sign]
                of /** @type {[string, number, number, number][]} */ ([["Up", 0, -28, -1], [
                    "Down",
                    2,
                    28,
                    1,
                ]])
        ) {
            const arrow = node("g", {
                class: "ab-told-way",
                transform: `translate(${x} ${y + dy})`,
            }, svg);
            node("circle", { r: 24 }, arrow);
            node("path", { d: `M0 ${sign * 10}L-10 ${-sign * 6}H10Z` }, arrow);
            pressable(arrow, name, () => answer({}, picked));
            arrows.push(arrow);
        }
    }
    return {
        begin,
        end: () => {
            for (const arrow of arrows) arrow.remove();
        },
    };
}

// ---------- mixed: rows fade to their share, and add up ----------

function drawMixed({ svg, data, tall, wide, narrow, colours }) {
    const [before, after, sum] = data.matrices.map(read), left = narrow ? 92 : 140;
    const high = narrow ? 24 : Math.min(34, Math.max(22, Math.floor((tall - 120) / before.n))),
        uw = Math.min(104, (wide - left) / before.m),
        y = 26;
    node("text", { x: left, y: y - 8, class: "ab-told-title ab-v" }, svg, "values × their weights");
    before.rows.forEach((name, k) => {
        const label = node(
            "text",
            { x: left - 10, y: y + (k + 0.5) * high, class: "ab-told-side" },
            svg,
            name,
        );
        fitted(label, textWidth(name, 15), left - 10);
    });
    tight(drawCells(svg, after, left, y, uw, high, colours).group, uw);
    const whole = drawCells(svg, before, left, y, uw, high, colours).group;
    tight(whole, uw);
    const bottom = y + before.n * high + 34;
    const made = drawRow(svg, sum, left, bottom, wide - left, colours, {
        role: "output",
        cell: uw,
        title: "",
    });
    node(
        "text",
        { x: left - 10, y: bottom + ROW / 2, class: "ab-told-side ab-output" },
        svg,
        narrow ? "sum = z" : "their sum, z",
    );
    const reveal = revealed(svg, made.group, left - 2, bottom - 4, uw * sum.m + 4, ROW + 8);
    const show = (t) => {
        renew(whole, { opacity: 1 - part(t, 0.1, 0.6) });
        reveal(part(t, 0.6, 1));
    };
    return { height: bottom + ROW + 8, lasts: 2400, show };
}
