// This window's line to its class. The address says which (`room=KQZT-3f9a…`, or the letters
// alone); the server says where the lecturer is and what is asked, and this window goes there as
// its reader would, by the address. Who has the room's key leads: it is kept in this browser and
// nowhere else. What this window knows of the class is in `room`; "attention-room" tells the parts
// that draw it.

import { remember, remembered } from "../browser/remembered.js";
import { CLOSES_SIDEBAR } from "../browser/streamlit_page.js";

const KEYS = "attention-rooms";
const WHO = "attention-who";
const DRAFT = "attention-draft";
// the server is heard every ten seconds: after so long without, the line is dead
const SILENT = 25000;
const PATIENT = 120000; // how long one who was there waits for a class that is away
const FOLLOWS = 250; // at most one step in so many milliseconds
const LEADS = 60;
const ENDS = 5000; // so long the end of a class can be taken back

// In no class. What is asked and answered, and which card is open, goes with a class.
const nobody = () => ({
    state: "none",
    why: "",
    code: "",
    id: "",
    born: "",
    looks: false,
    alone: false,
    picture: null,
    note: "",
    leads: false,
    loose: false,
    followers: 0,
    page: "",
    link: "",
    place: "",
    asked: null,
    before: false,
    lost: null,
    answers: {},
    mine: {},
    read: 0,
    offers: null,
    result: null,
    joining: false,
    opened: false,
    asking: false,
    ending: "",
    sure: "",
    folded: "",
    address: "",
    found: "",
    questions: 0,
    results: null,
    showing: false,
    saving: false,
});
export const room = nobody();
const line = {
    socket: null,
    heard: 0,
    wait: 500,
    timer: null,
    since: 0,
    begins: "",
    secret: "",
    ends: 0,
    followed: 0,
    led: "",
    goes: false,
    undone: [],
    last: null,
};

export const told = () => window.dispatchEvent(new Event("attention-room"));

// Of the cards that a lecturer opens one is open at most.
export const openCard = (name) =>
    Object.assign(room, {
        opened: false,
        asking: false,
        showing: false,
        [name]: !room[name],
    });

const random = () =>
    [...crypto.getRandomValues(new Uint8Array(16))].map((byte) =>
        byte.toString(16).padStart(2, "0")
    ).join("");

// The keys of the rooms that were begun in this browser; those of yesterday go.
const keys = () =>
    Object.fromEntries(
        Object.entries(remembered(KEYS, {})).filter(([, { at }]) => Date.now() - at < 86400000),
    );
function keepKey(code, key, id) {
    remember(KEYS, { ...keys(), [code]: { key, id, at: Date.now() } });
}
function dropKey(code) {
    remember(KEYS, Object.fromEntries(Object.entries(keys()).filter(([other]) => other !== code)));
}

// What tells this browser's answers from others' in one class: the class gives it, and nobody else
// knows it.
const who = () => {
    const kept = remembered(WHO, null);
    return kept?.code === room.code ? kept.who : "";
};

// What a link has of a class: its letters, and what tells it from another that has had them.
const inLink = () => `${room.code}-${room.id}`;
export const classLink = () =>
    `${room.address || `${window.attentionAddress.root()}/`}?room=${inLink()}`;

// What is typed and not yet sent outlives the line, the server and a reload.
export const draftOf = (vote) => {
    const kept = remembered(DRAFT, null);
    return kept?.of === `${room.id} ${vote}` ? kept.text : "";
};
export const keepDraft = (vote, text) => remember(DRAFT, { of: `${room.id} ${vote}`, text });

export const say = (message) =>
    line.socket?.readyState === WebSocket.OPEN && line.socket.send(JSON.stringify(message));

// What its reader does is not lost with a line that breaks: it is done again on the next one, as
// long as it still means the same.
export function doIt(message) {
    line.undone.push({ message, asked: JSON.stringify(room.asked) });
    line.last = message;
    room.why = "";
    say(message);
    told();
}
const meansTheSame = ({ message, asked }) =>
    asked === JSON.stringify(room.asked) ||
    (message.do === "answer" && message.vote === room.asked?.vote && !room.asked.shown);

