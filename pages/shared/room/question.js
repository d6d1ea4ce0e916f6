// What a class is asked: its lecturer chooses from what can be asked here, and each follower
// answers on a card over the page.

import { make, press } from "../board/dom.js";
import { drawField, drawLines, drawOptions } from "../frame/questions/ask.js";
import { doIt, draftOf, keepDraft, openCard, room, say, told } from "./line.js";

// ---------- a lecturer's choice ----------

export function drawOffers(card) {
    make("h2", {}, card, "What do you ask the class?");
    if (!room.offers) return void make("p", {}, card, "A moment …");
    if (!room.offers.length) {
        make(
            "p",
            {},
            card,
            "There is nothing to ask here now: weights that still learn are waited for, and some pages have no question.",
        );
    }
    const list = make("ul", { class: "ab-room-offers" }, card);
    for (const { what, asks } of room.offers) {
        const offer = press(make("li", {}, list), "", () => ask(what));
        make(
            "small",
            {},
            offer,
            what === "cell"
                ? "The chosen cell"
                : what.startsWith("predict.")
                ? "A prediction"
                : `Exercise ${what.split(".")[1]}`,
        );
        offer.append(asks);
    }
    press(make("p", { class: "ab-room-ways" }, card), "Close", () => {
        room.asking = false;
        told();
    });
}

function ask(what) {
    room.asking = false;
    doIt({ do: "ask", what, ...window.attentionAddress.here() });
}

// ---------- what the server lost ----------

export function drawLost(card) {
    make("h2", {}, card, "The question is gone");
    drawLines(card, room.lost.asks);
    make(
        "p",
        { role: "status" },
        card,
        `The server began anew and has its answers no more.${
            room.leads ? "" : " Your lecturer can ask it again."
        }`,
    );
    const ways = make("p", { class: "ab-room-ways" }, card);
    if (room.leads) {
        press(ways, "Ask it again", () => doIt({ do: "ask", ...room.lost.again }), {
            class: "ab-room-main",
        });
    }
    press(ways, "Close", () => {
        room.lost = null;
        told();
    });
}

export function chooseQuestion() {
    openCard("asking");
    room.offers = null;
    if (room.asking) say({ do: "offers", ...window.attentionAddress.here() });
    told();
}

// ---------- a follower's answer ----------

// What this window has answered in this vote, and heard of it.
const answerTo = (vote) => (room.mine.vote === vote ? room.mine : {});

export function drawAnswer(card) {
    const { asked } = room, { kind, options, vote } = asked, ours = answerTo(vote);
    make(
        "h2",
        {},
        card,
        asked.votes > 1 && !asked.shown
            ? "The class is asked again: talk it over, and answer once more"
            : "The class is asked",
    );
    drawLines(card, asked.asks);
    if (asked.shown) return drawVerdict(card, asked, ours);
    if (asked.closed) {
        return void make(
            "p",
            { role: "status" },
            card,
            ours.answer === undefined
                ? "Voting is closed."
                : `Voting is closed. You answered ${ended(saidAnswer(asked, ours.answer))}`,
        );
    }
    if (kind === "choice") {
        drawOptions(card, options, (place) => answer(String(place)), Number(ours.answer ?? -1));
    } else drawField(card, kind, draftOf(vote), (text) => keepDraft(vote, text), answer);
    const said = ours.says ??
        (ours.counted
            ? `Counted. You answered ${
                ended(saidAnswer(asked, ours.answer))
            } Until the answer is shown you can change it.`
            : "");
    make("p", { role: "status" }, card, said);
    make("p", { class: "ab-room-small" }, card, VEILED);
}

function answer(text) {
    const { vote } = room.asked;
    room.mine = { ...answerTo(vote), vote, says: "On its way …" };
    doIt({ do: "answer", vote, answer: text });
}

export const VEILED = "Until the answer is shown, the page keeps to itself what would tell it.";

// A sentence's end, where what it ends with has none of its own.
export const ended = (text) => (/[.!?…]”?$/.test(text) ? text : `${text}.`);

// What was answered, as it is said: an option in quotes, a number as the pages print it.
export function saidAnswer({ kind, options }, given) {
    if (kind !== "choice") return given.replace("-", "−");
    const option = options[Number(given)];
    return option.startsWith("“") ? option : `“${option}”`;
}

/** @param {HTMLElement} card @param {any} asked @param {any} answer */
function drawVerdict(card, asked, { right, says, solution, answer: given }) {
    if (right === undefined) {
        make("p", { role: "status" }, card, "It is answered: look at the lecturer's screen.");
    } else {make(
            "p",
            { role: "status", class: right ? "ab-room-right" : "" },
            card,
            `${right ? "✓ Right" : "✗ Not yet"}: you answered ${
                ended(saidAnswer(asked, given))
            } ${says}`,
        );}
    if (solution) make("p", {}, card, solution);
    press(make("p", { class: "ab-room-ways" }, card), "Close", () => {
        room.read = asked.number;
        told();
    });
}
