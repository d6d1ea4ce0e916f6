// A question before a step is seen: choices to click or shares to drag, what would tell veiled until it is answered or skipped,
// then the guess as a ghost beside the truth. Its elements are made by the board's dom.js, which is sent with it.
// A guess stays in this window. Which questions were answered, and that none shall be asked, this browser keeps.

import { make, press } from "../../board/dom.js";

const SWITCH = "attention-predictions";
const ANSWERED = "attention-predicted";
const CHANGED = "attention-predicting";
const guesses = {}; // by the question: { of, picked, shares }: the question with its numbers, what was chosen, and if shares, all

// ---------- what this browser keeps ----------

function kept() {
  if (/[?&]embed=board_/.test(location.search)) return { off: true, names: [], never: true }; // a board alone has no room for a question
  try {
    const names = JSON.parse(localStorage.getItem(ANSWERED) ?? "[]");
    return { off: localStorage.getItem(SWITCH) === "off", names: Array.isArray(names) ? names : [] };
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

// ---------- the veil ----------

// The figures that are asked of: nothing of them can be reached meanwhile, and predict.css covers what would tell. What stands further
// down is open: nothing there would say why it were not.
const veiled = (names) => names.map((name) => document.querySelector(`.st-key-${window.attentionAddress.prediction(name).figure}`)).filter(Boolean);

function veil(name, on) {
  const root = document.documentElement;
  const open = new Set((root.dataset.asking ?? "").split(" ").filter(Boolean));
  open[on ? "add" : "delete"](name);
  if (open.size) root.dataset.asking = [...open].join(" ");
  else delete root.dataset.asking;
  const parts = veiled([...open]);
  for (const part of document.querySelectorAll("[data-veiled]")) {
    if (parts.includes(part)) continue;
    part.inert = false;
    delete part.dataset.veiled;
  }
  for (const part of parts) {
    part.inert = true; // nor does a screen reader tell
    part.dataset.veiled = "";
  }
}

// Who reaches for what is veiled is shown why nothing happens.
function remind(host, { clientX: x, clientY: y }) {
  const isIn = ({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom;
  if (host.contains(document.elementFromPoint(x, y)) || !veiled([host.data.name]).some((part) => part.inert && isIn(part.getBoundingClientRect()))) return;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  host.scrollIntoView({ block: "nearest", behavior: still ? "auto" : "smooth" });
  host.classList.add("ab-predict-here");
  setTimeout(() => host.classList.remove("ab-predict-here"), 900);
}

// ---------- asking ----------

const capital = (text) => text[0].toUpperCase() + text.slice(1);

// Whole percents of shares that are all of it: together 100, each rounded down or up.
function percents(shares) {
  const whole = shares.map((share) => Math.floor(100 * share + 1e-9));
  const left = 100 - whole.reduce((sum, percent) => sum + percent, 0);
  const rest = (k) => 100 * shares[k] - whole[k];
  for (const k of [...shares.keys()].sort((a, b) => rest(b) - rest(a)).slice(0, left)) whole[k] += 1;
  return whole.map((percent) => `${percent}%`);
}

function guess(data, picked, shares = null) {
  guesses[data.name] = { of: JSON.stringify(data), picked, shares };
  answered(data.name);
}

function drawQuestion(place, data) {
  const asks = make("p", { class: "ab-predict-asks" }, place);
  make("strong", {}, asks, "Before you look: ");
  asks.append(capital(data.asks));
  const row = data.kind === "shares" ? drawShares(place, data) : drawChoices(place, data);
  press(row, "Skip", () => answered(data.name), { class: "ab-predict-aside" });
  press(row, "Don't ask again", () => keep({ ...kept(), off: true }), { class: "ab-predict-aside" });
}

function drawChoices(place, data) {
  const row = make("div", { class: "ab-predict-row" }, place);
  data.choices.forEach((choice, k) => make("bdi", {}, press(row, "", () => guess(data, [k])), choice));
  return row;
}

// One is moved, the others give way, each in its proportion: together they stay all of the attention.
function drawShares(place, data) {
  const count = data.choices.length;
  let shares = data.choices.map(() => 1 / count);
  const bars = make("div", { class: "ab-predict-bars" }, place);
  const parts = data.choices.map((choice, k) => {
    const line = make("label", { class: "ab-predict-bar" }, bars);
    make("bdi", {}, line, choice);
    const input = make("input", { type: "range", min: 0, max: 1, step: 0.01 }, line);
    const said = make("span", {}, line);
    input.addEventListener("input", () => move(k, Number(input.value)));
    return { input, said };
  });
  const tell = (moved = -1) => {
    const said = percents(shares);
    parts.forEach((part, k) => {
      if (k !== moved) part.input.value = shares[k];
      part.input.setAttribute("aria-valuetext", said[k]);
      part.said.textContent = said[k];
    });
  };
  const move = (k, share) => {
    const others = 1 - shares[k];
    const along = (other) => (others > 1e-9 ? (other * (1 - share)) / others : (1 - share) / (count - 1));
    shares = shares.map((other, at) => (at === k ? share : along(other)));
    tell(k);
  };
  tell();
  const row = make("div", { class: "ab-predict-row" }, place);
  const largest = () => [...shares.keys()].filter((k) => shares[k] > Math.max(...shares) - 1e-9);
  press(row, "See", () => guess(data, largest(), shares), { class: "ab-predict-see" });
  return row;
}

// ---------- telling ----------

// Who left several shares largest has chosen all of them: that is neither right nor wrong where only some are.
function drawReply(says, { right, says: sentences }, picked) {
  const hits = picked.filter((k) => right.includes(k)).length;
  if (picked.length && hits === picked.length) make("strong", {}, says, "✓ Right. ");
  else if (picked.length && !hits) make("strong", {}, says, "✗ No. ");
  says.append(sentences[picked.length === 1 ? picked[0] : right[0]]);
}

function drawTruth(place, status, data, mine) {
  const fits = mine.of === JSON.stringify(data); // else it was a guess of other numbers
  drawReply(make("p", {}, status), data, fits ? mine.picked : []);
  const bars = make("ul", { class: "ab-predict-bars" }, place);
  const top = data.kind === "shares" ? 1 : Math.max(...data.bars.map(([, value]) => Math.abs(value))) || 1;
  data.bars.forEach(([label, value, printed], k) => {
    const line = make("li", { class: "ab-predict-bar" }, bars);
    const name = make("span", {}, line);
    make("bdi", {}, name, label);
    const track = make("span", { class: "ab-predict-track", "aria-hidden": "true" }, line);
    make("i", { class: value < 0 ? "ab-predict-below" : "", style: `width: ${(100 * Math.abs(value)) / top}%` }, track);
    const ghost = !fits ? null : data.kind === "shares" ? mine.shares[k] : data.kind === "choice" && mine.picked.includes(k) ? 1 : null;
    if (ghost !== null) make("b", { style: `width: ${100 * ghost}%` }, track);
    const number = make("span", {}, line, printed);
    if (ghost !== null && data.kind === "shares") make("small", {}, number, ` (you: ${percents(mine.shares)[k]})`);
    else if (ghost !== null) make("small", {}, name, " (your guess)");
  });
  press(make("div", { class: "ab-predict-row" }, place), fits ? "Ask again" : "Ask me of these numbers", () => askAgain(data.name), { class: "ab-predict-aside" });
}

// ---------- mounting ----------

function stateOf({ name, asks }) {
  const { off, names, never } = kept();
  if (never || !asks) return "never"; // nothing can be kept, or there is nothing to ask
  if (off) return guesses[name] ? "told" : "off";
  if (!names.includes(name)) return "asks";
  return guesses[name] ? "told" : "off";
}

function draw(host) {
  const { data } = host, state = stateOf(data), drawn = JSON.stringify([state, data, guesses[data.name]]);
  veil(data.name, state === "asks");
  if (host.drawn === drawn) return;
  host.drawn = drawn;
  const had = host.contains(document.activeElement);
  const [status, place] = host.children;
  place.replaceChildren();
  status.replaceChildren();
  host.className = `ab-predict ab-${window.attentionAddress.prediction(data.name).role} ab-predict-${state}`;
  host.closest(`.st-key-predict_${data.name}`).style.display = state === "never" ? "none" : ""; // or it would keep a gap
  if (state === "asks") drawQuestion(place, data);
  else if (state === "told") drawTruth(place, status, data, guesses[data.name]);
  else if (state === "off") press(place, "Ask me before I see", () => askAgain(data.name), { class: "ab-predict-aside" });
  if (had) host.querySelector("button, input")?.focus({ preventScroll: true });
}

function begin({ data: bytes, parentElement }) {
  let host = parentElement.querySelector(":scope > .ab-predict");
  if (!host) {
    host = make("div", { class: "ab-predict", role: "group", "aria-label": "Predict, then see" }, parentElement);
    make("div", { role: "status" }, host);
    make("div", {}, host);
  }
  host.end?.(); // with other data it begins anew, without an end
  host.data = JSON.parse(new TextDecoder().decode(bytes));
  const { name } = host.data, again = () => draw(host), reminding = (event) => remind(host, event);
  again();
  for (const kind of [CHANGED, "attention-answered"]) window.addEventListener(kind, again);
  document.addEventListener("pointerdown", reminding);
  host.end = () => {
    for (const kind of [CHANGED, "attention-answered"]) window.removeEventListener(kind, again);
    document.removeEventListener("pointerdown", reminding);
    veil(name, false);
  };
  return host.end;
}

export default (component) => {
  if (window.attentionReady) return begin(component);
  let end = null;
  const start = () => { end = begin(component); };
  window.addEventListener("attention-ready", start, { once: true });
  return () => { window.removeEventListener("attention-ready", start); end?.(); };
};
