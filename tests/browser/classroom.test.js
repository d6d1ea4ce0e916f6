// A window's connection to its class, over a fake socket; the texts of its cards, and what is
// hidden meanwhile.
import { address } from "../../core/board/web/address.js";
import assert from "node:assert/strict";
import { window } from "./page.js";
import { beginRooms, followAgain, room, sendAct } from "../../pages/shared/web/classroom/socket.js";
import { describeAnswer, endSentence } from "../../pages/shared/web/classroom/question.js";
import { getHidden } from "../../pages/shared/web/classroom/hide_answers.js";

class Line {
    static OPEN = 1;
    readyState = 1;
    sent = [];
    constructor() {
        Line.last = this;
    }
    send(text) {
        this.sent.push(JSON.parse(text));
    }
    isClosed = false;
    close() {
        this.isClosed = true;
    }
    hear(message) {
        this.onmessage({ data: JSON.stringify(message) });
    }
    get answers() {
        return this.sent.filter((each) => each.do === "answer").map((each) => each.answer);
    }
}

// A class with an open question, after these answers in quick succession.
let code = 1000; // another class each time
function answering(...answers) {
    code += 1;
    globalThis.WebSocket = Line;
    const later = new Set(), went = [];
    globalThis.setTimeout = (act) => later.add(act) && act;
    globalThis.clearTimeout = (act) => later.delete(act);
    window.attentionReady = true;
    Object.assign(address, {
        here: () => ({ page: "", link: "" }),
        room: () => String(code),
        root: () => "http://here",
        enter() {},
        follow: (page, link) => went.push(`${page}?${link}`),
    });
    beginRooms();
    const line = Line.last;
    line.onopen();
    const asked = { number: 1, shown: false };
    const comes = (more) =>
        Line.last.hear({ is: "room", code: String(code), id: "1", born: "1", asked, ...more });
    comes();
    for (const answer of answers) sendAct({ do: "answer", number: 1, answer });
    const acts = line.sent.filter((each) => each.do === "answer").map(({ act }) => act);
    const wait = () => {
        for (const act of [...later]) later.delete(act) && act();
    };
    return { line, comes, acts, wait, went };
}

Deno.test("of answers that follow quickly the last one counts, whatever is heard of others", () => {
    const { line, acts } = answering("1", "2");
    line.hear({ is: "mine", number: 1, answer: "1", act: acts[0] });
    assert.equal(room.mine.answer, undefined);
    line.hear({ is: "mine", number: 1, answer: "2", act: acts[1] });
    assert.equal(room.mine.answer, "2");
});

Deno.test("what was not replied to is said again on the next line, while it means the same", () => {
    for (const [shown, again] of [[false, ["2"]], [true, []]]) {
        const { line, comes, acts, wait } = answering("1", "2");
        line.hear({ is: "mine", number: 1, answer: "1", act: acts[0] });
        line.onclose();
        wait();
        assert.notEqual(Line.last, line);
        comes({ asked: { number: 1, shown } });
        assert.deepEqual(Line.last.answers, again);
    }
});

Deno.test("who follows goes where the class goes, but while looking around", () => {
    const { comes, wait, went } = answering();
    const moves = (page) => {
        comes({ page, link: "query=2" });
        wait();
    };
    moves("scores");
    moves("scores"); // nothing new
    window.dispatchEvent(new Event("attention-acted"));
    assert.equal(room.loose, true);
    moves("weights");
    assert.deepEqual(went, ["scores?query=2"]);
    followAgain();
    wait();
    assert.deepEqual(went, ["scores?query=2", "weights?query=2"]);
});

const beat = (detail) => window.dispatchEvent(new CustomEvent("attention-heartbeat", { detail }));

Deno.test("a line is lost when the server is, or after four seconds of silence, one that opens after twenty", () => {
    const { now } = Date;
    for (
        const [opens, seconds, isDead, isLost] of [
            [1, 3, false, false],
            [1, 3, true, true],
            [1, 5, false, true],
            [0, 19, true, false],
            [0, 21, false, true],
        ]
    ) {
        const { line, wait } = answering();
        if (!opens) {
            line.onclose();
            wait(); // another line opens, and nothing is heard on it
        }
        Date.now = () => now() + 1000 * seconds;
        beat({ isDead });
        Date.now = now;
        assert.equal(Line.last.isClosed, isLost);
    }
});

