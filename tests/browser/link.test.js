import assert from "node:assert/strict";
import "./page.js";
import {
    changeEdits,
    changeFolds,
    changeLink,
    findBeatAfter,
    findFirstBeat,
    isSamePlace,
    pageAndBase,
    readChosenFields,
    readEdits,
    split,
    writePinned,
} from "../../pages/shared/web/base/link.js";

Deno.test("the page is the last part of a path, if that is one; what stands before it is where the explorer stands", () => {
    const isPage = (path) => ["", "scores"].includes(path);
    assert.deepEqual(
        ["/", "/scores", "/scores/", "/app/scores", "/app/"].map((path) =>
            Object.values(pageAndBase(path, isPage))
        ),
        [["", ""], ["scores", ""], ["scores", ""], ["scores", "/app"], ["", "/app"]],
    );
});

Deno.test("the class and Streamlit's frame are the window's, and no part of a link", () => {
    assert.deepEqual(split("?heads=2&room=KQZT&embed=true&query=3"), {
        link: "heads=2&query=3",
        ofWindow: "room=KQZT&embed=true",
    });
});

Deno.test("two links are the same whatever the order of their parameters", () => {
    assert.ok(
        isSamePlace({ page: "scores", link: "a=1&b=2" }, { page: "scores", link: "b=2&a=1" }),
    );
    assert.ok(!isSamePlace({ page: "scores", link: "a=1" }, { page: "", link: "a=1" }));
});

Deno.test("what is usual leaves the link, and so does what is taken away", () => {
    const usual = (name) => ({ heads: "1", seed: "7" })[name];
    assert.equal(changeLink("heads=2&beat=3", { heads: 1, seed: 8, beat: null }, usual), "seed=8");
});

Deno.test("an edit takes the place of one of the same target, and an empty one takes it away", () => {
    const edits = readEdits("edits=w_q.1.1.1=0.5,w_k.1=0");
    assert.deepEqual(edits, [["w_q.1.1.1", "0.5"], ["w_k.1", "0"]]);
    assert.deepEqual(changeEdits(edits, [["w_q.1.1.1", "2"]]), [["w_k.1", "0"], [
        "w_q.1.1.1",
        "2",
    ]]);
    assert.deepEqual(changeEdits(edits, [["w_k.1", ""]]), [["w_q.1.1.1", "0.5"]]);
});

Deno.test("a clicked cell sets its row, its column, its block or what stands there, and no more than there are", () => {
    const chooses = {
        fields: { query: "row", head: ["column", 5], part: "all" },
        by_matrix: { k: { query: null, key: "column" } },
        most: { key: 3 },
    };
    assert.deepEqual(readChosenFields(chooses, { matrix: "q", row: 2, column: 7 }), {
        query: 3,
        head: 2,
        part: "all",
    });
    assert.deepEqual(readChosenFields(chooses, { matrix: "k", row: 2, column: 7 }), {
        head: 2,
        part: "all",
        key: 3,
    });
    const each = { fields: { key: ["cell", [[5, 6], [7, 8]]] }, by_matrix: {}, most: {} };
    assert.deepEqual(readChosenFields(each, { matrix: "q", row: 1, column: 0 }), { key: 7 });
});

Deno.test("what unfolds is named in the link once, and leaves it when it is folded away", () => {
    assert.deepEqual([
        changeFolds("", "a", true),
        changeFolds("open=a,b", "a", true),
        changeFolds("open=a,b", "a", false),
        changeFolds("open=a", "a", false),
    ], ["a", "b,a", "b", null]);
});

Deno.test("a setup is held as one parameter, with its commas marked; a layer that is only looked at is no part of it", () => {
    const setup = ["heads", "layer", "text"];
    assert.equal(writePinned("", setup), "default");
    assert.equal(writePinned("text=a,~b&heads=2&layer=2&query=3", setup), "heads:2,text:a~1~0b");
    assert.equal(writePinned("layer=2&init=real", setup), "layer:2");
});

Deno.test("beats go on to the next page's first and back to the last of the page before, on the route that the link says", () => {
    const of = (...beats) =>
        ["", "scores", "weights"].flatMap((path) => beats.map((beat) => [path, beat]));
    // in an order of its own
    const why = [["weights", 2], ["scores", 3], ["scores", 1], ["weights", 3]];
    const routes = { whole: [...of(1, 2, 3), ["masks", 1]], story: of(2), why };
    const after = (page, link, by) =>
        Object.values(findBeatAfter(routes, { page, link }, by) ?? {});
    assert.deepEqual([
        after("scores", "", 1),
        after("scores", "beat=3", 1),
        after("scores", "", -1),
    ], [["scores", 2], ["weights", 1], ["", 3]]);
    assert.deepEqual(
        [after("scores", "route=story", 1), after("scores", "beat=3&route=story", -1)],
        [["weights", 2], ["", 2]],
    ); // from its only one
    assert.deepEqual(
        [after("weights", "route=story&beat=2", 1), after("masks", "route=story", -1)],
        [[], ["weights", 3]],
    ); // it ends there
    assert.deepEqual(
        [["weights", 2], ["scores", 3], ["scores", 1], ["weights", 3]].map(([page, beat]) =>
            after(page, `route=why&beat=${beat}`, 1)
        ),
        [["scores", 3], ["scores", 1], ["weights", 3], []],
    );
    assert.deepEqual([after("scores", "route=why&beat=2", -1), after("", "route=why", 1)], [[
        "scores",
        3,
    ], ["", 2]]); // 1 is on screen; not on it
    assert.deepEqual(findFirstBeat(routes, { page: "scores", link: "route=why&beat=3" }), {
        page: "weights",
        beat: 2,
    });
    assert.deepEqual(findFirstBeat(routes, { page: "scores", link: "beat=3" }), {
        page: "scores",
        beat: null,
    });
    assert.deepEqual([
        after("scores", "beat=99", -1),
        after("masks", "beat=1", 1),
        after("", "", -1),
    ], [["scores", 2], [], []]);
});
