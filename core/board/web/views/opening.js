// View: one sentence in large type with an ending to choose; an arc leads from there to the word it
// attends to most, and moves when the ending changes. The data of all endings are sent, so no
// choice waits.

import { address } from "../address.js";
import { drawArc, getArc } from "../arc.js";
import { runClock } from "../clock.js";
import { make, node, updateElement } from "../dom.js";
import { writePercent } from "../numbers.js";
import { easeInOut, interpolate } from "../primitives.js";
import { SIZES, textWidth } from "../text.js";
import { registerView } from "../view_registry.js";
/** @import { Data, Room, View } from "../types.d.ts" */

const SWING = 400; // milliseconds

/** @type {View} */
function drawOpening(host, data, _send, _colours, room) {
    const layout = layOutOpening(data, room);
    const px = (length) => `${length * room.scale}px`;
    host.cancelSwing?.();
    host.replaceChildren();
    const svg = node("svg", {
        class: "ab-arc",
        role: "img",
        width: layout.width * room.scale,
        height: layout.height * room.scale,
        viewBox: `0 0 ${layout.width} ${layout.height}`,
    }, host);
    const arc = getArc(svg);
    const line = make("p", { class: "ab-opening-words" }, host);
    line.style.setProperty("--ab-px", px(1));
    Object.assign(line.style, {
        fontSize: `var(--ab-${layout.font})`,
        lineHeight: px(layout.high),
    });
    const placed = (element, { x, y }, width) =>
        Object.assign(element.style, {
            left: px(x),
            top: px(y),
            width: px(width),
            height: px(layout.high),
        });
    const words = data.words.map((word, k) => {
        const span = make("span", {}, line, word);
        placed(span, layout.places[k], layout.places[k].width + 1);
        line.append(" ");
        return span;
    });
    const ending = make(data.fixed ? "span" : "select", { class: "ab-opening-ending ab-q" }, line);
    placed(ending, layout.ending, layout.ending.width);
    if (!data.fixed) {
        ending.setAttribute("aria-label", data.label);
        for (const { word } of data.endings) make("option", {}, ending, word);
        ending.addEventListener("change", () => {
            const before = data.endings[shown.k], { sets } = data.endings[ending.selectedIndex];
            follow([ending.selectedIndex]);
            address.act(isReadersOwn(before) ? sets : { ending: ending.value });
        });
    }
    const said = make("p", { class: "ab-opening-said", "aria-live": "polite" }, host);
    const ways = make("p", {}, host);
    const way = data.way && make("a", { class: "ab-opening-way", target: "_self" }, ways, data.way);
    if (data.way) {
        make(
            "a",
            { class: "ab-opening-leave", href: "./", "data-grows": 1, "data-sets": "" },
            ways,
            "To the workshop",
        );
    }

    const { ending: { x, y, width }, twoLines, size } = layout;
    const from = { x: x + width / 2, y: y - 2 };
    const show = ([x, y, share]) =>
        drawArc(arc, from, { x, y, above: twoLines }, size, 1.5 + share * size * 0.12);
    const goal = ({ key, share }) => [layout.places[key].middle, layout.places[key].meets, share];
    let shown = null; // the current ending and the arc's position
    function follow([k]) {
        if (shown?.k === k) return;
        const to = data.endings[k], before = shown?.at;
        updateElement(svg, { "aria-label": to.alt });
        updateElement(said, {}, to.said);
        arc.share.textContent = writePercent(to.share);
        words.forEach((span, place) => span.classList.toggle("ab-k", place === to.key));
        if (data.fixed) ending.textContent = to.word;
        else ending.selectedIndex = k;
        if (way) {
            updateElement(way, {
                href: `./?${to.link}`,
                "data-sets": new URLSearchParams({ ...data.sets, ...to.sets }),
            });
        }
        shown = { k, at: before ?? goal(to) };
        host.cancelSwing?.();
        if (!before) return show(shown.at);
        host.cancelSwing = runClock(SWING, (t) => {
            shown.at = goal(to).map((end, at) => interpolate(before[at], end, easeInOut(t)));
            show(shown.at);
        });
    }
    follow(data.chosen);
    return follow;
}

registerView("opening", drawOpening);

// Whether the user's setup has this sentence with trained weights: then the link keeps that setup
// and adds the chosen pair.
function isReadersOwn({ sets }) {
    const { value } = address;
    return value("text") === sets.text && value("init") === "trained";
}

// The position of each word: in one line, if need be in smaller type, else in two.
/** @param {Data} data @param {Room} room */
function layOutOpening({ words, endings, breaks }, room) {
    const width = Math.max(room.w - 4, 240);
    const measure = (font) => {
        const wide = words.map((word) => textWidth(word, font, 600)), space = SIZES[font] * 0.26;
        const last = Math.max(...endings.map(({ word }) => textWidth(word, font, 600))) +
            SIZES[font] * 1.45;
        const [first, second] = [wide.slice(0, breaks), wide.slice(breaks)].map((line) =>
            line.reduce((sum, each) => sum + each + space, 0)
        );
        const twoLines = first + second + last > width;
        // a phone on its side has no height for it
        const fits = Math.max(first, second + last) <= width && window.innerHeight >= 500;
        return { font, size: SIZES[font], wide, space, last, twoLines, fits };
    };
    const title = measure("title");
    const { font, size, wide, space, last, twoLines } = title.fits ? title : measure("large");
    const high = size * 1.5, top = twoLines ? 0 : size * 4.4, between = size * 3;
    const second = top + high + between;
    let x = 0;
    const places = wide.map((each, k) => {
        if (twoLines && k === breaks) x = 0;
        const y = twoLines && k >= breaks ? second : top;
        const place = {
            x,
            y,
            width: each,
            middle: x + each / 2,
            meets: twoLines ? y + high * 0.86 : y + 2,
        };
        x += each + space;
        return place;
    });
    const ending = { x, y: twoLines ? second : top, width: last };
    return { width, height: ending.y + high + 4, font, size, high, twoLines, places, ending };
}
