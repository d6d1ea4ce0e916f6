// A question before a step is seen: choices to click or shares to drag, what would tell veiled until it is answered or skipped,
// then the guess as a ghost beside the truth.
// A guess stays in this window. Which questions were answered, and that none shall be asked, this browser keeps.

import { make, press } from "../../board/dom.js";
import { drawOptions, drawShares } from "./ask.js";
import { drawBars, drawReply } from "./told.js";

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

// The figures that are asked of: nothing of them can be reached meanwhile, and questions.css covers what would tell. What stands further
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

function guess(data, picked, shares = null) {
  guesses[data.name] = { of: JSON.stringify(data), picked, shares };
  answered(data.name);
}

function drawQuestion(place, data) {
  const asks = make("p", { class: "ab-predict-asks" }, place);
  make("strong", {}, asks, "Before you look: ");
  asks.append(data.asks);
  const shares = data.kind === "shares" ? drawShares(place, data.options) : null;
  const row = make("div", { class: "ab-question-row" }, place);
  if (shares) press(row, "See", () => guess(data, largest(shares()), shares()), { class: "ab-predict-see" });
  else drawOptions(row, data.options, (k) => guess(data, [k]));
  press(row, "Skip", () => answered(data.name), { class: "ab-predict-aside" });
  press(row, "Don't ask again", () => keep({ ...kept(), off: true }), { class: "ab-predict-aside" });
}

const largest = (shares) => [...shares.keys()].filter((k) => shares[k] > Math.max(...shares) - 1e-9);

// Who left several shares largest has chosen all of them: that is neither right nor wrong where only some are.
function drawTruth(place, status, data, mine) {
  const fits = mine.of === JSON.stringify(data), picked = fits ? mine.picked : []; // else it was a guess of other numbers
  const hits = picked.filter((k) => data.right.includes(k)).length, right = hits === picked.length || (hits ? null : false);
  drawReply(make("p", {}, status), picked.length ? right : null, data.says[picked.length === 1 ? picked[0] : data.right[0]], "No");
  drawBars(place, data, fits ? mine : null);
  press(make("div", { class: "ab-question-row" }, place), fits ? "Ask again" : "Ask me of these numbers", () => askAgain(data.name), { class: "ab-predict-aside" });
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

export function beginPrediction({ data: bytes, parentElement }) {
  let host = parentElement.querySelector(":scope > .ab-predict");
  if (!host) {
    host = make("div", { class: "ab-predict", role: "group", "aria-label": "Predict, then see" }, parentElement);
    make("div", { role: "status" }, host);
    make("div", {}, host);
  }
  host.end?.(); // with other data it begins anew, without an end
  host.data = JSON.parse(new TextDecoder().decode(bytes));
  const { name } = host.data, again = () => drawPrediction(host), reminding = (event) => remind(host, event);
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
