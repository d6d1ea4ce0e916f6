// This window's connection to its class. The address names it (`room=KQZT-3f9a…`, or the letters
// alone); the server sends the lecturer's place and question, and this window moves there through
// the address. Whoever has the room's key leads; the key is stored only in this browser. `room`
// holds what this window knows; "attention-room" notifies the parts that draw it.

import { address } from "../../../../core/board/web/address.js";
import { download } from "../../../../core/board/web/dom.js";
import { readStored, store } from "../base/storage.js";
import { CLOSES_SIDEBAR } from "../../../../core/board/web/streamlit_page.js";

const KEYS = "attention-rooms";
const WHO = "attention-who";
// the server sends something every 1.5 seconds: after this silence the connection is dead
const SILENT = 4000;
const SLOW = 20000; // until a slow line has opened
const PATIENT = 120000; // how long a member waits for an absent class
const FOLLOWS = 250; // milliseconds between two steps, at least
const LEADS = 100;

// The state without a class. Questions, answers and the open card end with the class.
const makeEmptyState = () => ({
    state: "none", // or "away", "there", "over"
    why: "",
    code: "",
    id: "",
    born: "",
    looks: false, // whether the question is still unknown
    leads: false,
    loose: false,
    page: "",
    link: "",
    place: "",
    asked: null,
    finished: 0,
    mine: {}, // the own answer, and the reply to it
    read: 0, // the number of the question whose answer was read
    card: "", // the open card: "letters", "door", "offers", "ending"
    followers: 0, // from here on for lecturers
    answers: 0,
    door: null,
    offers: null,
    result: null,
});
export const room = makeEmptyState();
const line = {
    socket: null,
    welcome: false, // whether the server has described the class on this connection
    heard: 0,
    wait: 500,
    timer: null,
    since: 0,
    begins: "",
    known: "",
    led: "",
    goes: false,
    acts: 0,
    undone: null,
    of: "",
};

export const notifyRoom = () => window.dispatchEvent(new Event("attention-room"));

// At most one card is open.
export function openCard(name) {
    room.card = room.card === name ? "" : name;
    notifyRoom();
}
export function closeCard() {
    room.card = "";
    notifyRoom();
}

const makeRandomId = () =>
    [...crypto.getRandomValues(new Uint8Array(16))].map((byte) =>
        byte.toString(16).padStart(2, "0")
    ).join("");

// The keys of rooms started in this browser; those older than a day are dropped.
const readKeys = () =>
    Object.fromEntries(
        Object.entries(readStored(KEYS, {})).filter(([, { at }]) => Date.now() - at < 86400000),
    );
// Keeps a room's key, and with it the finished votes by number, should the server lose them; returns
// these.
function keepKey(code, key, id, born, more = {}) {
    const keys = readKeys(),
        kept = keys[code]?.id === id ? keys[code].votes : {},
        votes = { ...kept, ...more };
    store(KEYS, { ...keys, [code]: { key, id, born, at: Date.now(), votes } });
    return votes;
}
function dropKey(code) {
    store(KEYS, Object.fromEntries(Object.entries(readKeys()).filter(([other]) => other !== code)));
}

// A random id that separates this browser's answers from others' in one class.
function getVisitorId() {
    const kept = readStored(WHO, null);
    if (kept?.code === room.code) return kept.who;
    const drawn = makeRandomId();
    store(WHO, { code: room.code, who: drawn });
    return drawn;
}

// A class in a link: its letters, and an id in case they are reused.
const writeRoom = () => `${room.code}-${room.id}`;
const getRoot = () => `${address.root()}/`;
export const writeClassLink = () => `${room.door?.address ?? getRoot()}?room=${writeRoom()}`;

export const say = (message) =>
    line.socket?.readyState === WebSocket.OPEN && line.socket.send(JSON.stringify(message));

// Sends an act; if the connection breaks, it is sent again on the next one while the question is
// the same.
export function sendAct(message) {
    line.acts += 1;
    line.undone = { ...message, act: line.acts };
    line.of = JSON.stringify(room.asked);
    room.why = "";
    say(line.undone);
    notifyRoom();
}

