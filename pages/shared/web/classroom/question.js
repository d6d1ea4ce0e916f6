// A class's questions: the lecturer chooses one, each follower answers on a card, and all see the
// result.

import { address } from "../../../../core/board/web/address.js";
import { make, makeButton } from "../../../../core/board/web/dom.js";
import { drawField, drawLines, drawOptions } from "../questions/ask.js";
import { drawResult } from "../questions/results.js";
import { closeCard, notifyRoom, openCard, room, say, sendAct } from "./socket.js";

const VEILED = "Until the answer is shown, the page keeps to itself what would tell it.";

// ---------- of a lecturer ----------

export function chooseQuestion() {
    room.offers = null;
    openCard("offers");
    if (room.card) say({ do: "offers", ...address.here() });
}

export function drawOffers(card) {
    make("h2", {}, card, "What do you ask the class?");
    if (!room.offers) return void make("p", {}, card, "A moment …");
    if (!room.offers.length) {
        make(
            "p",
            {},
            card,
            "There is nothing to ask here now: matrices that still learn are waited for, and some pages have no question.",
        );
    }
    const list = make("ul", { class: "ab-room-offers" }, card);
    for (const { what, asks } of room.offers) {
        const offer = makeButton(make("li", {}, list), "", () => {
            room.card = "";
            sendAct({ do: "ask", what, ...address.here() });
        });
        make("small", {}, offer, getKind(what));
        offer.append(asks);
    }
    makeButton(make("p", { class: "ab-room-ways" }, card), "Close", closeCard);
}

function getKind(what) {
    if (what === "cell") return "The chosen cell";
    const [page, place] = what.split(".");
    if (page === "predict") return "A prediction";
    return place === "choice" ? "A question" : "An exercise";
}

// The number of answers, then the result. The lecturer may take the class to the place that has a
// usual mistake's number.
export function drawAsked(card) {
    const { asked, result, answers, followers } = room;
    drawLines(card, asked.asks);
    const ways = make("p", { class: "ab-room-ways" });
    if (!asked.shown) {
        const list = make("ul", { class: "ab-room-options" }, card);
        for (const option of asked.options) make("li", {}, list, option);
        make(
            "p",
            { role: "status", class: "ab-room-count" },
            card,
            `${answers} of ${Math.max(answers, followers)} have answered`,
        );
        makeButton(ways, "Show the answer", () => sendAct({ do: "show" }), { class: "ab-main" });
        make("p", { class: "ab-small" }, card, VEILED);
    } else if (result) drawResult(card, result, goTo);
    makeButton(ways, "Done", () => sendAct({ do: "away" }));
    card.append(ways);
}

function goTo({ path, fields }) {
    const texts = Object.entries(fields).map(([name, value]) => [name, String(value)]);
    address.act(Object.fromEntries(texts), path);
}

// ---------- of a follower ----------

export function drawAnswer(card) {
    const { asked, mine } = room, ours = mine.number === asked.number ? mine : {};
    make("h2", {}, card, "The class is asked");
    drawLines(card, asked.asks);
    if (asked.shown) return drawVerdict(card, asked, ours);
    if (asked.kind === "choice") {
        drawOptions(card, asked.options, (k) => sendAnswer(String(k)), Number(ours.answer ?? -1));
    } else drawField(card, asked.kind, ours.typed ?? ours.answer ?? "", sendAnswer);
    const counted = ours.answer === undefined
        ? ""
        : `Counted. You answered ${
            endSentence(describeAnswer(asked, ours.answer))
        } Until the answer is shown you can change it.`;
    make("p", { role: "status" }, card, ours.says ?? counted);
    make("p", { class: "ab-small" }, card, VEILED);
}

function sendAnswer(typed) {
    const { number } = room.asked;
    room.mine = { number, typed, says: "On its way …" };
    sendAct({ do: "answer", number, answer: typed });
}

// A sentence with a full stop, unless it ends in a mark of its own.
export const endSentence = (text) => (/[.!?…]”?$/.test(text) ? text : `${text}.`);

// An answer as text: an option in quotes, a number as printed on the pages.
export function describeAnswer({ kind, options }, given) {
    if (kind !== "choice") return given.replace("-", "−");
    const option = options[Number(given)];
    return option.startsWith("“") ? option : `“${option}”`;
}

/** @param {HTMLElement} card @param {any} asked @param {any} answer */
function drawVerdict(card, asked, { right, says, solution, answer: given }) {
    const verdict = right === undefined
        ? "It is answered: look at the lecturer's screen."
        : `${right ? "✓ Right" : "✗ Not yet"}: you answered ${
            endSentence(describeAnswer(asked, given))
        } ${says}`;
    make("p", { role: "status", class: right ? "ab-room-right" : "" }, card, verdict);
    if (solution) make("p", {}, card, solution);
    makeButton(make("p", { class: "ab-room-ways" }, card), "Close", () => {
        room.read = asked.number;
        notifyRoom();
    });
}
