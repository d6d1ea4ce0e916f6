// View: one scene of the story. One thing moves, once, and again on request; a question is answered
// by a click on the figure, then the right answer is shown.

import { drawArc, getArc } from "../arc.js";
import { runClock } from "../clock.js";
import { consumeEvent, drawText, make, makeButton, node, updateElement } from "../dom.js";
import { drawCells } from "../matrix.js";
import { decode, writeBrief, writePercent, writeShortPercent } from "../numbers.js";
import {
    drawOneRow,
    drawScript,
    getRowBox,
    highlight,
    listRange,
    moveRow,
    typeTexts,
    uncoverCells,
} from "../primitives.js";
import { decodeMatrix } from "../decode.js";
import { prefersLessMotion } from "../preferences.js";
import { fitText, SIZES, textWidth } from "../text.js";
import { registerView } from "../view_registry.js";
/** @import { View, Place, Matrix } from "../types.d.ts" */

// pixels: a figure, a stacked layout, a row of numbers and its cells
const WIDEST = 1000, NARROW = 640, ROW = 42, CELL = 52;
const toldGuesses = new Map(); // the answers by scene, while the page is open

// Each scene draws its first state and returns its height, duration, steps, covers, and the
// possible answers: [element, label, option index].
const SCENES = {
    arc: arcScene,
    ids: idsScene,
    lookup: lookupScene,
    added: madeScene,
    made: madeScene,
    fits: madeScene,
    bars: barsScene,
    mixed: mixedScene,
};

/** @type {View} */
function drawStoryScene(host, data, send, colours, room) {
    host.stopTold?.();
    host.replaceChildren();
    const wide = Math.min(room.w, WIDEST), guess = toldGuesses.get(data.alt);
    const asks = data.asked && guess === undefined;
    const svg = node("svg", {
        class: "ab-story-scene",
        role: data.asked ? "group" : "img",
        "aria-label": data.alt,
    }, host);
    const foot = make("div", { class: "ab-story-scene-under" }, host);
    const said = make("p", { class: "ab-story-scene-said", "aria-live": "polite" }, foot);
    const again = makeButton(foot, "↻ Again", play, {
        class: "ab-story-scene-again",
        title: "Show what moves once more",
    });
    const tall = room.scale > 1 ? Math.max(room.h - 28, 300) : room.h - 28, narrow = wide < NARROW;
    const scene = SCENES[data.scene]({ svg, data, tall, wide, narrow, guess, colours });
    updateElement(svg, {
        width: wide * room.scale,
        height: scene.height * room.scale,
        viewBox: `0 0 ${wide} ${scene.height}`,
    });
    const layer = node("g", { class: "ab-motion" }, svg);
    const stations = [{ lasts: scene.lasts, steps: scene.steps }];
    const show = drawScript(layer, { stations, covers: scene.covers }, colours);
    again.hidden = asks || prefersLessMotion();
    if (!asks) return void play();
    show(0, 0);
    svg.dataset.state = "asks";
    for (const [element, label, k] of scene.answers) {
        makePressable(element, label, () => {
            toldGuesses.set(data.alt, k);
            drawStoryScene(host, data, send, colours, room);
        });
    }

    function play() {
        host.stopTold?.();
        updateElement(
            said,
            { "data-right": String(Boolean(data.asked?.right.includes(guess))) },
            "",
        );
        svg.dataset.state = "moves";
        host.stopTold = runClock(scene.lasts, (t) => show(0, t), () => {
            svg.dataset.state = "told";
            updateElement(said, {}, writeReply(data, guess));
        });
    }
}

registerView("story_scene", drawStoryScene);

/** @param {any} data */
function writeReply({ scene, said, asked }, guess) {
    if (guess === undefined) return scene === "fits" ? "" : said; // its sum is shown instead
    return `${asked.right.includes(guess) ? "Yes." : "Not quite."} ${said}`;
}

// Makes an element a button for mouse and keyboard.
function makePressable(element, label, act) {
    updateElement(element, { role: "button", tabindex: 0, "aria-label": label });
    element.addEventListener("click", act);
    element.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        consumeEvent(event);
        act();
    });
}

