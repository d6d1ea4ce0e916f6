// What a class is asked: its lecturer chooses from what can be asked here, and each follower answers on a card over the page.

import { make, press } from "../board/dom.js";
import { drawField, drawLines, drawOptions } from "../frame/questions/ask.js";
import { drawClock, isClosed } from "./leading.js";
import { doIt, room, say, told } from "./line.js";
import { drawOwnOffers } from "./own.js";

// ---------- a lecturer's choice ----------

export function drawOffers(card) {
  make("h2", {}, card, "What do you ask the class?");
  drawOwnOffers(card);
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

// What this window has answered in this vote, and heard of it.
const answerTo = (vote) => (room.mine.vote === vote ? room.mine : {});

export function drawAnswer(card) {
  const { asked, typed } = room, { kind, options, vote } = asked, ours = answerTo(vote);
  make("h2", {}, card, asked.votes > 1 && !asked.shown ? "The class is asked again: talk it over, and answer once more" : "The class is asked");
  drawLines(card, asked.asks);
  if (asked.shown) return drawVerdict(card, asked, ours);
  drawClock(card);
  if (isClosed()) return void make("p", { role: "status" }, card, ours.answer === undefined ? "Voting is closed." : `Voting is closed. Your answer counts: ${inWords(asked, ours.answer)}`);
  if (kind === "choice") drawOptions(card, options, (place) => answer(String(place)), Number(ours.answer ?? -1));
  else drawField(card, asked.own ? "own" : kind, typed?.vote === vote ? typed.text : "", (text) => { room.typed = { vote, text }; }, answer);
  const said = ours.says ?? (ours.counted ? "Counted. Until the answer is shown you can change it." : "");
  make("p", { role: "status" }, card, said);
}

function answer(text) {
  const { vote } = room.asked;
  room.mine = { ...answerTo(vote), vote, says: "On its way …" };
  doIt({ do: "answer", vote, answer: text });
}

const inWords = ({ kind, options }, given) => (kind === "choice" ? options[Number(given)] : given.replace("-", "−"));

/** @param {HTMLElement} card @param {any} asked @param {any} answer */
function drawVerdict(card, asked, { right, says, solution, answer: given }) {
  const mine = given !== undefined && inWords(asked, given);
  if (right === null) make("p", { role: "status" }, card, `You answered: ${mine}`);
  else if (right === undefined) make("p", { role: "status" }, card, "It is answered: look at the lecturer's screen.");
  else make("p", { role: "status", class: right ? "ab-room-right" : "" }, card, `${right ? "✓ Right" : "✗ Not yet"}: you answered ${mine}. ${says}`);
  if (solution) make("p", {}, card, solution);
  press(make("p", { class: "ab-room-ways" }, card), "Close", () => { room.read = asked.number; told(); });
}
