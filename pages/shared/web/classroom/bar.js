// The interface of a class: a bar at the foot of the window, and a card with the current question,
// the join code, or the questions to choose from.

import { make, makeButton } from "../../../../core/board/web/dom.js";
import { findFocused, restoreFocus } from "../../../../core/board/web/focus_restore.js";
import { APP } from "../../../../core/board/web/streamlit_page.js";
import { beginDoor, drawDoor } from "./invitation.js";
import {
    closeCard,
    followAgain,
    join,
    leaveClass,
    openCard,
    room,
    say,
    sendAct,
    stopLeading,
} from "./socket.js";
import { chooseQuestion, drawAnswer, drawAsked, drawOffers, endSentence } from "./question.js";

// ---------- the bar ----------

function drawClassBar(bar) {
    const { state, code, why, id, leads } = room;
    if (state === "there" && leads) return drawLecturersBar(bar);
    make("strong", {}, bar, code ? `Class ${code}` : "Class");
    if (state === "there") return drawFollowersBar(bar);
    const looks = id ? "The line is lost: trying again …" : "The class is being fetched …";
    make("span", { role: "status" }, bar, why || looks);
    makeButton(bar, state === "over" ? "Close" : "Leave", leaveClass);
}

function drawLecturersBar(bar) {
    const { code, why, asked, finished, followers, card } = room;
    const opens = (name) => ({ "aria-expanded": String(card === name) });
    makeButton(bar, `Class ${code}`, () => openCard("door"), opens("door"));
    if (!asked) makeButton(bar, "Ask the class", chooseQuestion, opens("offers"));
    if (finished) makeButton(bar, "Save all results", saveResults, { title: "One table, as CSV" });
    makeButton(bar, "End the class", () => openCard("ending"), opens("ending"));
    make("span", { role: "status" }, bar, `${followers} follow${followers === 1 ? "s" : ""}`);
    if (why) make("span", { role: "status" }, bar, why);
}

function drawFollowersBar(bar) {
    const { loose, place, why } = room;
    if (loose) makeButton(bar, "Come back", followAgain, { class: "ab-main" });
    else makeButton(bar, "Look around", stopLeading);
    makeButton(bar, "Leave", leaveClass);
    const alone = `You look around by yourself. ${endSentence(`The class is at ${place}`)}`;
    make("span", { role: "status" }, bar, why || (loose ? alone : "You go with the class."));
}

const saveResults = () => say({ do: "results" });

// ---------- the card ----------

// A form to type the class's code.
function drawLetters(card) {
    make("h2", {}, card, "Join a class");
    const form = make("form", {}, card), name = "Its four letters";
    const field = make("input", {
        "aria-label": name,
        placeholder: name,
        autocomplete: "off",
        autocapitalize: "characters",
        maxlength: 12,
    }, form);
    make("button", { type: "submit", class: "ab-main" }, form, "Join");
    makeButton(form, "Close", closeCard);
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        join(field.value);
    });
    field.focus();
}

function drawEnding(card) {
    make("h2", {}, card, "End the class for all?");
    make("p", {}, card, "Everybody stays where they are. Votes are forgotten: save them first.");
    const ways = make("p", { class: "ab-room-ways" }, card);
    if (room.finished) makeButton(ways, "Save all results", saveResults);
    makeButton(ways, "End it", () => sendAct({ do: "end" }), { class: "ab-main" });
    makeButton(ways, "Go on", closeCard);
}

// The current card and the data that it depends on: it is redrawn only if those change.
/** @returns {[(card: HTMLElement) => void, any] | null} */
function getCard() {
    /** @type {any} */
    const { state, id, card, leads, asked, mine, offers, door, followers, answers, result } = room;
    if (card === "letters") return [drawLetters, ""];
    if (state !== "there" && !(state === "away" && id)) return null;
    if (leads && card === "door") return [drawDoor, [door, followers]];
    if (leads && card === "ending") return [drawEnding, room.finished];
    if (leads && card === "offers" && !asked) return [drawOffers, offers];
    if (!asked || (asked.shown && room.read === asked.number)) return null;
    return leads ? [drawAsked, [asked, followers, answers, result]] : [drawAnswer, [asked, mine]];
}

export function beginRoomBar() {
    let place = null, bar = null, card = null;
    const drawn = new Map();
    const part = (element, of, draw) => {
        const says = JSON.stringify(of);
        if (drawn.get(element) === says) return;
        drawn.set(element, says);
        const had = findFocused(element), keys = had || element === document.activeElement;
        element.replaceChildren();
        element.hidden = !draw;
        draw?.(element);
        if (had) restoreFocus(element, had);
        if (keys && !element.contains(document.activeElement)) {
            const next = element.hidden ? bar.querySelector("button") : element;
            next?.focus({ preventScroll: true });
        }
    };
    const begin = () => {
        place = make("section", { class: "ab-room", "aria-label": "Class" }, document.body);
        card = make("div", { class: "ab-room-card", tabindex: -1 }, place);
        bar = make("div", { class: "ab-room-bar" }, place);
        new ResizeObserver(() =>
            document.documentElement.style.setProperty(
                "--ab-room-high",
                `${place.offsetHeight}px`,
            )
        ).observe(place); // the page makes room
    };
    const show = () => {
        if (!place && room.state === "none" && !room.card) return;
        if (!place) begin();
        place.style.fontFamily = getComputedStyle(document.querySelector(APP)).fontFamily;
        const { state, code, why, id, leads, loose, finished, followers, asked } = room;
        const now = [state, code, why, id, leads, loose, room.place, room.card, finished];
        part(bar, [...now, followers, Boolean(asked)], state === "none" ? null : drawClassBar);
        const [draw, of] = getCard() ?? [null, null];
        const html = document.documentElement, beside = draw === drawAsked || draw === drawAnswer;
        if (state === "none") delete html.dataset.room;
        else html.dataset.room = state;
        html.dataset.card = beside ? "open" : draw ? "over" : "none";
        place.toggleAttribute("data-screen", draw === drawDoor);
        part(card, [draw?.name, of], draw);
    };
    beginDoor();
    window.addEventListener("attention-room", show);
}