// A matrix below its title, at most `room` wide; numbers that do not fit are omitted.
/** @param {Matrix} matrix @returns {Place} */
function drawTitled(
    svg,
    matrix,
    x,
    y,
    { room, high = ROW, title = matrix.title, cell = CELL },
    colours,
) {
    const uw = Math.min(cell, room / matrix.m),
        place = drawCells(svg, matrix, x, y, uw, high, colours);
    if (uw < 38) svg.classList.add("ab-story-scene-bare");
    drawText(svg, title, x, y - 8, `ab-story-scene-title ab-${matrix.role}`);
    return place;
}

// A frame that moves over a matrix column by column.
const sweep = (place) => {
    const { n, m, role } = place.matrix, columns = listRange(m).map((j) => [0, n, j, j + 1]);
    return highlight(place, columns, `story-scene-outline ab-${role}`, { leaves: true });
};

// ---------- arc: one word attends to another, in one head or in several ----------

/** @param {any} scene */
function arcScene({ svg, data, ...look }) {
    const count = data.keys.length, all = [...decode(data.bars)], titles = data.titles ?? [];
    if (!titles.length) return arcOf({ svg, data, shares: all, ...look });
    let height = 0;
    const scenes = titles.map((title, k) => {
        const group = node("g", { transform: `translate(0 ${height + 18})` }, svg);
        drawText(group, title, 0, 0, "ab-story-scene-title ab-weights");
        const shares = all.slice(k * count, (k + 1) * count);
        const scene = arcOf({ svg: group, data, shares, font: "large", ...look });
        height += scene.height;
        return scene;
    });
    return { ...scenes[0], height: height + 18, steps: scenes.flatMap(({ steps }) => steps) };
}

/** @param {any} scene */
function arcOf({ svg, data, shares, wide, narrow, guess, font = "title" }) {
    const isOne = data.keys.join(" ") === data.names.join(" "); // else another sentence is asked
    const asking = data.names[data.chosen[0]], every = isOne ? data.names : [...data.keys, asking];
    const query = isOne ? data.chosen[0] : every.length - 1;
    const words = every.map((word) => word.replace(/[₀-₉]+$/, ""));
    const size = SIZES[font], gap = size * 0.3, top = narrow ? 70 : size * 4.4;
    const lines = [[]];
    let x = 0;
    words.forEach((word, at) => {
        const width = textWidth(word, font, 600);
        if (x && x + width > wide) {
            lines.push([]);
            x = 0;
        }
        lines.at(-1).push({
            at,
            x,
            width,
            line: lines.length - 1,
            y: top + (lines.length - 1) * size * 3.5,
        });
        x += width + gap;
    });
    const places = lines.flatMap((line) => {
        const { x, width } = line.at(-1), shift = (wide - x - width) / 2;
        return line.map((place) => ({
            ...place,
            x: place.x + shift,
            middle: place.x + shift + place.width / 2,
        }));
    });
    const asks = places[query], from = { x: asks.middle, y: asks.y - 4 };
    const landing = ({ middle, y, line }) => {
        const above = line < asks.line;
        return { x: middle, y: above ? y + size * 1.15 : y - 4, above };
    };
    const best = shares.indexOf(Math.max(...shares));
    const truth = landing(places[best]), mine = guess !== undefined && landing(places[guess]);
    if (mine && guess !== best) {
        const own = getArc(node("g", { class: "ab-story-scene-mine" }, svg));
        drawArc(own, from, mine, size, 3);
    }
    const arc = getArc(svg);
    arc.share.textContent = writePercent(shares[best]);
    const texts = places.map((place) =>
        drawText(
            svg,
            words[place.at],
            place.x,
            place.y + size * 0.8,
            `ab-story-scene-word${place.at === query ? " ab-q" : ""}`,
            { style: `font-size: var(--ab-${font})` },
        )
    );
    const start = mine || { ...from, x: from.x - size, y: from.y - size };
    const put = ([x, y, seen]) => {
        drawArc(arc, from, { x, y, above: truth.above && y < asks.y - size * 2 }, size, 5);
        updateElement(arc.share, { opacity: Math.max(seen, 0) });
        texts[best].classList.toggle("ab-k", seen > 0);
    };
    return {
        height: places.at(-1).y + size * 1.5,
        lasts: 1300,
        steps: [{ does: "count", from: [start.x, start.y, -2], to: [truth.x, truth.y, 1], put }],
        answers: texts.map((text, k) => [text, `${words[k]}: the arc leads here`, k])
            .filter(([, , k]) => k !== query),
    };
}

