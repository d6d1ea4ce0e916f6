import assert from "node:assert/strict";
import { matrix, packed, place } from "./page.js";
import { getMoment, listUncovered } from "../../core/board/web/primitives.js";
import { decodeMatrix } from "../../core/board/web/decode.js";
import { lookupScript, rowsScript } from "../../core/board/web/scripts/matrices.js";
import { productScript } from "../../core/board/web/scripts/product.js";
import { softmaxScript } from "../../core/board/web/scripts/softmax.js";

const at = (name, n, m, values, more = {}) => ({
    ...place(name, n, m, 0, 0),
    matrix: decodeMatrix(
        matrix(n, m, "it", { name, title: name, values: packed(values), ...more }),
    ),
});
const says = ({ stations }) => stations.map((station) => station.says);
const cells = (script, cover, k) => listUncovered(script.stations, cover, k, 1);

Deno.test("a step takes its part of a station, goes with it, and stays or leaves where it says so", () => {
    const step = { does: "fly", over: [0.25, 0.75] };
    const moments = (more, ...when) =>
        when.map(([k, t]) => getMoment({ ...step, ...more }, 1, k, t));
    const times = [[0, 1], [1, 0.1], [1, 0.5], [1, 0.8], [2, 0]];
    assert.deepEqual(
        moments({}, ...times),
        [null, null, 0.5, 1, null],
    );
    assert.deepEqual(moments({ leaves: true }, [1, 0.75], [1, 1]), [null, null]);
    assert.deepEqual(moments({ stays: 1 }, [2, 0], [3, 0]), [1, null]);
});

Deno.test("of a product the chosen cell comes first, then its row, then all rows; the last of its sums is the number on the board", () => {
    const matrices = [
        at("q", 3, 2, [2, 3, 2, 3, 2, 3]).matrix,
        at("k", 2, 4, Array(8).fill(1)).matrix,
        at("scores", 3, 4, Array(12).fill(5)).matrix,
    ];
    const places = [matrices[2], matrices[0], matrices[1]].map((each) => (
        { ...place("", 1, 1, 0, 0), matrix: each }
    ));
    const layout = { corner: 200, y0: 0, innerHeight: 10 };
    const data = { axes: ["words", "dims", "words"] };
    const script = productScript({ data, matrices, places, layout }, [1, 2]);
    assert.deepEqual([0, 1, 2, 3, 4].map((k) => cells(script, 0, k)), [0, 0, 1, 4, 12]);
    assert.deepEqual(script.covers[0].rows, [1, 0, 2]);
    const typed = script.stations[1].steps.find(({ does }) => does === "type").texts;
    assert.deepEqual(typed, ["sum of 1 term = 2.0000", "sum = 5.0000"]);
    const flown = script.stations[0].steps.filter(({ does }) => does === "fly");
    assert.deepEqual(flown.map(({ text }) => text), ["2.00", "1.00", "3.00", "1.00"]);
    assert.match(says(script)[0], /2 terms, the first 2\.0000 × 1\.0000 = 2\.0000\.$/);
    assert.match(says(script).at(-1), /every other row fills: 2 × 4 sums/);
});

Deno.test("the softmax divides by its row’s sum, and nothing is performed where there are no shares", () => {
    const drawn = (scores) => ({
        places: [
            at("scaled", 1, 3, scores),
            at("exp", 1, 3, [0, 0, 0]),
            at("weights", 1, 3, [0, 0, 0]),
        ],
        width: 400,
        colours: {
            diverging: Array(9).fill([0, 0, 0]),
            background: [255, 255, 255],
            gray: [9, 9, 9],
        },
    });
    const script = softmaxScript(drawn([1, 2, -Infinity]));
    assert.match(says(script)[0], /^The row’s largest scaled, 2\.0000 of “it”, is subtracted/);
    assert.match(says(script)[1], /that score becomes nothing/);
    assert.match(says(script)[3], /1\.0000 \/ 1\.3679 = 0\.7311/);
    const flown = script.stations[3].steps.filter(({ does }) => does === "fly");
    assert.deepEqual(flown.map(({ text }) => text), ["0.27", "0.73", "0.00"]);
    assert.match(softmaxScript(drawn([Infinity, 0, 0])).why, /larger than the machine’s numbers/);
});

Deno.test("rows that are added up end at their sum, and looked up ones at all rows, however many there are", () => {
    for (const n of [1, 2, 3]) {
        const sum = at("sum", 1, 2, [n, n], { title: "Y" });
        const added = rowsScript({
            data: {},
            places: [at("head", n, 2, Array(2 * n).fill(1)), sum],
        }, [0, 1]);
        assert.equal(added.stations.length, Math.min(n, 2));
        assert.ok(says(added).at(-1).includes(`${n}.0000`));
        const plays = { ids: [2, 0, 2].slice(0, n) };
        const places = [at("E", 3, 2, Array(6).fill(1)), at("X", n, 2, Array(2 * n).fill(1))];
        const fetched = lookupScript({ data: { plays }, places });
        assert.equal(cells(fetched, 0, fetched.stations.length - 1), 2 * n);
        assert.equal(says(fetched).at(-1).includes("the id of position 1"), n === 3);
    }
});
