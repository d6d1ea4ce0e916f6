import assert from "node:assert/strict";
import { matrix, packed, packedShares } from "./page.js";
import { writeAsciiMinus } from "../../pages/shared/web/copy.js";
import { blend, chooseInk, getColour } from "../../core/board/web/colours.js";
import {
    equate,
    roundStep,
    writeAtStep,
    writeExact,
    writePercent,
    writeShortPercent,
} from "../../core/board/web/numbers.js";
import { decodeMatrix, fillTriangle } from "../../core/board/web/decode.js";

Deno.test("a small share is not told as none, and one that is nearly all not as all", () => {
    assert.deepEqual([0, 0.004, 0.494, 0.9996, 1].map(writePercent), [
        "0%",
        "less than 1%",
        "49%",
        "more than 99%",
        "100%",
    ]);
    assert.deepEqual([0.004, 0.9996].map(writeShortPercent), ["<1%", ">99%"]);
});

Deno.test("what is nearly zero has its own sign, and no other before it", () => {
    assert.deepEqual([0.5, 0, 7.9e-22].map((v) => equate(writeExact(v))), [
        "= 0.5000",
        "= 0.0000",
        "≈ 0",
    ]);
});

Deno.test("a copied number has the minus sign that a spreadsheet reads", () => {
    assert.equal(writeAsciiMinus("−1.25\t−∞\n1.2e−5\ta − b"), "-1.25\t-∞\n1.2e-5\ta − b");
});

Deno.test("an axis has round numbers, with as many digits as its steps have", () => {
    assert.deepEqual([0.7, 1, 3, 21].map(roundStep), [1, 1, 5, 50]);
    assert.deepEqual(
        [[0, 1], [0.5, 0.5], [-20, 5], [12000, 2000], [3e6, 1e6]].map(([v, step]) =>
            writeAtStep(v, step)
        ),
        ["0", "0.5", "−20", "12,000", "3e6"],
    );
});

Deno.test("numbers arrive to the last bit, shares to a 65,535th, and neither what is not finite nor an edit changes the scale", () => {
    const third = Math.fround(1 / 3),
        made = decodeMatrix(matrix(2, 2, "a", { values: packed([-3, Infinity, NaN, third]) }));
    assert.deepEqual([made.top, made.at(0, 0), made.at(0, 1), made.at(1, 1)], [
        3,
        -3,
        Infinity,
        third,
    ]);
    const shares =
        decodeMatrix(matrix(1, 3, "a", { shares: true, values: packedShares([0, 1 / 3, 1]) }))
            .values;
    assert.ok([0, 1 / 3, 1].every((share, k) => Math.abs(share - shares[k]) < 1 / 65535));
    assert.deepEqual([shares[0], shares[2]], [0, 1]); // the ends are exact
    assert.equal(decodeMatrix(matrix(1, 2, "a", { values: packed([0, 0]) })).top, 1);
    const edited = { values: packed([0, 90]), unedited: packed([-2, 1]) };
    assert.equal(decodeMatrix(matrix(1, 2, "w_q", edited)).top, 2);
});

Deno.test("zero is a scale's beginning and the largest number its end, on each side of zero; beyond it nothing changes", () => {
    const steps = Array.from({ length: 10 }, (_, k) => [k, 10 * k, 20 * k]);
    const colours = {
        diverging: steps,
        sequential: steps,
        background: [250, 250, 250],
        gray: [90, 90, 90],
    };
    const shade = (matrix) => (v) => getColour(v, matrix, colours);
    assert.deepEqual([0, 1, 2, -1].map(shade({ scale: "sequential", top: 1 })), [
        steps[0],
        steps[9],
        steps[9],
        steps[0],
    ]);
    assert.deepEqual([0, 2, 4].map(shade({ scale: "plain", top: 4 })), [[250, 250, 250], [
        170,
        170,
        170,
    ], [90, 90, 90]]);
    assert.deepEqual([-2, 0, 2, NaN, -Infinity].map(shade({ top: 2 })), [
        steps[0],
        steps[5],
        steps[9],
        colours.background,
        colours.background,
    ]);
    assert.deepEqual(shade({ top: 2 })(1), blend(steps.slice(5), 0.5 ** 0.7));
    // what speaks for a word has the colour of what is above zero
    assert.deepEqual([-2, 2].map(shade({ scale: "for", top: 2 })), [steps[0], steps[9]]);
});

Deno.test("ink is black on light colours and white on dark ones", () => {
    assert.deepEqual([[255, 255, 0], [0, 0, 200]].map(chooseInk), ["#000000", "#ffffff"]);
});

Deno.test("of a square with nothing above its diagonal only the rest is sent", () => {
    assert.deepEqual([...fillTriangle([1, 2, 3, 4, 5, 6], 3)], [1, 0, 0, 2, 3, 0, 4, 5, 6]);
});