// ---------- ids: two entries of the vocabulary ----------

function idsScene({ svg, data, wide, narrow }) {
    const font = narrow ? "small" : "large", high = narrow ? 32 : 48, apart = narrow ? 8 : 12;
    let [x, y] = [2, 4];
    const chips = data.entries.map(([id, word]) => {
        const before = textWidth(String(id)), width = textWidth(word, font, 600) + before + 30;
        if (x + width > wide && x > 2) [x, y] = [2, y + high + apart];
        const chip = node(
            "g",
            { class: "ab-story-scene-chip", transform: `translate(${x} ${y})` },
            svg,
        );
        node("rect", { width, height: high, rx: 8 }, chip);
        drawText(chip, id, 10, high / 2, "ab-story-scene-id");
        const place = { x: 18 + before, y: high / 2, style: `font-size: var(--ab-${font})` };
        node("text", place, chip, word);
        x += width + apart;
        return [y, y + high, x - width - apart, x - apart];
    });
    const place = { x: 0, y: 0, uw: 1, uh: 1 };
    const found = [...decode(data.bars)].map((id, k) => {
        const at = data.entries.findIndex(([each]) => each === id), over = [at / chips.length, 1];
        return highlight(place, [chips[at]], `story-scene-outline ab-${"qk"[k]}`, { over });
    });
    const steps = [highlight(place, chips, "hot", { leaves: true }), ...found];
    return { height: y + high + 6, lasts: 2200, steps };
}

// ---------- lookup: two rows of the embedding table ----------

function lookupScene({ svg, data, tall, wide, narrow, colours }) {
    const [table, ...both] = data.matrices.map(decodeMatrix), places = decode(data.bars);
    const high = Math.max(5, Math.min(13, Math.floor((narrow ? 200 : tall - 40) / table.n)));
    const uw = Math.min(14, wide / (narrow ? 1 : 3) / table.m), bottom = 26 + table.n * high;
    const title = narrow ? "E, the table" : "E, the table: a row for each word";
    const onTable = drawTitled(svg, { ...table, role: "x" }, 0, 26, {
        room: uw * table.m,
        high,
        title,
    }, colours);
    svg.classList.remove("ab-story-scene-bare"); // its cells have no numbers anyway
    const left = narrow ? 0 : table.m * uw + 64, cell = Math.min(CELL, (wide - left) / table.m);
    const rows = both.map((matrix, k) => {
        const role = "qk"[k],
            y = narrow ? bottom + 44 + k * 84 : Math.max(bottom / 2 - 75, 30) + k * 108;
        drawText(svg, matrix.title, left, y - 8, `ab-story-scene-title ab-${role}`);
        return {
            row: drawOneRow({ ...matrix, role }, 0),
            to: { x: left, y, width: cell * table.m, height: ROW },
            role,
        };
    });
    if (cell < 38) svg.classList.add("ab-story-scene-bare");
    const steps = rows.flatMap(({ row, to, role }, k) => {
        const from = getRowBox(onTable, places[k]), kind = `story-scene-outline ab-${role}`;
        const cells = [[places[k], places[k] + 1, 0, table.m]];
        const over = [0.1 + 0.25 * k, 0.75 + 0.25 * k];
        return [highlight(onTable, cells, kind), moveRow(row, from, to, { kind, over })];
    });
    return { height: Math.max(rows[1].to.y + ROW, bottom) + 6, lasts: 2000, steps };
}

