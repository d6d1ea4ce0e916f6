import assert from "node:assert/strict";
import { matrix, packed, place } from "./page.js";
import { blockMotion } from "../../pages/shared/board/motion/block.js";
import { productMotion } from "../../pages/shared/board/motion/product.js";
import { maskMotion } from "../../pages/shared/board/motion/mask.js";
import { rowsMotion } from "../../pages/shared/board/motion/rows.js";
import { softmaxMotion } from "../../pages/shared/board/motion/softmax.js";
import { wordStations } from "../../pages/shared/board/motion/vocabulary.js";
import { read } from "../../pages/shared/board/read.js";

const sayings = (piece) => Array.from({ length: piece.count }, (_, k) => piece.says(k));

// A product of a row of two numbers and a matrix, with words for its rows.
function product(n, m, more = {}) {
    const left = read(
        matrix(n, 2, "cat", { title: "Q", values: packed(Array(n).fill([2, 3]).flat()) }),
    );
    const right = read(matrix(2, m, "dog", { title: "V", name: "v", ...more })),
        result = { name: "scores", title: "ω", clickable: true };
    return {
        data: { axes: ["words", "dims", "words"] },
        matrices: [
            left,
            right,
            read(matrix(n, m, "cat", { ...result, values: packed(Array(n * m).fill(5)) })),
        ],
    };
}

Deno.test("of a product the chosen cell comes first, in four steps, then one cell, the rest of the row, all other rows", () => {
    const piece = productMotion(product(3, 4), { chosen: [1, 2], way: "cell by cell" });
    assert.equal(piece.count, 7);
    assert.equal(
        piece.says(1),
        "The first number is multiplied with the first, the second with the second, and so on: 2 terms, the first 2.0000 × 1.0000 = 2.0000.",
    );
    assert.equal(piece.says(5), "So the row fills: 4 sums of 2 terms each.");
    assert.deepEqual(
        [3, 4, 5].map((k) => piece.reached(k, 1)).map(({ row, column }) => [row, column]),
        [[1, 2], [1, 3], [1, 1]],
    );
    assert.equal(piece.reached(6, 1), null); // the whole matrix is there: no cell is the last one
});

Deno.test("a product of one cell is one cell's four stations, and row by row it is one row", () => {
    assert.equal(productMotion(product(1, 1), { chosen: [0, 0], way: "cell by cell" }).count, 4);
    assert.equal(productMotion(product(3, 4), { chosen: [0, 0], way: "row by row" }).count, 3);
});

Deno.test("before the scores K is turned over", () => {
    const piece = productMotion(product(2, 2, { name: "k_t" }), {
        chosen: [0, 0],
        way: "row by row",
    });
    assert.match(piece.says(0), /^K is turned over/);
    assert.equal(piece.reached(0, 1), null);
});

Deno.test("words go one by one, of a long sentence the first two and the first that is repeated", () => {
    assert.deepEqual(wordStations([4, 2, 4]), [[0, 1], [1, 2], [2, 3]]);
    assert.deepEqual(wordStations([0, 1, 2, 3, 4, 2, 5, 6, 7]), [[0, 1], [1, 2], [2, 5], [5, 6], [
        6,
        9,
    ]]);
});

Deno.test("the softmax says the largest score, and nothing is performed where there are no shares", () => {
    const row = (name, values) => ({
        ...place(name, 1, 3, 0, 0),
        matrix: read(matrix(1, 3, "it", { name, title: "ω′, scaled", values: packed(values) })),
    });
    const drawn = (scores) => ({
        places: [
            row("scaled", scores),
            row("exp", scores.map(Math.exp)),
            row("weights", [0, 0, 0]),
        ],
        width: 400,
    });
    const piece = softmaxMotion(drawn([1, 2, 0]));
    assert.equal(piece.count, 6);
    assert.match(piece.says(0), /^The row’s largest ω′, 2\.0000 of “it”, is subtracted from each/);
    assert.match(softmaxMotion(drawn([Infinity, 0, 0])).why, /larger than the machine’s numbers/);
});

Deno.test("a mask says how many places it closes, and among how many the chosen word divides its attention", () => {
    const of = (title, values) => ({
        ...place(title, 2, 3, 0, 0),
        matrix: read(matrix(2, 3, "it", { title, values: packed(values) })),
    });
    const piece = maskMotion({
        places: [
            of("ω′", [1, 2, 3, 4, 5, 6]),
            of("mask", [0, -Infinity, -Infinity, 0, 0, -Infinity]),
            of("α", [1, 0, 0, 0.5, 0.5, 0]),
        ],
    }, { chosen: [1, 0] });
    assert.match(piece.says(0), /−∞, at 3 of 6 places/);
    assert.match(piece.says(1), /“it.*” divides its attention among 2 of 3 places/);
    const closed = maskMotion({
        places: [
            of("ω′", [1, 2, 3, 4, 5, 6]),
            of("mask", Array(6).fill(-Infinity)),
            of("α", Array(6).fill(0)),
        ],
    }, { chosen: [1, 0] });
    assert.match(closed.says(1), /may look nowhere, and its row is zeros/);
});

Deno.test("rows that are added up end at their sum, however many there are", () => {
    const drawn = (n) => ({
        data: {},
        places: [{ matrix: read(matrix(n, 2, "head")) }, {
            matrix: read(matrix(1, 2, "sum", { title: "Y", values: packed([n, n]) })),
        }],
    });
    assert.deepEqual(
        [1, 2, 3].map((n) => sayings(rowsMotion(drawn(n), { chosen: [0, 1] })).length),
        [1, 2, 3],
    );
    assert.deepEqual(
        [1, 2, 3].map((n) =>
            sayings(rowsMotion(drawn(n), { chosen: [0, 1] })).at(-1).includes(`${n}.0000`)
        ),
        [true, true, true],
    );
});

Deno.test("of a stack's stages the chosen cell of the one row is reached, and none while hidden units fire or all is there", () => {
    const stage = (name, more) => ({
        matrix: read(matrix(1, 3, "cat", { name, title: name, clickable: true, ...more })),
        x: 0,
        y: 0,
        uw: 9,
        uh: 9,
    });
    const places = [
        stage("x"),
        stage("ffn_out", { branch: true }),
        stage("out", { clickable: true }),
    ];
    const piece = blockMotion({
        data: { hidden: packed([1, 0]), activation: "relu" },
        places,
        layout: { uh: 9 },
    }, { chosen: [0, 2] });
    assert.equal(piece.count, 4);
    assert.deepEqual([0, 1, 2, 3].map((k) => piece.reached(k, 0.5)), [null, null, {
        matrix: "ffn_out",
        row: 0,
        column: 2,
    }, { matrix: "out", row: 0, column: 2 }]);
    assert.equal(piece.reached(3, 1), null);
    assert.match(piece.says(3), /^ffn_out comes back .* = 1\.0000\.$/);
});