function connect() {
    clearTimeout(line.timer);
    const kept = readKeys()[room.code],
        key = line.begins || kept?.key,
        mine = new WebSocket(`${getRoot().replace(/^http/, "ws")}room`);
    Object.assign(line, { socket: mine, heard: Date.now(), welcome: false });
    mine.onopen = () =>
        say({
            do: "come",
            who: getVisitorId(),
            known: room.id || line.known || kept?.id || "",
            ...address.here(),
            address: getRoot(),
            ...(room.code ? { code: room.code } : {}),
            ...(key ? { key } : {}),
        });
    mine.onmessage = ({ data }) => {
        if (mine !== line.socket) return;
        line.heard = Date.now();
        const message = JSON.parse(data);
        HEARD[message.is]?.(message, key);
        notifyRoom();
    };
    mine.onclose = () => {
        if (mine === line.socket) reconnect();
    };
}

// The connection broke, or the class is absent: retry with growing intervals.
function reconnect() {
    line.socket = null;
    if (room.state === "over" || room.state === "none") return;
    if (room.state === "there") line.since = Date.now();
    Object.assign(room, { state: "away", looks: false });
    line.timer = setTimeout(connect, line.wait * (0.5 + Math.random()));
    line.wait = Math.min(2 * line.wait, 5000);
    notifyRoom();
}

function hangUp(state = "none", why = "") {
    const mine = line.socket;
    clearTimeout(line.timer);
    Object.assign(line, { socket: null, wait: 500, since: 0, begins: "", led: "", undone: null });
    mine?.close();
    Object.assign(room, makeEmptyState(), { state, why, code: state === "over" ? room.code : "" });
    notifyRoom();
}

// ---------- the place of the class ----------

// Calls `act` at most once per interval; the last call always runs.
function throttle(milliseconds, act) {
    let timer = null, last = 0;
    return () => {
        clearTimeout(timer);
        timer = setTimeout(() => {
            last = Date.now();
            act();
        }, Math.max(0, last + milliseconds - Date.now()));
    };
}

// The class's link; a window with the speaker's notes keeps them.
function classPlace() {
    const parameters = new URLSearchParams(room.link);
    const here = new URLSearchParams(address.here().link);
    if (room.leads && here.get("notes") === "on") {
        parameters.set("notes", "on");
        parameters.delete("lecture");
    }
    return parameters.toString();
}

const follow = throttle(FOLLOWS, () => {
    if (room.state !== "there" || room.loose) return;
    line.goes = true; // not this window's own step
    address.follow(room.page, classPlace());
    line.goes = false;
});

const tellPlace = throttle(LEADS, () => {
    if (room.state === "there" && room.leads) say({ do: "at", ...address.here() });
});
function startLeading() {
    const now = JSON.stringify(address.here());
    if (!line.goes && now !== line.led) tellPlace();
    line.led = now;
}

export function stopLeading() {
    if (room.state === "there" && !room.leads && !room.loose) {
        room.loose = true;
        notifyRoom();
    }
}
export function followAgain() {
    room.loose = false;
    notifyRoom();
    follow();
}

// ---------- messages ----------

