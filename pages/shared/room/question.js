// What a class is asked: its lecturer chooses from what can be asked here, and each follower answers on a card over the page.

import { make, press } from "../board/dom.js";
import { doIt, room, say, told } from "./line.js";

const TO_TYPE = { number: "A number, to four decimals", whole: "A whole number", shape: "A shape such as 2 × 3" };

// The lines of a question; the last is the one that asks.
export function lines(parent, text) {
  const all = text.split("\n");
  for (const [k, each] of all.entries()) make("p", k === all.length - 1 ? { class: "ab-room-asks" } : {}, parent, each);
}

// ---------- a lecturer's choice ----------

export function drawOffers(card) {
  make("h2", {}, card, "What do you ask the class?");
  if (!room.offers) return void make("p", {}, card, "A moment …");
  if (!room.offers.length) make("p", {}, card, "There is nothing to ask here now: weights that still learn are waited for, and some pages have no question.");
  const list = make("ul", { class: "ab-room-offers" }, card);
  for (const { what, asks } of room.offers) {
    const offer = press(make("li", {}, list), "", () => ask(what));
    make("small", {}, offer, what === "cell" ? "The chosen cell" : what.startsWith("predict.") ? "A prediction" : `Exercise ${what.split(".")[1]}`);
    offer.append(asks);
  }
  press(make("p", { class: "ab-room-ways" }, card), "Close", () => { room.asking = false; told(); });
}

function ask(what) {
  room.asking = false;
  doIt({ do: "ask", what, ...window.attentionAddress.here() });
}

export function chooseQuestion() {
  Object.assign(room, { asking: !room.asking, opened: false, offers: null });
  if (room.asking) say({ do: "offers", ...window.attentionAddress.here() });
  told();
}

// ---------- a follower's answer ----------

export function drawAnswer(card) {
  const { asked, mine } = room, ours = mine.vote === asked.vote ? mine : {};
  make("h2", {}, card, asked.votes > 1 && !asked.shown ? "The class is asked again: talk it over, and answer once more" : "The class is asked");
  lines(card, asked.asks);
  if (asked.shown) return drawVerdict(card, asked, ours);
  if (asked.kind === "choice") drawOptions(card, asked, ours);
  else drawField(card, asked);
  const said = ours.says ?? (ours.counted ? "Counted. Until the answer is shown you can change it." : "");
  make("p", { role: "status" }, card, said);
}

function answer(text) {
  const { vote } = room.asked;
  room.mine = { ...(room.mine.vote === vote && room.mine), vote, says: "On its way …" };
  doIt({ do: "answer", vote, answer: text });
}

function drawOptions(card, { options }, ours) {
  const list = make("ul", { class: "ab-room-offers" }, card);
  for (const [k, option] of options.entries()) {
    press(make("li", {}, list), option, () => answer(String(k)), { "aria-pressed": String(ours.answer === String(k)) });
  }
}

function drawField(card, { kind, vote }) {
  const form = make("form", {}, card), name = TO_TYPE[kind];
  const field = make("input", { "aria-label": name, placeholder: name, autocomplete: "off", maxlength: 60, inputmode: kind === "shape" ? "text" : "decimal" }, form);
  field.value = room.typed?.vote === vote ? room.typed.text : "";
  field.addEventListener("input", () => { room.typed = { vote, text: field.value }; });
  make("button", { type: "submit" }, form, "Answer");
  form.addEventListener("submit", (event) => { event.preventDefault(); if (field.value.trim()) answer(field.value); });
}

function drawVerdict(card, asked, { right, says, solution, answer: given }) {
  const mine = given !== undefined && (asked.kind === "choice" ? asked.options[Number(given)] : given.replace("-", "−"));
  if (right === undefined) make("p", { role: "status" }, card, "It is answered: look at the lecturer's screen.");
  else make("p", { role: "status", class: right ? "ab-room-right" : "" }, card, `${right ? "✓ Right" : "✗ Not yet"}: you answered ${mine}. ${says}`);
  if (solution) make("p", {}, card, solution);
  press(make("p", { class: "ab-room-ways" }, card), "Close", () => { room.read = asked.number; told(); });
}
