// What a lecturer has besides: the screen by which a class comes in, the end of a vote, and all
// results.

import { download, make, press } from "../board/dom.js";
import { drawCode } from "../browser/code.js";
import { copied } from "../browser/copying.js";
import { classLink, doIt, openCard, room, say, told } from "./line.js";

// ---------- coming in ----------

// What a projector shows while a class comes in: the code as large as it goes, the address and the
// letters to type.
export function drawScreen(card) {
    const shown = (room.address || `${window.attentionAddress.root()}/`).replace(/^https?:\/\//, "")
        .replace(/\/$/, "");
    const both = make("div", { class: "ab-join" }, card), text = make("div", {}, both);
    if (room.picture) drawCode(both, room.picture, "A QR code of the link");
    make("h2", {}, text, "Scan, or open");
    make("p", { class: "ab-join-address" }, text, shown);
    make("h2", {}, text, "and type");
    make("p", { class: "ab-room-letters" }, text, room.code);
    make(
        "p",
        { class: "ab-join-here" },
        text,
        room.followers === 1 ? "1 is here" : `${room.followers} are here`,
    );
    const ways = make("p", { class: "ab-room-ways" }, text),
        said = make("span", { role: "status" });
    press(ways, "Close", closeScreen, {
        class: "ab-room-main",
        title: "Esc; the next step closes it, too",
    });
    press(ways, "Copy the link", async () => {
        said.textContent = await copied(classLink(), () => {});
    });
    ways.append(said);
    const small = make("div", { class: "ab-room-small" }, text);
    make("p", {}, small, `${room.found} ${room.note}`);
    make(
        "p",
        {},
        small,
        "Whoever comes in sees this page as you see it. Nothing is kept of who follows: no names, no addresses." +
            (room.alone ? " The class lives in the memory of one server, and ends with it." : ""),
    );
}

const closeScreen = () => {
    room.opened = false;
    told();
};

// It is in nobody's way: Esc closes it, and whatever its lecturer does next.
export function beginScreen() {
    const away = () => room.opened && closeScreen();
    window.addEventListener("attention-acted", away);
    window.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || !room.opened) return;
        event.preventDefault();
        away();
    }, true);
}

// ---------- the end of a vote ----------

// Closing the vote shows nothing: it only ends it. Where it was pressed stands what does nothing.
export function drawClosing(card) {
    const { closed, shown } = room.asked;
    if (shown) return;
    const row = make("p", { class: "ab-room-ways ab-closing" }, card);
    if (closed) make("span", { role: "status" }, row, "Voting is closed.");
    press(
        row,
        closed ? "Open it again" : "Close the vote",
        () => doIt({ do: "close", closed: !closed }),
    );
}

// ---------- all results ----------

export const hasResults = () => room.questions > (room.asked && !room.asked.shown ? 1 : 0);

export function showResults() {
    openCard("showing");
    room.results = null;
    if (room.showing) say({ do: "results" });
    told();
}

// The results come later than the press: they are saved when they are there.
export function saveResults() {
    Object.assign(room, { saving: true, results: null });
    say({ do: "results" });
}

const saveCsv = (name, csv) =>
    download(`class-${name}.csv`, new Blob(["\ufeff", csv], { type: "text/csv" }));

export const saveTable = ({ number, csv }) => saveCsv(`${room.code}-${number}`, csv);
export const saveTableOfAll = () => saveCsv(room.code, room.results.csv);

export function drawResults(card) {
    make("h2", {}, card, "The class's results");
    const all = room.results?.results;
    if (!all) return void make("p", {}, card, "A moment …");
    if (!all.length) {
        make(
            "p",
            {},
            card,
            "None yet: a question stands here once its answer was shown, or it was put away with answers.",
        );
    } else drawResultsTable(card, all);
    const ways = make("p", { class: "ab-room-ways" }, card);
    if (all.length) press(ways, "Save all as CSV", saveTableOfAll, { class: "ab-room-main" });
    press(ways, "Close", () => {
        room.showing = false;
        told();
    });
    if (all.length) {
        make("p", { class: "ab-room-small" }, card, "They are kept until the class ends.");
    }
}

function drawResultsTable(card, all) {
    const table = make(
        "table",
        { class: "ab-room-result ab-results" },
        make("div", { class: "ab-results-scroll" }, card),
    );
    const head = make("tr", {}, make("thead", {}, table));
    for (const name of ["", "Question", "Answers", "How it went"]) {
        make("th", { scope: "col" }, head, name);
    }
    const body = make("tbody", {}, table);
    for (const result of all) {
        const row = make("tr", {}, body), { number, of, rows } = result;
        const right = rows.filter((group) => group.right)
            .reduce((sum, group) => sum + group.counts.at(-1), 0);
        make("td", {}, row, String(number));
        const asks = make("th", { scope: "row" }, row);
        make("bdi", {}, asks, result.asks.split("\n").at(-1));
        make("small", {}, asks, result.place);
        make("td", {}, row, String(of));
        const bars = make("div", {}, make("td", { class: "ab-room-bars" }, row));
        make("i", { style: `width:${of ? (60 * right) / of : 0}%` }, bars);
        make("span", {}, bars, `${right} right`);
    }
}