const HEARD = {
    room(message, key) {
        const { code, id, born, leads, page, link, asked, finished } = message,
            { asked: was, id: known, finished: had } = room,
            moved = page !== room.page || link !== room.link,
            same = JSON.stringify(asked) === line.of;
        if (known && id !== known && !leads) {
            return hangUp("over", "Another class has these letters now.");
        }
        // a window that was loaded again knows from the browser's store what it led
        const before = known ? room.born : leads && readKeys()[code]?.born;
        const why = before && born !== before
            ? "The server began anew: if a question was open, its votes are gone."
            : finished > had && !was && !asked // results are put back
            ? room.why
            : "";
        Object.assign(room, message, { state: "there", looks: false, why });
        if (asked?.number !== was?.number) Object.assign(room, { answers: 0, result: null });
        if (line.undone && !same) line.undone = null;
        if (asked?.shown && !was?.shown) say({ do: leads ? "result" : "mine" });
        if (leads && finished > had) say({ do: "votes" });
        if (!line.welcome) {
            if (line.undone) say(line.undone);
            if (leads) {
                const votes = Object.entries(keepKey(code, key, id, born));
                if (votes.length > finished) {
                    for (const [number, vote] of votes) {
                        say({ do: "restore", number: Number(number), ...vote });
                    }
                }
            }
            address.enter(writeRoom());
            // the lecturer's window knows best where the class is
            if (leads && (line.begins || known)) tellPlace();
            else follow();
            Object.assign(line, { welcome: true, wait: 500, since: 0, begins: "" });
        } else if (moved && !leads) follow();
    },
    door(message) {
        room.door = message;
    },
    followers({ followers }) {
        room.followers = followers;
    },
    answers({ answers }) {
        room.answers = answers;
    },
    offers({ offers }) {
        room.offers = offers;
    },
    result(message) {
        room.result = message;
    },
    results({ csv }) {
        const table = new Blob(["\ufeff", csv], { type: "text/csv" });
        download(`class-${room.code}.csv`, table);
    },
    votes({ votes }, key) {
        keepKey(room.code, key, room.id, room.born, votes);
    },
    mine(message) {
        if (message.act && message.act !== line.acts) return; // a later one is pending
        if (message.act) line.undone = null;
        room.mine = { ...message, typed: message.says && room.mine.typed };
    },
    end() {
        dropKey(room.code);
        hangUp("over", "The class is over. What you set up stays as it is.");
    },
    no({ why, again: later }) {
        room.why = why;
        if (room.state === "there") line.undone = null;
        // a link with the class's id: it was there, and may be again
        const isKnown = room.id || line.known;
        const waits = later || (isKnown && Date.now() - (line.since || Date.now()) < PATIENT);
        if (waits && room.state !== "there") room.why = "";
        const gone = isKnown && !later ? "The class has not come back: it may have ended." : why;
        if (room.state !== "there" && !waits) hangUp("over", gone);
    },
};

// ---------- joining and leaving ----------

function beginClass() {
    if (room.state === "there" || room.state === "away") return;
    Object.assign(room, makeEmptyState(), { state: "away", card: "door" });
    line.begins = makeRandomId();
    connect();
}

function askForLetters() {
    if (room.state === "there") return;
    Object.assign(room, makeEmptyState(), { card: "letters" });
    notifyRoom();
}
export function join(letters) {
    const wanted = letters.trim().toUpperCase();
    if (!wanted) return;
    address.enter(wanted);
    closeCard();
    joinFromAddress();
}
export function leaveClass() {
    address.enter(null);
    hangUp();
}

// Joins the class in the address, at the start and after Back.
function joinFromAddress() {
    const [letters, known = ""] = (address.room() ?? "").trim().split("-"),
        wanted = letters.toUpperCase();
    if (wanted === room.code || line.begins) return;
    if (!wanted) return void (room.code && room.state !== "over" && hangUp());
    hangUp();
    Object.assign(room, { state: "away", code: wanted, looks: true });
    Object.assign(line, { since: Date.now(), known: known.toLowerCase() });
    notifyRoom();
    connect();
}

function dropSocket() {
    const dead = line.socket;
    reconnect();
    dead.close();
}

// The window's heartbeat (connection.js) finds a dead line, and the end of a sleep.
/** @param {any} event */
function check({ detail: { isDead, isBack } }) {
    const silence = Date.now() - line.heard;
    if (line.socket) {
        if (line.welcome ? isDead || silence > SILENT : silence > SLOW) dropSocket();
    } else if (isBack && room.state === "away" && line.wait > 1000) connect();
}

export function beginRooms() {
    window.addEventListener("attention-moved", () => {
        joinFromAddress();
        startLeading();
    });
    window.addEventListener("attention-acted", stopLeading);
    window.addEventListener("attention-heartbeat", check);
    window.addEventListener("click", (event) => { // before navigation.js handles the link
        const act = {
            begin: beginClass,
            join: askForLetters,
        }[event.target.closest?.("[data-class]")?.dataset.class];
        if (!act) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        if (matchMedia("(max-width: 640px)").matches) {
            // a sheet over the page
            /** @type {HTMLElement | null} */ (document.querySelector(CLOSES_SIDEBAR))?.click();
        }
        act();
    }, true);
    if (window.attentionReady) joinFromAddress();
    else window.addEventListener("attention-ready", joinFromAddress, { once: true });
}
