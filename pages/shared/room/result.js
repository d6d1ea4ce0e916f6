// How a class answered: a bar for each answer, the second vote beside the first, each slip with what it is and where its number
// stands; and the same as a table and as a picture, to take home.

import { SVG, make, node, press } from "../board/dom.js";
import { room } from "./line.js";

const named = ({ answer, right }) => `${right ? "✓ " : ""}${answer}`;

// Where a slip's number stands is a place that the lecturer may take the class to.
function drawPlace(parent, { opens }) {
  if (!opens) return;
  const fields = Object.entries(opens.fields).map(([name, value]) => [name, String(value)]);
  press(parent, "See it", () => window.attentionAddress.act(Object.fromEntries(fields), opens.path), { class: "ab-room-see" });
}

// What is said of a group: the slip, or what was given where none explains it. Of a prediction's options one sentence stands below.
function toldOf({ answer, right, says, given }) {
  const told = given.map(([number, count]) => (count > 1 ? `${number} (${count} times)` : number)).join(", ");
  return right ? "" : answer === "other answers" ? `${says}: ${told}` : says;
}

const largest = (rows) => Math.max(1, ...rows.flatMap(({ counts }) => counts));

export function drawResult(card, { tallies, rows }) {
  const [last] = tallies.slice(-1), most = largest(rows), computed = new Map(last.bars.map(([label, , written]) => [label, written]));
  const right = last.groups.filter((group) => group.right).reduce((sum, group) => sum + group.count, 0);
  make("p", { class: "ab-room-asks" }, card, `${right} of ${last.of} right.${tallies.length > 1 ? " The pale bars are the first vote." : ""}`);
  const table = make("table", { class: "ab-room-result" }, card);
  for (const group of rows) {
    const row = make("tr", group.right ? { class: "ab-room-right" } : {}, table);
    make("th", { scope: "row" }, row, named(group));
    const cell = make("td", { class: "ab-room-bars" }, row);
    for (const [k, count] of group.counts.entries()) {
      const bar = make("div", { class: k < group.counts.length - 1 ? "ab-room-first" : "" }, cell);
      make("i", { style: `width:${(100 * count) / most}%` }, bar);
      make("span", {}, bar, String(count));
    }
    if (computed.has(group.answer)) make("td", { class: "ab-room-computed" }, row, computed.get(group.answer));
    drawPlace(make("td", {}, row, computed.size ? "" : toldOf(group)), group);
  }
  make("p", {}, card, last.solution);
}

// ---------- to take home ----------

function download(name, blob) {
  const url = URL.createObjectURL(blob);
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export const saveTable = () => download(`class-${room.code}-${room.asked.number}.csv`, new Blob(["\ufeff", room.result.csv], { type: "text/csv" }));

// A text in lines of at most so many characters.
function wrapped(text, most) {
  const all = [""];
  for (const word of text.split(" ")) {
    if (all.at(-1) && `${all.at(-1)} ${word}`.length > most) all.push(word);
    else all[all.length - 1] = `${all.at(-1)} ${word}`.trim();
  }
  return all;
}

function writeLines(svg, all, x, y, step, attributes) {
  for (const [k, each] of all.entries()) node("text", { x, y: y + step * k, fill: "#10151b", ...attributes }, svg, each);
}

// The same bars as a drawing of its own, black on white: the question, and a row for each answer.
function asPicture() {
  const { rows, tallies: [{ bars }] } = room.result, most = largest(rows), computed = new Map(bars.map(([label, , written]) => [label, written]));
  const all = room.asked.asks.split("\n"), asks = all.slice(0, -1).flatMap((each) => wrapped(each, 120)), last = wrapped(all.at(-1), 110);
  const svg = node("svg", { xmlns: SVG, width: 1200, "font-family": "sans-serif", "font-size": 17 }), ground = node("rect", { width: 1200, fill: "#ffffff" }, svg);
  writeLines(svg, asks, 20, 34, 26, {});
  writeLines(svg, last, 20, 34 + 26 * asks.length, 26, { "font-weight": 700 });
  let y = 40 + 26 * (asks.length + last.length);
  for (const group of rows) {
    const name = wrapped(named(group), 26), told = wrapped(computed.get(group.answer) ?? (bars.length ? "" : toldOf(group)), 76);
    writeLines(svg, name, 20, y + 14, 20, { "font-weight": group.right ? 700 : 400 });
    writeLines(svg, told, 620, y + 14, 18, { "font-size": 14 });
    for (const [k, count] of group.counts.entries()) {
      const fill = k < group.counts.length - 1 ? "#b9c4d0" : group.right ? "#1d7a4f" : "#55677a", long = (300 * count) / most;
      node("rect", { x: 270, y: y + 15 * k, width: long, height: 13, fill }, svg);
      writeLines(svg, [String(count)], 278 + long, y + 12 + 15 * k, 0, { "font-size": 14 });
    }
    y += 18 + Math.max(20 * name.length, 18 * told.length, 15 * group.counts.length);
  }
  if (rows[0].counts.length > 1) {
    writeLines(svg, ["Pale: the first vote. Dark: the second, after the class talked it over."], 20, y + 8, 0, { "font-size": 14 });
    y += 26;
  }
  for (const part of [svg, ground]) part.setAttribute("height", y);
  svg.setAttribute("viewBox", `0 0 1200 ${y}`);
  return { svg, wide: 1200, tall: y };
}

export function savePicture() {
  const { svg, wide, tall } = asPicture(), image = new Image(), canvas = document.createElement("canvas");
  Object.assign(canvas, { width: 2 * wide, height: 2 * tall });
  image.onload = () => {
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download(`class-${room.code}-${room.asked.number}.png`, blob));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
}