function connect() {
    clearTimeout(line.timer);
    const { page, link } = window.attentionAddress.here();
    const kept = keys()[room.code],
        key = line.begins || kept?.key,
        mine = new WebSocket(`${window.attentionAddress.root().replace(/^http/, "ws")}/room`);
    line.socket = mine;
    line.heard = Date.now();
    mine.onopen = () => {
        const come = {
            do: "come",
            who: who(),
            known: room.id || line.secret || (kept?.id ?? ""),
            page,
            link,
            address: `${window.attentionAddress.root()}/`,
        };
        if (room.code) come.room = room.code;
        if (key) come.key = key;
        say(come);
    };
    mine.onmessage = ({ data }) => {
        if (mine === line.socket) {
            line.heard = Date.now();
            hear(JSON.parse(data), key);
        }
    };
    mine.onclose = () => {
        if (mine === line.socket) again();
    };
}

// The line broke, or the class is away: try again, more and more seldom.
function again() {
    line.socket = null;
    if (room.state === "over" || room.state === "none") return;
    if (room.state === "there") line.since = Date.now();
    Object.assign(room, { state: "away", looks: false });
    line.timer = setTimeout(connect, line.wait * (0.5 + Math.random()));
    line.wait = Math.min(2 * line.wait, 5000);
    told();
}

function hangUp(state = "none", why = "") {
    const mine = line.socket;
    line.socket = null;
    clearTimeout(line.timer);
    clearTimeout(line.ends);
    mine?.close();
    Object.assign(room, nobody(), { state, why, code: state === "over" ? room.code : "" });
    Object.assign(line, { wait: 500, since: 0, begins: "", led: "", undone: [] });
    told();
}

// ---------- where the class is ----------

// As the class has it; a window with the speaker's notes keeps them.
export const inNotes = () =>
    new URLSearchParams(window.attentionAddress.here().link).get("notes") === "on";
function classPlace() {
    const parameters = new URLSearchParams(room.link);
    if (room.leads && inNotes()) {
        parameters.set("notes", "on");
        parameters.delete("lecture");
    }
    return parameters.toString();
}

function follow() {
    clearTimeout(line.going);
    const early = line.followed + FOLLOWS - Date.now();
    if (early > 0) {
        line.going = setTimeout(follow, early);
        return;
    }
    if (room.state !== "there" || room.loose) return;
    line.followed = Date.now();
    line.goes = true; // it is no step of this window's
    window.attentionAddress.follow(room.page, classPlace());
    line.goes = false;
}

function lead() {
    clearTimeout(line.going);
    const here = window.attentionAddress.here(), now = JSON.stringify(here);
    if (line.goes) line.led = now;
    if (room.state !== "there" || !room.leads || now === line.led) return;
    const early = line.followed + LEADS - Date.now();
    if (early > 0) {
        line.going = setTimeout(lead, early);
        return;
    }
    Object.assign(line, { followed: Date.now(), led: now });
    say({ do: "at", ...here });
}

export function letGo() {
    if (room.state === "there" && !room.leads && !room.loose) {
        room.loose = true;
        told();
    }
}
export function comeBack() {
    room.loose = false;
    told();
    follow();
}

// ---------- what is heard ----------

function hear(message, key) {
    if (message.is in HEARD) HEARD[message.is](message, key);
    told();
}

