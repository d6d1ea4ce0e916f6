// What is seen of a class: a bar at the foot of the window, and over it a card with what the class
// is asked, with the letters to join by, or with what can be asked.

import { make, press } from "../board/dom.js";
import { focusAgain, focusedIn } from "../browser/keeping.js";
import { drawLines } from "../frame/questions/ask.js";
import { drawResult } from "../frame/questions/told.js";
import {
    beginScreen,
    drawClosing,
    drawResults,
    drawScreen,
    hasResults,
    saveResults,
    saveTable,
    saveTableOfAll,
    showResults,
} from "./leading.js";
import {
    comeBack,
    doIt,
    endClass,
    goOn,
    inNotes,
    join,
    leaveClass,
    letGo,
    openCard,
    room,
    say,
    told,
} from "./line.js";
import { chooseQuestion, drawAnswer, drawLost, drawOffers, ended, VEILED } from "./question.js";
import { APP } from "../browser/streamlit_page.js";

function drawClassBar(parent) {
    const { state, code, why, leads, loose, place, followers } = room;
    const name = make("strong", {}, parent, code ? `Class ${code}` : "Class");
    if (state === "over") {
        make("span", { role: "status" }, parent, why);
        return void press(parent, "Close", leaveClass);
    }
    if (state === "away") {
        make(
            "span",
            { role: "status" },
            parent,
            why || (room.id ? "The line is lost: trying again …" : "Looking for it …"),
        );
        return void press(parent, "Leave", leaveClass);
    }
    if (leads) {
        name.remove();
        press(parent, `Class ${code}`, () => {
            openCard("opened");
            told();
        }, { "aria-expanded": String(room.opened), title: "The letters, the code and the link" });
        pressIf(!room.asked, parent, "Ask the class", chooseQuestion, {
            "aria-expanded": String(room.asking),
        });
        pressIf(hasResults(), parent, "Results", showResults, {
            "aria-expanded": String(room.showing),
            title: "All questions of this class, as one table",
        });
        press(parent, "End the class", () => {
            room.ending ||= "sure";
            told();
        });
        make(
            "span",
            { role: "status" },
            parent,
            followers === 1 ? "1 follows" : `${followers} follow`,
        );
        if (why) make("span", { role: "status" }, parent, why);
        if (room.before && !room.asked) {
            press(parent, "Undo", undo, {
                title: "The question that was put away, with its votes",
            });
        }
        return;
    }
    press(
        parent,
        loose ? "Come back" : "Look around",
        loose ? comeBack : letGo,
        loose ? { class: "ab-room-main" } : {},
    );
    press(parent, "Leave", leaveClass);
    make(
        "span",
        { role: "status" },
        parent,
        loose
            ? `You look around by yourself. ${ended(`The class is at ${place}`)}`
            : "You go with the class.",
    );
}

// A button that keeps its place, and the focus, where there is nothing for it to do.
const pressIf = (may, parent, text, act, attributes = {}) =>
    press(
        parent,
        text,
        may ? act : () => {},
        may ? attributes : { ...attributes, "aria-disabled": "true" },
    );

const undo = () =>
    doIt({ do: "undo", vote: room.asked?.vote ?? "", shown: Boolean(room.asked?.shown) });

// Whoever heard the letters types them.
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
    make("button", { type: "submit", class: "ab-room-main" }, form, "Join");
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (field.value.trim()) join(field.value.trim().toUpperCase());
    });
    press(form, "Close", () => {
        room.joining = false;
        told();
    });
    field.focus();
}

function drawEnding(card) {
    if (room.ending === "soon") {
        make("h2", { role: "status" }, card, "The class ends in five seconds.");
        return void press(make("p", { class: "ab-room-ways" }, card), "Undo", goOn);
    }
    make("h2", {}, card, "End the class for all?");
    make(
        "p",
        {},
        card,
        "Everybody stays where they are. Votes are forgotten: save what you want to keep first.",
    );
    const ways = make("p", { class: "ab-room-ways" }, card);
    if (hasResults()) press(ways, "Save the results", saveResults);
    press(ways, "End it", endClass, { class: "ab-room-main" });
    press(ways, "Go on", goOn);
}

