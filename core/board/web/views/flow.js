// View: attention as a line from each word to each, as thick as its weight.

import { drawText, listen, node } from "../dom.js";
import { addStepping } from "../pointing.js";
import { writePercent, writeShortPercent } from "../numbers.js";
import { decodeMatrix } from "../decode.js";
import { makeCanvas } from "../canvas.js";
import { fitText, isolate, textWidth } from "../text.js";
import { registerView } from "../view_registry.js";
/** @import { View } from "../types.d.ts" */

/** @type {View} */
function drawFlow(host, data, send, _colours, room) {
    const weights = decodeMatrix(data.matrices[0]);
    const layout = flowLayout(weights, room);
    const [svg, said] = makeCanvas(
        host,
        layout.width,
        layout.top + Math.max(weights.n, weights.m) * layout.uh + 6,
        data,
        null,
        room,
    );
    drawText(svg, "query", layout.from - 6, 12, "ab-tick", { "text-anchor": "end" });
    drawText(svg, "key", layout.to + 6, 12, "ab-tick");
    const lines = node("g", {}, svg);
    const asking = drawFlowWords(svg, weights, layout, false);
    const asked = drawFlowWords(svg, weights, layout, true);
    const shares = weights.columns.map((_, k) =>
        drawText(svg, "", layout.width - 2, layout.y(k), "ab-share")
    );
    const percent = (i, j) => Math.round(100 * weights.at(i, j));
    const lightQuery = (i) => {
        drawFlowLines(lines, weights, layout, (row) => row === i);
        asking.forEach((group, k) => group.classList.toggle("ab-followed-word", k === i));
        asked.forEach((group, k) => group.classList.toggle("ab-followed-word", percent(i, k) >= 5));
        shares.forEach((label, k) => {
            label.textContent = writeShortPercent(weights.at(i, k));
        });
        said.textContent = data.says[i];
    };
    const lightKey = (j) => {
        drawFlowLines(lines, weights, layout, (_, column) => column === j);
        asking.forEach((group, k) =>
            group.classList.toggle("ab-followed-word", weights.at(k, j) >= 0.05)
        );
        asked.forEach((group, k) => group.classList.toggle("ab-followed-word", k === j));
        shares.forEach((label) => {
            label.textContent = "";
        });
        said.textContent = describeKey(weights, j);
    };
    const choose = (k) => send({ matrix: "flow", row: k, column: 0 });
    const isActing = Object.keys(data.chooses.fields).length > 0;
    [...asking, ...asked].forEach((group) => group.classList.toggle("ab-clickable", isActing));
    asked[data.chosen[1]].classList.add("ab-asked-word");
    asking.forEach((group, k) => {
        group.addEventListener("pointerenter", () => lightQuery(k));
        group.addEventListener("click", () => choose(k));
    });
    asked.forEach((group, k) => {
        group.addEventListener("pointerenter", () => lightKey(k));
        group.addEventListener("click", () => send({ matrix: "asked", row: k, column: 0 }));
    });
    listen(svg, "pointerleave", () => lightQuery(data.chosen[0]));
    addStepping(svg, ["ArrowUp", "ArrowDown"], weights.n, data.chosen[0], lightQuery, choose);
    lightQuery(data.chosen[0]);
}

registerView("flow", drawFlow);

function flowLayout(weights, room) {
    const top = 26;
    const uh = Math.max(
        17,
        Math.min(34, Math.floor(Math.min(520, room.h - 40) / Math.max(weights.n, weights.m))),
    );
    const size = uh >= 26 ? "said" : "label";
    const width = Math.max(Math.min(room.w - 8, room.fit ? 620 : 460), 240);
    // at its widest: the chosen word is bold
    const wordWidth = (label) => textWidth(label, size, 700);
    // leaves room for lines between the words
    const most = Math.min(150, (width - 44 - 40) / 2 - 10);
    const side = Math.max(
        Math.min(Math.max(...[...weights.rows, ...weights.columns].map(wordWidth)), most),
        textWidth("query"),
    ) + 10;
    return {
        top,
        uh,
        size,
        width,
        wordWidth,
        side,
        from: side,
        to: width - side - 44,
        y: (k) => top + (k + 0.5) * uh,
    };
}

// The words on one side, each with an area that reacts to the pointer.
function drawFlowWords(svg, weights, { from, to, uh, size, width, wordWidth, side, y }, right) {
    return (right ? weights.columns : weights.rows).map((label, k) => {
        const group = node("g", { class: "ab-flow-word" }, svg);
        node("rect", {
            x: right ? to : 0,
            y: y(k) - uh / 2,
            width: right ? width - to : from,
            height: uh,
            fill: "transparent",
        }, group);
        const place = {
            x: right ? to + 6 : from - 6,
            y: y(k),
            class: right ? "" : "ab-asks",
            style: `font-size: var(--ab-${size})`,
        };
        fitText(node("text", place, group, label), wordWidth(label), side - 8);
        return group;
    });
}

function drawFlowLines(lines, weights, { from, to, uh, y }, isFollowed) {
    const middle = (from + to) / 2;
    const draw = (i, j, hot) => {
        const share = weights.at(i, j);
        if (share < 0.005) return;
        const way = `M${from} ${y(i)}C${middle} ${y(i)} ${middle} ${y(j)} ${to} ${y(j)}`;
        node("path", {
            d: way,
            class: hot ? "ab-line ab-line-hot" : "ab-line",
            "stroke-width": 1 + share * Math.min(12, uh * 0.5),
            opacity: hot ? 0.35 + 0.65 * share : 0.08 + 0.17 * share,
        }, lines);
    };
    lines.replaceChildren();
    for (const hot of [false, true]) { // chosen lines are drawn on top
        for (let i = 0; i < weights.n; i++) {
            for (let j = 0; j < weights.m; j++) if (isFollowed(i, j) === hot) draw(i, j, hot);
        }
    }
}

// The three words that attend to this one most.
function describeKey(weights, j) {
    const given = weights.rows.map((label, i) => [weights.at(i, j), label]).filter(([share]) =>
        share >= 0.005
    );
    const most = given.sort((a, b) => b[0] - a[0]).slice(0, 3);
    return `“${isolate(weights.columns[j])}” gets: ` +
        most.map(([share, label]) => `${writePercent(share)} of “${isolate(label)}”`).join(", ");
}