const HEARD = {
    room(message, key) {
        const {
            room: code,
            id,
            born,
            leads,
            followers = 0,
            page,
            link,
            place,
            asked,
            before,
            alone,
            picture,
            note,
        } = message;
        const { address = "", found = "", questions = 0 } = message;
        const fresh = room.id === "",
            began = fresh && Boolean(line.begins) || (leads && id !== room.id && !fresh);
        if (!fresh && id !== room.id && !leads) {
            return hangUp("over", "Another class has these letters now.");
        }
        if (asked) room.lost = null;
        // the server or its Redis began anew: they have it no more
        else if (!fresh && born !== room.born) room.lost = room.asked ?? room.lost;
        Object.assign(room, {
            state: "there",
            code,
            id,
            born,
            leads,
            followers,
            page,
            link,
            place,
            asked,
            before,
            alone,
            picture,
            note,
            why: "",
            looks: false,
        });
        Object.assign(room, { address, found, questions });
        Object.assign(line, { wait: 500, since: 0, begins: "" });
        if (leads) keepKey(code, key, id);
        window.attentionAddress.enter(inLink());
        if (leads && (began || !fresh)) {
            line.led = "";
            lead();
        } // its lecturer knows best where the class is
        else follow();
        if (leads && asked) say({ do: "result" });
        line.undone = line.undone.filter(meansTheSame);
        for (const { message: act } of line.undone) say(act);
    },
    at({ page, link, place }) {
        Object.assign(room, { page, link, place });
        if (!room.leads) follow();
    },
    asked({ asked, before, questions = 0 }) {
        const was = room.asked;
        line.undone = [];
        Object.assign(room, {
            asked,
            before,
            questions,
            sure: "",
            lost: asked ? null : room.lost,
            result: asked && asked.number === was?.number ? room.result : null,
        });
        if (room.leads && asked?.shown) say({ do: "result" });
        else if (!room.leads && asked?.shown && !was?.shown) say({ do: "verdict" });
    },
    name({ who: given }) {
        remember(WHO, { code: room.code, who: given });
    },
    followers({ followers }) {
        room.followers = followers;
    },
    count({ vote, answers }) {
        room.answers[vote] = answers;
    },
    result(message) {
        room.result = message;
        for (const [k, tally] of message.tallies.entries()) {
            room.answers[`${message.number}.${k + 1}`] = tally.of;
        }
    },
    offers({ offers }) {
        room.offers = offers;
    },
    results(message) {
        room.results = message;
    },
    answered(message) {
        const [mine] = line.undone.splice(0, 1); // each reply is to the first that has none
        if (line.undone.length) return; // a later answer is on its way, and counts
        if (message.later && mine) {
            setTimeout(() =>
                room.asked?.vote === message.vote && line.last === mine.message &&
                doIt(mine.message), 1100);
        } else room.mine = message;
    },
    verdict(message) {
        room.mine = { counted: true, ...message };
    },
    end() {
        dropKey(room.code);
        hangUp("over", "The class is over. What you set up stays as it is.");
    },
    no({ why, again: later }) {
        room.why = why;
        if (room.state === "there") line.undone = [];
        const waits = later || (room.id && Date.now() - (line.since || Date.now()) < PATIENT);
        if (room.state !== "there" && !waits) hangUp("over", why);
    },
};

// ---------- coming and going ----------

function beginClass() {
    if (room.state === "there" || room.state === "away") return;
    Object.assign(room, nobody(), { state: "away", opened: true });
    line.begins = random();
    connect();
}

function askForLetters() {
    if (room.state !== "there") {
        Object.assign(room, nobody(), { joining: true });
        told();
    }
}
export function join(letters) {
    window.attentionAddress.enter(letters);
    room.joining = false;
    look();
    told();
}
export function leaveClass() {
    window.attentionAddress.enter(null);
    hangUp();
}

// Nobody hears of the end before it can no more be taken back.
export function endClass() {
    const end = () => {
        line.ends = 0;
        doIt({ do: "end" });
    };
    Object.assign(line, { ends: setTimeout(end, ENDS) });
    room.ending = "soon";
    told();
}
export function goOn() {
    clearTimeout(line.ends);
    Object.assign(line, { ends: 0 });
    room.ending = "";
    told();
}

// The address says which class: at first, and where its reader goes Back to one.
function look() {
    const [letters, secret = ""] = (window.attentionAddress.room() ?? "").trim().split("-"),
        wanted = letters.toUpperCase();
    if (wanted === room.code || line.begins) return;
    if (!wanted) return void (room.code && room.state !== "over" && hangUp());
    hangUp();
    Object.assign(room, { state: "away", code: wanted, looks: true });
    Object.assign(line, { since: Date.now(), secret: secret.toLowerCase() });
    told();
    connect();
}

function isAlive() {
    if (line.socket && Date.now() - line.heard > SILENT) {
        const dead = line.socket;
        again();
        dead.close();
    } else if (room.state === "away" && !line.socket && line.wait > 1000) {
        clearTimeout(line.timer);
        connect();
    }
}

export function beginRooms() {
    window.addEventListener("attention-moved", () => {
        look();
        lead();
    });
    window.addEventListener("attention-acted", letGo);
    window.addEventListener("pagehide", () => line.ends && say({ do: "end" }));
    window.addEventListener("online", isAlive);
    document.addEventListener(
        "visibilitychange",
        () => document.visibilityState === "visible" && isAlive(),
    );
    setInterval(isAlive, 5000);
    window.addEventListener("click", (event) => { // before the address takes it for a link
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
    window.addEventListener("submit", (event) => { // the field of the first page
        const field = event.target.closest?.("[data-class=letters]")?.querySelector("input");
        if (!field) return;
        event.preventDefault();
        if (field.value.trim()) join(field.value.trim().toUpperCase());
    }, true);
    if (window.attentionReady) look();
    else window.addEventListener("attention-ready", look, { once: true });
}