// Where a slip's number stands is a place that the lecturer may take the class to.
function goTo({ path, fields }) {
    window.attentionAddress.act(
        Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)])),
        path,
    );
}

// What the lecturer sees of a question: how many have answered and, in the notes or once the answer
// is shown, how.
function drawAsked(card) {
    const { asked, result, followers } = room, notes = inNotes();
    const count = room.answers[asked.vote] ?? 0;
    drawLines(card, asked.asks);
    if (asked.kind === "choice" && !(result && (asked.shown || notes))) {
        const list = make("ul", { class: "ab-room-options" }, card);
        for (const option of asked.options) make("li", {}, list, option);
    }
    const sure = (what) => {
        room.sure = what;
        told();
    };
    if (!asked.shown) {
        make(
            "p",
            { role: "status", class: "ab-room-count" },
            card,
            `${count} of ${Math.max(count, followers)} ${
                asked.votes > 1 ? "in the second vote" : "have answered"
            }`,
        );
    }
    if (notes && !asked.shown) {
        make("p", { class: "ab-room-small" }, card, "Only you see this, beside your notes:");
    }
    if (result?.number === asked.number && (asked.shown || notes)) drawResult(card, result, goTo);
    const ways = make("p", { class: "ab-room-ways ab-room-slots" }, card);
    for (const [text, may, act, more] of waysOf(asked, room.sure, count, sure)) {
        pressIf(may, ways, text, act, { class: `ab-room-slot ${more ?? ""}` });
    }
    if (room.sure) make("p", { role: "status" }, card, SURE[room.sure]);
    drawClosing(card);
    if (!asked.shown) make("p", { class: "ab-room-small" }, card, VEILED);
    if (asked.shown && result?.csv) {
        press(
            make("p", { class: "ab-room-ways" }, card),
            "Save as CSV",
            () => saveTable(result),
        );
    }
}

const SURE = {
    again:
        "Vote again? All answer anew, after they have talked it over. The second vote stands beside the first.",
    away: "Put the question away? Its votes are kept until something else is asked.",
};

// Four buttons, each always in its place. What ends a vote or a question is asked for once more,
// elsewhere: where it was pressed stands what does nothing, so that a double press does nothing.
// Each is [text, whether there is something to do, what, its looks].
export function waysOf({ shown, votes }, sure, count, ask) {
    const yes = (text, act) => [text, true, () => doIt({ do: act }), "ab-room-main"],
        no = ["No, go on", true, () => ask("")];
    const again = ["Vote again", !shown && votes === 1 && !sure, () => ask("again")],
        done = ["Done", !sure, () => ask("away")];
    return [
        sure === "again"
            ? yes("Yes, vote again", "again")
            : sure === "away"
            ? yes("Yes, put it away", "away")
            : ["Show the answer", !shown, () => doIt({ do: "show" }), shown ? "" : "ab-room-main"],
        sure === "again" ? no : again,
        sure === "away" ? no : done,
        ["Undo", !sure && (shown || (votes > 1 && !count)), undo],
    ];
}

// Which card there is, what it is drawn of (it is drawn anew only where that is another), and what
// is said of it on one line.
/** @returns {[(card: HTMLElement) => void, any, string?] | null} */
function cardNow() {
    if (room.joining) return [drawLetters, ""];
    if (room.state !== "there" && !(room.state === "away" && room.id)) return null;
    /** @type {any} */
    const { asked, leads, mine, offers, result } = room,
        line = asked?.asks.split("\n").at(-1),
        count = room.answers[asked?.vote] ?? 0;
    if (leads && room.ending) return [drawEnding, room.ending];
    if (leads && room.opened) {
        return [drawScreen, [room.code, room.alone, room.note, room.followers]];
    }
    if (leads && room.showing) return [drawResults, room.results];
    if (leads && room.asking) return [drawOffers, offers, "What do you ask the class?"];
    if (room.lost) return [drawLost, room.lost];
    if (asked && leads) {
        return [
            drawAsked,
            [asked, result, count, room.followers, inNotes(), room.sure],
            asked.shown ? line : `${count} answered: ${line}`,
        ];
    }
    return asked && !(asked.shown && room.read === asked.number)
        ? [drawAnswer, [asked, mine.vote === asked.vote ? mine : null], line]
        : null;
}