Deno.test("a class is sought at once when the server is back, else at growing intervals", () => {
    for (const isBack of [false, true]) {
        const { line, wait } = answering();
        line.onclose();
        wait();
        Line.last.onclose();
        const { last } = Line;
        beat({ isDead: false, isBack });
        assert.equal(Line.last !== last, isBack);
    }
});

Deno.test("who opens a class's link before the class is back waits; with letters alone it is told", () => {
    for (const [inLink, state] of [["kqzt-3f9a1c2b4d5e", "away"], ["kqzt", "over"]]) {
        answering();
        address.room = () => inLink;
        window.dispatchEvent(new Event("attention-moved"));
        Line.last.onopen();
        Line.last.hear({ is: "no", why: "There is no class with these letters." });
        assert.deepEqual([room.state, room.why === ""], [state, state === "away"]);
    }
});

const ANEW = "The server began anew: if a question was open, its votes are gone.";

Deno.test("a server that began anew is told", () => {
    const { comes } = answering();
    assert.equal(room.why, "");
    comes({ asked: null, born: "2" });
    assert.equal(room.why, ANEW);
});

Deno.test("a lecturer's window that was loaded again is told too", () => {
    for (const [born, says] of [["1", ""], ["2", ANEW]]) {
        const { line, comes, wait } = answering();
        line.onclose();
        wait();
        comes({ leads: true }); // the first that its line hears
        const letters = address.room();
        for (const inLink of ["", letters]) {
            address.room = () => inLink;
            window.dispatchEvent(new Event("attention-moved"));
        }
        Line.last.onopen();
        comes({ leads: true, born });
        assert.equal(room.why, says);
    }
});

Deno.test("a server that began anew is given the finished votes, and a class that it knows is not", () => {
    for (const [born, finished, restored, says] of [["1", 2, [], ""], ["2", 0, [1, 2], ANEW]]) {
        const { line, comes, wait } = answering();
        line.onclose();
        wait();
        comes({ leads: true, finished: 0 });
        comes({ leads: true, asked: null, finished: 2 });
        assert.equal(Line.last.sent.at(-1).do, "votes");
        Line.last.hear({ is: "votes", votes: { 2: { what: "cell" }, 1: { what: "cell" } } });
        Line.last.onclose();
        wait();
        comes({ leads: true, asked: null, born, finished });
        comes({ leads: true, asked: null, born, finished: 2 });
        const sent = Line.last.sent.filter((each) => each.do === "restore");
        assert.deepEqual(sent.map(({ number }) => number), restored);
        assert.equal(room.why, says);
    }
});

Deno.test("what was answered is told as a sentence that ends once", () => {
    const options = ["Every number of the row is doubled.", "mat", "“Life”"],
        said = (given) => endSentence(describeAnswer({ kind: "choice", options }, given));
    assert.deepEqual(["0", "1", "2"].map(said), [
        "“Every number of the row is doubled.”",
        "“mat”.",
        "“Life”.",
    ]);
    assert.equal(endSentence(describeAnswer({ kind: "number", options: [] }, "-0.5")), "−0.5.");
});

Deno.test("while a class is asked the page shows what is given, and nothing else of its numbers", () => {
    const asked = (given, shown = false) => getHidden({ asked: { given, shown }, looks: false });
    assert.equal(asked(["masked"], true), "");
    assert.equal(getHidden({ asked: null, looks: false }), "");
    for (const rules of [asked([]), getHidden({ asked: null, looks: true })]) {
        assert.match(rules, /visibility: hidden !important/);
        assert.doesNotMatch(rules, /data-name|ab-label/);
    }
    assert.match(asked(["masked", "scaled"]), /\.ab-matrix\[data-name="masked"\] \*/);
});

Deno.test("a link says which of all classes that have had its letters; letters alone say none", () => {
    for (
        const [inLink, letters, known] of [
            ["kqzt-3F9A1C2B4D5E", "KQZT", "3f9a1c2b4d5e"],
            ["kqzt", "KQZT", ""],
        ]
    ) {
        answering();
        address.room = () => inLink;
        window.dispatchEvent(new Event("attention-moved"));
        Line.last.onopen();
        const said = Line.last.sent.at(-1);
        assert.deepEqual([said.code, said.known], [letters, known]);
    }
});

Deno.test("a browser is known by the same name when it comes again, and in no other class", () => {
    const { line } = answering();
    line.onopen();
    assert.equal(line.sent.at(-1).who, line.sent[0].who);
    answering();
    assert.notEqual(Line.last.sent[0].who, line.sent[0].who);
});
