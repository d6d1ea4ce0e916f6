import { address } from "../../core/board/web/address.js";
import assert from "node:assert/strict";
import { matrix, packed } from "./page.js";
import { covers, listWholeTargets, nameEdit } from "../../core/board/web/editing.js";
import { describeCell, describeLook } from "../../core/board/web/matrix.js";
import { decodeMatrix } from "../../core/board/web/decode.js";
import { describeSum, nameByTitle } from "../../core/board/web/views/matrices.js";

address.limits = () => ({ most: 9, largest: 100, decimals: 4 });

Deno.test("an edit is about a cell if name, head, row and column are among what it changes; what it leaves out is all", () => {
    const about = [
        "w_q",
        "w_q.1",
        "w_q.1.13",
        "w_q.*.13",
        "w_q.1.*.5",
        "w_q.1.9-13.5",
        "w_q.1.13.5",
    ];
    const others = [
        "w_q.1.9-12.5",
        "w_q.2",
        "w_q.1.1",
        "w_q.1.13.50",
        "w_k.1.13.5",
        "layer2.w_q.1.13.5",
    ];
    assert.deepEqual([...about, ...others].filter((target) => covers(target, "w_q.1.13.5")), about);
});

Deno.test("a head's rows of W_o are rows 6 to 10 of the whole: so they are called, and its columns end where it ends", () => {
    const editable = {
        target: "w_o",
        title: "W_o",
        behind: "",
        first: 5,
        rows: "6-10",
        vector: false,
    };
    const part = decodeMatrix(
        matrix(5, 5, "word", {
            editable,
            marks: btoa(
                String.fromCharCode(...Array.from({ length: 25 }, (_, k) => Number(k % 6 === 0))),
            ),
        }),
    );
    assert.equal(nameEdit(part, 1, 2), "W_o[7, word]");
    assert.deepEqual(listWholeTargets(part, 1, 2), [
        ["row = 0", "w_o.7", "0"],
        ["column = 0", "w_o.6-10.3", "0"],
        ["all = 0", "w_o.6-10", "0"],
        ["identity", "w_o.6-10", "identity"],
    ]);
    assert.deepEqual([describeCell(part, 1, 1), describeCell(part, 1, 2)], [
        "m[word, word] = 1.0000, edited",
        "m[word, word] = 1.0000",
    ]);
    const whole = decodeMatrix(
        matrix(2, 3, "word", {
            editable: {
                target: "w_q.1",
                title: "W_q",
                behind: ", head 1",
                first: 0,
                rows: "*",
                vector: false,
            },
        }),
    );
    assert.equal(nameEdit(whole, 1, 2), "W_q[word, word], head 1");
    assert.deepEqual(listWholeTargets(whole, 1, 2), [["row = 0", "w_q.1.2", "0"], [
        "column = 0",
        "w_q.1.*.3",
        "0",
    ], ["all = 0", "w_q.1", "0"]]);
});

Deno.test("a sum's parts below zero are taken away, and past eight the rest is dots", () => {
    const said = (parts, total) =>
        describeSum(
            [parts, [total]].map((values) =>
                decodeMatrix(matrix(values.length, 1, "3", { values: packed(values) }))
            ),
            0,
        );
    assert.equal(said([1, -2.5], -1.5), "1.0000 − 2.5000 = −1.5000   (column 3)");
    assert.equal(
        said(Array(9).fill(1), 9),
        `${Array(8).fill("1.0000").join(" + ")} + … = 9.0000   (column 3)`,
    );
});

Deno.test("one of several is called by its symbol and, behind a comma, by which of them it is, as titles have it", () => {
    const named = (title, symbol) =>
        nameByTitle(decodeMatrix(matrix(1, 1, "word", { title, symbol })), 0, 0);
    assert.deepEqual([
        named("α, with it", "α"),
        named("mask", "mask"),
        named("present − held", "difference"),
    ], ["α[word, word], with it", "mask[word, word]", "present − held: difference[word, word]"]);
});

Deno.test("a look is told with its layer, its head and its share", () => {
    const look = decodeMatrix(matrix(1, 1, "it", { name: "2·3", values: packed([0.004]) }));
    assert.equal(
        describeLook({ place: { matrix: look }, i: 0, j: 0 }),
        "layer 2, head 3: “it” gives less than 1% of its attention to “it”",
    );
});
