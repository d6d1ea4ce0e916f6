// A window's line to its class, over a socket that the test holds the other end of; what its cards
// say, and what is veiled meanwhile.
import assert from "node:assert/strict";
import { window } from "./page.js";
import { waysOf } from "../../pages/shared/room/bar.js";
import {
    beginRooms,
    doIt,
    draftOf,
    endClass,
    goOn,
    keepDraft,
    room,
} from "../../pages/shared/room/line.js";
import { ended, saidAnswer } from "../../pages/shared/room/question.js";
import { veilOf } from "../../pages/shared/room/veil.js";

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
    close() {}
    hear(message) {
        this.onmessage({ data: JSON.stringify(message) });
    }
    get answers() {
        return this.sent.filter((each) => each.do === "answer").map((each) => each.answer);
    }
}

// In a class that is asked, after these answers, made one right after the other.
let code = 1000; // of another class each time
function answering(...answers) {
    code += 1;
    Object.assign(globalThis, { WebSocket: Line, setInterval: () => 0 });
    const later = [];
    globalThis.setTimeout = (act) => later.push(act);
    globalThis.clearTimeout = () => {};
    Object.assign(window, {
        attentionReady: true,
        attentionAddress: {
            here: () => ({ page: "", link: "" }),
            room: () => String(code),
            root: () => "http://here",
            enter() {},
            follow() {},
        },
    });
    beginRooms();
    const line = Line.last;
    line.onopen();
    const comes = (more) =>
        line.hear({
            is: "room",
            room: String(code),
            id: "1",
            born: "1",
            leads: false,
            page: "",
            link: "",
            asked: { number: 1, vote: "1.1", shown: false },
            ...more,
        });
    comes();
    for (const answer of answers) doIt({ do: "answer", vote: "1.1", answer });
    const wait = () => {
        for (const act of later.splice(0)) act();
    };
    return { line, wait, comes };
}
const counted = (answer) => ({ is: "answered", vote: "1.1", counted: true, answer });
const tooQuick = { is: "answered", vote: "1.1", counted: false, later: true };

Deno.test("a second answer within a second is given again, though the first was counted meanwhile", () => {
    const { line, wait } = answering("1", "2");
    line.hear(counted("1"));
    line.hear(tooQuick);
    wait();
    assert.deepEqual(line.answers, ["1", "2", "2"]);
    line.hear(counted("2"));
    assert.equal(room.mine.answer, "2");
});

Deno.test("an answer that came too quick is not given again over a later one", () => {
    const { line, wait } = answering("1", "2", "3");
    for (const reply of [counted("1"), tooQuick]) line.hear(reply);
    line.hear(counted("3"));
    wait();
    assert.deepEqual(line.answers, ["1", "2", "3"]);
    assert.equal(room.mine.answer, "3");
});

Deno.test("what was not replied to is said again on the next line", () => {
    const { line, comes } = answering("1", "2");
    line.hear(counted("1"));
    comes();
    assert.deepEqual(line.answers, ["1", "2", "2"]);
});

Deno.test("a question that the server has no more is told as lost, one that was put away is not", () => {
    const { line, comes } = answering();
    const { asked } = room;
    comes({ asked: null, before: true });
    assert.equal(room.lost, null);
    comes();
    comes({ asked: null, born: "2" });
    assert.deepEqual(room.lost, asked);
    comes({ asked: null, born: "3" }); // a second time
    assert.deepEqual(room.lost, asked);
    line.hear({ is: "asked", asked: { number: 1, vote: "1.1", shown: false }, before: false });
    assert.equal(room.lost, null);
});

Deno.test("a class ends once that can no more be taken back", () => {
    const { line, wait } = answering();
    const ends = () => line.sent.filter((each) => each.do === "end").length;
    endClass();
    assert.equal(room.ending, "soon");
    assert.equal(ends(), 0);
    wait();
    assert.equal(ends(), 1);
    goOn();
    assert.equal(room.ending, "");
});