// ---------- made: row times matrix gives a row; added: row plus row; fits: row times row, term by
// term, and the sum

function madeScene({ svg, data, tall, wide, narrow, colours }) {
    const matrices = data.matrices.map(decodeMatrix),
        { role, said } = data,
        fits = data.scene === "fits";
    const isAdded = data.scene === "added", sign = isAdded ? "+" : "×";
    const result = matrices.at(-1), steps = [];
    let y = 26;
    const places = matrices.map((matrix, k) => {
        const isRow = matrix.n === 1, isResult = matrix === result;
        const own = fits ? matrix.role : k || role === "output" ? role : "x";
        const low = Math.min(12, Math.max(tall - 210, 36) / matrix.n); // of weights
        const high = isRow ? (fits && !narrow ? Math.min(56, Math.max(tall / 6, 30)) : ROW) : low;
        const small = k && !isAdded ? Math.min(46, wide / result.m) : CELL;
        const cell = fits && !narrow ? 104 : small;
        const title = `${isResult ? "= " : k ? `${sign} ` : ""}${matrix.title}`;
        const look = { room: isRow ? wide : cell * matrix.m, high, cell, title };
        const place = drawTitled(svg, { ...matrix, role: own }, 0, y, look, colours);
        y += high * matrix.n + 38;
        if (fits || isAdded || !isRow) steps.push(sweep(place));
        return place;
    });
    steps.push(uncoverCells(0, result.m));
    if (fits) {
        const sums = listRange(result.m - 1, 1).map((count) =>
            `sum so far: ${
                writeBrief(result.values.slice(0, count).reduce((sum, v) => sum + v, 0))
            }`
        );
        steps.push(typeTexts(["", ...sums, said], [0, y], { kind: "story-scene-total ab-scores" }));
    }
    const lasts = fits ? 500 * (Math.min(result.m, 10) + 1) : 2600;
    return { height: y + (fits ? 20 : -30), lasts, steps, covers: [{ place: places.at(-1) }] };
}

// ---------- bars: one for each word ----------

const NUMBER_HIGH = 24; // a smaller change gets no mark of the old value: its number is in the way

function barsScene({ svg, data, tall, wide, narrow, guess }) {
    const count = data.keys.length, [, key] = data.chosen;
    const all = Array.from(decode(data.bars), (v) => (Number.isFinite(v) ? v : 0));
    const [before, after] = [all.slice(0, count), all.slice(count)];
    const room = wide / count, width = Math.min(room * 0.66, 64), top = 40;
    const high = narrow ? 220 : Math.min(Math.max(tall - 100, 120), 340);
    const turned = Math.max(...data.keys.map((word) => textWidth(word, "said"))) + 6 > room;
    const [low, most] = data.shares ? [0, 1] : [Math.min(0, ...all), Math.max(0, ...all) || 1];
    const yOf = (v) => top + high * (1 - (v - low) / (most - low));
    const span = (v) => ({
        y: yOf(Math.max(v, 0)),
        height: Math.max(Math.abs(yOf(v) - yOf(0)), 1),
    });
    const write = data.shares ? writeShortPercent : writeBrief;
    const even = before.every((v) => v === before[0]);
    const scored = data.under?.length && room > 34, under = low < 0 || scored ? 18 : 0;
    node("path", { d: `M0 ${yOf(0)}H${wide}`, class: "ab-axis" }, svg);
    const asks = data.asked && guess === undefined;
    const columns = data.keys.map((word, k) => {
        const middle = (k + 0.5) * room, bar = { x: middle - width / 2, width, rx: 3 };
        const group = node("g", { class: "ab-story-scene-column" }, svg);
        const isFollowed = k === key && !(asks && even); // that would give the answer away
        group.classList.toggle("ab-story-scene-followed", isFollowed);
        group.classList.toggle("ab-story-scene-picked", k === guess && even);
        node(
            "rect",
            { x: k * room, width: room, height: top + high + 30, class: "ab-story-scene-reach" },
            group,
        );
        const grows = node("rect", { ...bar, class: `ab-story-scene-bar ab-${data.role}` }, group);
        if (!even && Math.abs(yOf(before[k]) - yOf(after[k])) > NUMBER_HIGH) {
            node("rect", { ...bar, ...span(before[k]), class: "ab-story-scene-ghost" }, group);
        }
        const value = node("text", { x: middle, class: "ab-story-scene-value" }, group);
        const y = top + high + 24 + under;
        if (scored) {
            const at = { x: middle, y: top + high + 18, class: "ab-story-scene-value ab-scores" };
            node("text", at, group, data.under[k]);
        }
        const at = turned
            ? { transform: `translate(${middle + 4} ${y - 8}) rotate(-50)`, "text-anchor": "end" }
            : { x: middle, y, "text-anchor": "middle" };
        node(
            "text",
            { ...at, class: `ab-story-scene-name${isFollowed ? " ab-k" : ""}` },
            group,
            word,
        );
        return { group, grows, value };
    });
    const put = (values) =>
        columns.forEach(({ grows, value }, k) => {
            const { y, height } = span(values[k]);
            updateElement(grows, { y, height });
            updateElement(value, { y: values[k] < 0 ? y + height + 16 : y - 8 }, write(values[k]));
        });
    // which weight will be the largest; or whether the largest grows
    const answers = even
        ? columns.map(({ group }, k) => [group, data.keys[k], k])
        : asks
        ? wayArrows(svg, before, room, (v) => Math.max(yOf(v), top + 30))
        : [];
    return {
        height: top + high + under + (turned ? 72 : 36),
        lasts: 1500,
        steps: [{ does: "count", from: before, to: after, put }],
        answers,
    };
}

