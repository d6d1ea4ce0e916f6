// What is seen of a class: a bar at the foot of the window, and over it a card with what the class is asked, with the letters to join by,
// or with what can be asked.

import { make, press } from "../board/dom.js";
import { focusAgain, focusedIn } from "../browser/keeping.js";
import { drawLines } from "../frame/questions/ask.js";
import { drawResult } from "../frame/questions/told.js";
import { comeBack, doIt, endClass, inNotes, join, leaveClass, letGo, room, say, told } from "./line.js";
import { beginScreen, drawClosing, drawHanding, drawResults, drawScreen, hasResults, isClosed, saveResults, saveTableOfAll, showResults } from "./leading.js";
import { drawWriting, writingNow } from "./own.js";
import { chooseQuestion, drawAnswer, drawOffers } from "./question.js";
import { savePicture, saveTable } from "./result.js";
import { APP } from "../browser/streamlit_page.js";

function drawClassBar(parent) {
  const { state, code, why, leads, loose, place, followers } = room;
  const name = make("strong", {}, parent, code ? `Class ${code}` : "Class");
  if (state === "over") {
    make("span", { role: "status" }, parent, why);
    return void press(parent, "Close", leaveClass);
  }
  if (state === "away") {
    make("span", { role: "status" }, parent, why || (room.id ? "The line is lost: trying again …" : "Looking for it …"));
    return void press(parent, "Leave", leaveClass);
  }
  if (leads) {
    name.remove();
    press(parent, `Class ${code}`, () => { Object.assign(room, { opened: !room.opened, asking: false }); told(); }, { "aria-expanded": String(Boolean(room.opened)), title: "The letters, the code and the link" });
    make("span", { role: "status" }, parent, followers === 1 ? "1 follows" : `${followers} follow`);
    if (why) make("span", { role: "status" }, parent, why);
    if (!room.asked) press(parent, "Ask the class", chooseQuestion, { "aria-expanded": String(Boolean(room.asking)) });
    if (hasResults()) press(parent, "Results", showResults, { "aria-expanded": String(Boolean(room.showing)) });
    return void press(parent, "End the class", () => { room.ending = true; told(); });
  }
  make("span", { role: "status" }, parent, loose ? `You look around by yourself. The class is at ${place}.` : "You go with the class.");
  press(parent, loose ? "Come back" : "Look around", loose ? comeBack : letGo, loose ? { class: "ab-room-main" } : {});
  press(parent, "Leave", leaveClass);
}

// Whoever heard the letters types them.
function drawLetters(card) {
  make("h2", {}, card, "Join a class");
  const form = make("form", {}, card), name = "Its four letters";
  const field = make("input", { "aria-label": name, placeholder: name, autocomplete: "off", autocapitalize: "characters", maxlength: 12 }, form);
  make("button", { type: "submit", class: "ab-room-main" }, form, "Join");
  form.addEventListener("submit", (event) => { event.preventDefault(); if (field.value.trim()) join(field.value.trim().toUpperCase()); });
  press(form, "Close", () => { room.joining = false; told(); });
  field.focus();
}

function drawEnding(card) {
  make("h2", {}, card, "End the class for all?");
  make("p", {}, card, "Everybody stays where they are. Votes are forgotten: save what you want to keep first.");
  const ways = make("p", { class: "ab-room-ways" }, card);
  if (hasResults()) press(ways, "Save the results", saveResults);
  press(ways, "End it", endClass, { class: "ab-room-main" });
  press(ways, "Go on", () => { room.ending = false; told(); });
}

// Where a slip's number stands is a place that the lecturer may take the class to.
function goTo({ path, fields }) {
  window.attentionAddress.act(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)])), path);
}

