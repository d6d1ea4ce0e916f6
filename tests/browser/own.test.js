// Questions of a lecturer's own, as this browser keeps them and takes them from files and links.
import assert from "node:assert/strict";
import { window } from "./page.js";
import {
    asLink,
    beginOwn,
    bringOwn,
    missingIn,
    ownOnes,
    questionOf,
    questionTyped,
    takeOwn,
} from "../../pages/shared/room/own.js";

const store = new Map();
Object.defineProperty(globalThis, "localStorage", {
    configurable: true,
    value: {
        getItem: (name) => store.get(name) ?? null,
        setItem: (name, text) => store.set(name, text),
    },
});
Object.assign(window, {
    attentionAddress: { root: () => "http://here" },
    addEventListener() {},
    dispatchEvent() {},
});
beginOwn({ longest: 300, longest_choice: 120, fewest: 2, most: 6 });

const choices = { asks: "Which?", options: ["a", "b"], right: 1 },
    number = { asks: "How many?", answer: "64", off: "" };
const draft = {
    asks: " Which? ",
    kind: "choice",
    options: ["", "a", " b "],
    right: 2,
    answer: "",
    off: "",
};

Deno.test("what a file or a link has is a question, or left out; what is too long is cut, and nothing else of it is kept", () => {
    for (
        const none of [
            null,
            5,
            "x",
            {},
            { asks: "" },
            { asks: "x" },
            { asks: "x", options: ["a"] },
            { asks: "x", options: ["a", "a"] },
            { asks: "x", options: ["a", 5] },
            { asks: "x", answer: "many" },
            { asks: "x", answer: "1", off: "few" },
        ]
    ) assert.equal(questionOf(none), null);
    assert.deepEqual(questionOf({ ...choices, evil: 1 }), choices);
    assert.equal(questionOf({ ...choices, right: 7 }).right, null);
    assert.equal(questionOf({ ...number, asks: "x".repeat(999) }).asks.length, 300);
});

Deno.test("those that are there do not come twice, and come by a link as they were, whatever letters they have", () => {
    assert.deepEqual(bringOwn([choices, number]), { all: 2, came: 2 });
    assert.deepEqual(bringOwn([number, { nothing: 1 }]), { all: 2, came: 0 });
    const link = asLink([{ ...choices, asks: "Wörter “<b>” 語?" }]);
    assert.match(link, /^http:\/\/here\/#questions=[\w-]+$/);
    assert.deepEqual(takeOwn(new URL(link).hash), { all: 3, came: 1 });
    assert.equal(ownOnes().at(-1).asks, "Wörter “<b>” 語?");
    for (const broken of ["#questions=%", "#questions=AAAA", "#other"]) {
        assert.equal((takeOwn(broken) ?? { came: -1 }).came, -1);
    }
});

Deno.test("a form's empty lines are no choices, and the right one stays the right one", () => {
    assert.equal(missingIn(draft), "");
    assert.deepEqual(questionTyped(draft), choices);
    assert.deepEqual(questionTyped({ ...draft, right: 0 }), { ...choices, right: null });
    assert.notEqual(missingIn({ ...draft, options: ["a", ""] }), "");
    assert.notEqual(missingIn({ ...draft, kind: "number" }), "");
    assert.equal(missingIn({ ...draft, kind: "number", answer: "−.5", off: "1e-3" }), "");
});
