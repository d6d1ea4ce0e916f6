// The reply to an answer, hints one at a time, the way to the next exercise, and what was solved, which this browser keeps.
// Its elements are made by the board's dom.js, which is sent with it. Links are made of the address as it is now.

import { make } from "../../board/dom.js";
import { BLOCK, MAIN } from "../../browser/streamlit_page.js";

const KEPT = "attention-exercises";
const REPLIES = { true: "✓ Right. ", false: "✗ Not yet. ", null: "" };
let recorded = null; // the answer that was counted last: what a reader then forgets is not counted again

// ---------- what was solved ----------

let unkept = {}; // where the browser keeps nothing, it counts for as long as the page is open

function solved() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    return kept && typeof kept === "object" && !Array.isArray(kept) ? kept : {};
  } catch {
    return unkept;
  }
}

function keep(all) {
  unkept = all;
  try {
    localStorage.setItem(KEPT, JSON.stringify(all));
  } catch { /* it is kept above */ }
}

function record({ name, variation, question, verdict }) {
  const answer = [name, variation, question].join();
  if (!verdict?.right) recorded = null;
  if (!verdict?.right || recorded === answer) return;
  recorded = answer;
  keep({ ...solved(), [name]: { solved: new Date().toISOString(), link: location.href } });
}

function save(names) {
  const all = solved();
  const done = Object.fromEntries(names.filter((name) => all[name]).map((name) => [name, all[name]]));
  const text = JSON.stringify({ solved: Object.keys(done).length, of: names.length, exercises: done }, null, 2);
  const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = make("a", { href, download: "attention-exercises.json" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
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
  made.point = () => { made.href = href(path, fields); };
  made.point();
  return made;
}

const toTop = () => document.querySelector(MAIN)?.scrollTo({ top: 0 });

// ---------- the parts ----------

function drawReply(place, { verdict }) {
  place.replaceChildren();
  if (!verdict) return;
  const mark = REPLIES[verdict.right];
  const line = make("p", { class: verdict.right ? "ab-right" : "ab-wrong" }, place);
  if (mark) make("strong", {}, line, mark);
  line.append(verdict.says);
  for (const { path, page, fields } of verdict.places) {
    link(line, `Where that number stands: ${page}`, path, fields).addEventListener("click", toTop);
  }
}

function drawHints(place, { hints = [], opens }) {
  place.replaceChildren();
  const row = make("div", { class: "ab-row" });
  const list = make("ol", {}, make("div", { role: "status" }, place));
  place.append(row);
  if (hints.length) {
    const more = make("button", { type: "button" }, row);
    const count = () => { more.textContent = `Hint ${list.children.length + 1} of ${hints.length}`; };
    count();
    more.addEventListener("click", () => {
      make("li", {}, list, hints[list.children.length]);
      if (list.children.length < hints.length) count();
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
    other && link(parent, text, pageOf(other), { exercise: other, variation: null }, attributes);
  to(place, "← Previous", own[at - 1], { rel: "prev" });
  own.forEach((other, k) => {
    const state = done[other] ? `, solved` : "";
    const made = to(place, `${set ? other : k + 1}${done[other] ? " ✓" : ""}`, other, { "aria-label": `Exercise ${set ? other : k + 1}${state}` });
    if (other === name) made.setAttribute("aria-current", "step");
  });
  to(place, "Next →", own[at + 1], { rel: "next" });
  link(place, "Another like this", pageOf(name), { exercise: name, variation: (variation % 99) + 1 });
}

function drawProgress(place, data, again) {
  place.replaceChildren();
  const { name, all } = data, done = solved();
  const count = (names) => `${names.filter((other) => done[other]).length} of ${names.length}`;
  const here = all.filter((other) => pageOf(other) === pageOf(name));
  make("span", { class: "ab-count" }, place, `Solved: ${count(here)} on this page, ${count(all)} in all. Kept in this browser alone.`);
  if (!all.some((other) => done[other])) return;
  make("button", { type: "button" }, place, "Save as a file").addEventListener("click", () => save(all));
  make("button", { type: "button" }, place, "Forget all").addEventListener("click", () => {
    if (!confirm("Forget which exercises were solved in this browser?")) return;
    keep({});
    again();
  });
}

// ---------- mounting ----------

// A link that opens an exercise brings it into view, once: after that the reader scrolls.
let hasArrived = false;

function arrive(host) {
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
  for (const kind of ["wheel", "pointerdown", "keydown"]) window.addEventListener(kind, end, { once: true, passive: true });
}

// A part is drawn anew only where it says something else: a link that is replaced between press and release misses the click,
// and hints that are open stay so.
function drawOnce(place, says, draw) {
  const key = JSON.stringify(says);
  if (place.says === key) return;
  place.says = key;
  draw();
}

function draw(host, data) {
  record(data);
  const [reply, hints, way, progress] = host.children;
  drawOnce(reply, [data.question, data.verdict], () => drawReply(reply, data));
  drawOnce(hints, [data.question, data.opens], () => drawHints(hints, data));
  const again = () => {
    const { name, variation, all } = data;
    const says = [name, variation, all, Object.keys(solved())];
    drawOnce(way, says, () => drawWay(way, data));
    drawOnce(progress, says, () => drawProgress(progress, data, again));
  };
  again();
}

function begin({ data: bytes, parentElement }) {
  let host = parentElement.querySelector(":scope > .ab-exercise");
  if (!host) {
    host = make("div", { class: "ab-exercise" }, parentElement);
    make("div", { class: "ab-reply", role: "status" }, host);
    make("div", { class: "ab-hints" }, host);
    make("nav", { class: "ab-row", "aria-label": "Exercises" }, host);
    make("div", { class: "ab-row ab-progress" }, host);
  }
  draw(host, JSON.parse(new TextDecoder().decode(bytes)));
  arrive(host);
  const point = () => { for (const made of host.querySelectorAll("a")) made.point(); };
  window.addEventListener("attention-moved", point);
  return () => window.removeEventListener("attention-moved", point);
}

export default (component) => {
  if (window.attentionReady) return begin(component);
  let end = null;
  const start = () => { end = begin(component); };
  window.addEventListener("attention-ready", start, { once: true });
  return () => { window.removeEventListener("attention-ready", start); end?.(); };
};