// What the lecturer sees of a question: how many have answered and, in the notes or once the answer is shown, how.
function drawAsked(card) {
  const { asked, result, followers } = room, notes = inNotes();
  const count = room.answers[asked.vote] ?? 0;
  drawLines(card, asked.asks);
  if (asked.kind === "choice" && !(result && (asked.shown || notes))) {
    const list = make("ul", { class: "ab-room-options" }, card);
    for (const option of asked.options) make("li", {}, list, option);
  }
  if (!asked.shown) make("p", { role: "status", class: "ab-room-count" }, card, `${count} of ${Math.max(count, followers)} ${asked.votes > 1 ? "in the second vote" : "have answered"}`);
  if (notes && !asked.shown) make("p", { class: "ab-room-small" }, card, "Only you see this, beside your notes:");
  if (result?.number === asked.number && (asked.shown || notes)) drawResult(card, result, goTo);
  drawClosing(card);
  const ways = make("p", { class: "ab-room-ways" }, card);
  if (!asked.shown) {
    press(ways, "Show the answer", () => doIt({ do: "show" }), { class: "ab-room-main" });
    if (asked.votes === 1) press(ways, "Vote again", () => doIt({ do: "again" }), { title: "After the class has talked it over: the second vote stands beside the first" });
  } else if (result?.csv) {
    press(ways, "Save as CSV", () => saveTable(result));
    press(ways, "Save as a picture", () => savePicture(result));
  }
  press(ways, "Done", () => doIt({ do: "away" }));
}

// Which card there is, and what it is drawn of: it is drawn anew only where that is another.
function cardNow() {
  if (room.joining) return [drawLetters, ""];
  if (room.writing && !room.ending) return [drawWriting, writingNow()];
  if (room.state !== "there" && !(room.state === "away" && room.id)) return null;
  const { asked, leads, mine, offers, result } = room;
  if (leads && room.ending) return [drawEnding, ""];
  if (leads && room.opened) return [drawScreen, [room.code, room.alone, room.note, room.followers]];
  if (leads && room.handing) return [drawHanding, [room.handed, room.coded, room.first]];
  if (leads && room.showing) return [drawResults, room.results];
  if (leads && room.asking) return [drawOffers, offers];
  if (asked && leads) return [drawAsked, [asked, result, room.answers[asked.vote], room.followers, inNotes(), room.ends, isClosed()]];
  return asked && !(asked.shown && room.read === asked.number) ? [drawAnswer, [asked, mine.vote === asked.vote ? mine : null, room.ends, isClosed()]] : null;
}

export function beginRoomBar() {
  let place = null, bar = null, card = null;
  const drawn = {};
  const part = (name, now, draw) => {
    const says = JSON.stringify(now) ?? "", element = name === "bar" ? bar : card;
    if (drawn[name] === says) return;
    drawn[name] = says;
    const had = focusedIn(element);
    element.replaceChildren();
    element.hidden = now === null;
    if (now !== null) draw(element);
    if (had) focusAgain(element, had);
  };
  const show = () => {
    if (!place && room.state === "none" && !room.joining && !room.writing) return;
    if (!place) {
      place = make("section", { class: "ab-room", "aria-label": "Class" }, document.body);
      card = make("div", { class: "ab-room-card" }, place);
      bar = make("div", { class: "ab-room-bar" }, place);
    }
    const { fontFamily, backgroundColor } = getComputedStyle(document.querySelector(APP));
    place.style.fontFamily = fontFamily;
    place.style.setProperty("--ab-ground", backgroundColor);
    document.documentElement.toggleAttribute("data-room", room.state !== "none");
    const { state, code, why, id, leads, loose, place: where, followers, asked, opened, asking, questions, showing } = room;
    part("bar", state === "none" ? null : [state, code, why, id, leads, loose, where, followers, Boolean(asked), opened, asking, questions, showing], drawClassBar);
    const now = cardNow();
    place.toggleAttribute("data-screen", now?.[0] === drawScreen);
    part("card", now && [now[0].name, now[1]], now?.[0]);
    if (room.saving && room.results) { room.saving = false; saveTableOfAll(); }
  };
  let later = null; // the distribution beside the speaker's notes: once a second at most
  const keepUp = () => {
    if (!room.leads || !room.asked || room.asked.shown || !inNotes()) return;
    const count = room.answers[room.asked.vote] ?? 0;
    if (later || count === (room.result?.tallies.at(-1)?.of ?? 0)) return;
    later = setTimeout(() => { later = null; say({ do: "result" }); }, 1000);
  };
  beginScreen();
  window.addEventListener("attention-room", () => { show(); keepUp(); });
}