// A card that hides what is spoken of folds to one line, and back. Another question, and its
// answer, unfold it.
function drawCard(card, [draw, , line = ""], folds) {
    if (line) {
        const { folded } = room, isFolded = folded === folds;
        press(card, isFolded ? "Open" : "Fold", () => {
            room.folded = isFolded ? "" : folds;
            told();
        }, { class: "ab-room-fold", "aria-expanded": String(!isFolded) });
        if (isFolded) return void make("p", { class: "ab-room-line" }, card, line);
    }
    draw(card);
}

export function beginRoomBar() {
    let place = null, bar = null, card = null;
    const drawn = {};
    const part = (name, now, draw) => {
        const says = JSON.stringify(now) ?? "", element = name === "bar" ? bar : card;
        if (drawn[name] === says) return;
        drawn[name] = says;
        const had = focusedIn(element), keys = had || element === document.activeElement;
        element.replaceChildren();
        element.hidden = now === null;
        if (now !== null) draw(element);
        if (had) focusAgain(element, had);
        if (keys && !element.contains(document.activeElement)) {
            (element.hidden ? bar.querySelector("button") : element)?.focus({
                preventScroll: true,
            });
        }
    };
    const show = () => {
        if (!place && room.state === "none" && !room.joining) return;
        if (!place) {
            place = make("section", { class: "ab-room", "aria-label": "Class" }, document.body);
            card = make("div", { class: "ab-room-card", tabindex: -1 }, place);
            bar = make("div", { class: "ab-room-bar" }, place);
            new ResizeObserver(() =>
                document.documentElement.style.setProperty(
                    "--ab-room-high",
                    `${place.offsetHeight}px`,
                )
            ).observe(place); // the page makes room
        }
        const { fontFamily, backgroundColor } = getComputedStyle(document.querySelector(APP));
        place.style.fontFamily = fontFamily;
        place.style.setProperty("--ab-ground", backgroundColor);
        document.documentElement.toggleAttribute("data-room", room.state !== "none");
        const {
            state,
            code,
            why,
            id,
            leads,
            loose,
            place: where,
            followers,
            asked,
            before,
            opened,
            asking,
            showing,
        } = room;
        part(
            "bar",
            state === "none" ? null : [
                state,
                code,
                why,
                id,
                leads,
                loose,
                where,
                followers,
                Boolean(asked),
                before,
                opened,
                asking,
                hasResults(),
                showing,
            ],
            drawClassBar,
        );
        const now = cardNow(),
            folds = now && [now[0].name, asked?.vote, asked?.shown].join(),
            isFolded = Boolean(now?.[2]) && room.folded === folds;
        // it is not of the page, and may lie over it
        const isOver = now && ![drawAsked, drawAnswer, drawLost].includes(now[0]);
        document.documentElement.dataset.card = now
            ? (isFolded ? "folded" : isOver ? "over" : "open")
            : "none";
        place.toggleAttribute("data-leads", room.leads);
        place.toggleAttribute("data-screen", now?.[0] === drawScreen);
        part(
            "card",
            now && [now[0].name, now[1], isFolded ? now[2] : ""],
            (element) => drawCard(element, now, folds),
        );
        if (room.saving && room.results) {
            room.saving = false;
            saveTableOfAll();
        }
    };
    let later = null; // the distribution beside the speaker's notes: once a second at most
    const keepUp = () => {
        if (!room.leads || !room.asked || room.asked.shown || !inNotes()) return;
        const count = room.answers[room.asked.vote] ?? 0;
        if (later || count === (room.result?.tallies.at(-1)?.of ?? 0)) return;
        later = setTimeout(() => {
            later = null;
            say({ do: "result" });
        }, 1000);
    };
    beginScreen();
    window.addEventListener("attention-room", () => {
        show();
        keepUp();
    });
}