Deno.test("a draft is of one vote in one class", () => {
    answering();
    keepDraft("1.1", "0.4");
    assert.deepEqual([draftOf("1.1"), draftOf("1.2")], ["0.4", ""]);
    room.id = "2";
    assert.equal(draftOf("1.1"), "");
});

Deno.test("where a press asks once more, nothing that ends anything stands in its place", () => {
    const places = (shown, votes, sure, count = 0) =>
        waysOf({ shown, votes }, sure, count, () => {}).map(([text, may]) => (may ? text : ""));
    assert.deepEqual(places(false, 1, ""), ["Show the answer", "Vote again", "Done", ""]);
    assert.deepEqual(places(false, 1, "again"), ["Yes, vote again", "No, go on", "", ""]);
    // a third press of "Vote again" has nothing to do
    assert.deepEqual(places(false, 2, ""), ["Show the answer", "", "Done", "Undo"]);
    // a vote that somebody gave is not undone
    assert.deepEqual(places(false, 2, "", 1), ["Show the answer", "", "Done", ""]);
    assert.deepEqual(places(false, 2, "away"), ["Yes, put it away", "", "No, go on", ""]);
    assert.deepEqual(places(true, 1, ""), ["", "", "Done", "Undo"]);
    assert.deepEqual(waysOf({ shown: true, votes: 2 }, "", 0, () => {}).map(([text]) => text), [
        "Show the answer",
        "Vote again",
        "Done",
        "Undo",
    ]);
});

Deno.test("what was answered is told as a sentence that ends once", () => {
    const options = ["Every number of the row is doubled.", "mat", "“Life”"],
        said = (given) => ended(saidAnswer({ kind: "choice", options }, given));
    assert.deepEqual(["0", "1", "2"].map(said), [
        "“Every number of the row is doubled.”",
        "“mat”.",
        "“Life”.",
    ]);
    assert.equal(ended(saidAnswer({ kind: "number", options: [] }, "-0.5")), "−0.5.");
    assert.equal(
        ended("The class is at Weights · How does a word divide its attention?"),
        "The class is at Weights · How does a word divide its attention?",
    );
});

Deno.test("while a class is asked the page shows what is given, and nothing else of its numbers", () => {
    const asked = (given, shown = false) =>
        veilOf({ asked: { given, shown }, lost: null, looks: false });
    assert.equal(asked(["masked"], true), "");
    assert.equal(veilOf({ asked: null, lost: null, looks: false }), "");
    for (
        const rules of [
            asked([]),
            veilOf({ asked: null, lost: null, looks: true }),
            veilOf({ asked: null, lost: { given: [], shown: false }, looks: false }),
        ]
    ) {
        assert.match(rules, /visibility: hidden !important/);
        assert.doesNotMatch(rules, /data-name|ab-label/);
    }
    assert.match(asked(["masked", "scaled"]), /\.ab-matrix\[data-name="masked"\] \*/);
});

Deno.test("a link says which of all classes that have had its letters; letters alone say none", () => {
    for (
        const [inLink, room_, known] of [["kqzt-3F9A1C2B4D5E", "KQZT", "3f9a1c2b4d5e"], [
            "kqzt",
            "KQZT",
            "",
        ]]
    ) {
        answering();
        window.attentionAddress.room = () => inLink;
        window.dispatchEvent(new Event("attention-moved"));
        Line.last.onopen();
        const { room: letters, known: said, who } = Line.last.sent.at(-1);
        assert.deepEqual([letters, said, who], [room_, known, ""]);
    }
});

Deno.test("the name that a class gives is said when this browser comes again, and to no other class", () => {
    const { line } = answering();
    line.hear({ is: "name", who: "given-to-it" });
    line.onopen();
    assert.equal(line.sent.at(-1).who, "given-to-it");
    answering();
    assert.equal(Line.last.sent[0].who, "");
});