// An arrow up and one down beside the largest bar.
function wayArrows(svg, before, room, yOf) {
    const k = before.indexOf(Math.max(...before)), beside = k + 1 < before.length ? 1 : -1;
    const x = (k + 0.5) * room + beside * (Math.max(room * 0.5, 24) + 24), y = yOf(before[k]);
    const ways = [{ name: "Up", picked: 0, sign: -1 }, { name: "Down", picked: 2, sign: 1 }];
    return ways.map(({ name, picked, sign }) => {
        const transform = `translate(${x} ${y + 28 * sign})`;
        const arrow = node("g", { class: "ab-story-scene-way", transform }, svg);
        node("circle", { r: 24 }, arrow);
        node("path", { d: `M0 ${10 * sign}L-10 ${-6 * sign}H10Z` }, arrow);
        return [arrow, name, picked];
    });
}

// ---------- mixed: rows fade to their weight and add up ----------

function mixedScene({ svg, data, tall, wide, narrow, colours }) {
    const [before, after, sum] = data.matrices.map(decodeMatrix), left = narrow ? 92 : 140;
    const high = narrow ? 24 : Math.min(34, Math.max(16, Math.floor((tall - 120) / before.n)));
    const room = wide - left, bottom = 26 + before.n * high + 42;
    const label = (y, name, role = "") => {
        const text = drawText(svg, name, left - 10, y, `ab-story-scene-side ${role}`);
        fitText(text, textWidth(name, "said"), left - 10);
    };
    before.rows.forEach((name, k) => label(26 + (k + 0.5) * high, name));
    label(bottom + ROW / 2, narrow ? "sum = z" : "their sum, z", "ab-output");
    const look = { room, high, cell: 104, title: "values × their weights" };
    const parts = drawTitled(svg, after, left, 26, look, colours);
    const made = { room, cell: 104, title: "" };
    const place = drawTitled(svg, { ...sum, role: "output" }, left, bottom, made, colours);
    const steps = [
        {
            does: "fade",
            place: { ...parts, matrix: before },
            from: 1,
            to: 0,
            over: [0, 0.6],
            leaves: true,
        },
        uncoverCells(0, sum.m, { over: [0.6, 1] }),
    ];
    return { height: bottom + ROW + 8, lasts: 2400, steps, covers: [{ place }] };
}
