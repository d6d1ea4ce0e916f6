import assert from "node:assert/strict";
import { matrix, place, ROOM } from "./page.js";
import { drawTicks, turnsLabels } from "../../core/board/web/labels.js";
import { findCellUnder, findNeighbour } from "../../core/board/web/pointing.js";
import { findTermsCell } from "../../core/board/web/product_cell.js";
import { decodeMatrix } from "../../core/board/web/decode.js";
import { NUMBERED } from "../../core/board/web/matrix.js";
import {
    cellSizes,
    chooseMatricesPerRow,
    lightLinked,
    matricesFrame,
    matrixSpots,
} from "../../core/board/web/views/matrices.js";
import { machinePlan } from "../../core/board/web/views/pipeline_layout.js";
import { towerLayout } from "../../core/board/web/views/layer_stack.js";
import { vocabularyLayout } from "../../core/board/web/views/vocabulary.js";

// A product: the result, the left matrix beside it and the right one above it, 14 apart.
const PRODUCT = [
    place("result", 3, 4, 100, 100, 20, 15),
    place("left", 3, 5, 36, 100, 10, 15),
    place("right", 5, 4, 100, 56, 20, 6),
];
const named = (cell) => cell && [cell.place.matrix.name, cell.i, cell.j];

Deno.test("a cell has its left and upper edge, not its right and lower one; between matrices and outside there is none", () => {
    const at = (x, y) => named(findCellUnder(PRODUCT, x, y));
    assert.deepEqual([at(100, 100), at(119.9, 114.9), at(120, 115), at(179.9, 144.9)], [
        ["result", 0, 0],
        ["result", 0, 0],
        ["result", 1, 1],
        ["result", 2, 3],
    ]);
    assert.deepEqual([at(180, 120), at(93, 120), at(99.9, 99.9)], [null, null, null]);
    assert.deepEqual([at(85.9, 100), at(101, 85.9)], [["left", 0, 4], ["right", 4, 0]]);
});

Deno.test("over a factor's row or column the terms are that row's or column's", () => {
    const [result, left, right] = PRODUCT;
    assert.deepEqual(
        [[result, 1, 3], [left, 2, 4], [right, 4, 0]].map(([place, i, j]) =>
            findTermsCell(PRODUCT, { place, i, j }, [1, 2])
        ),
        [[1, 3], [2, 2], [1, 0]],
    );
});

Deno.test("over a small picture that picture is framed, and no cell of the others", () => {
    const count = (bare) => {
        const over = document.createElementNS("", "g");
        const places = PRODUCT.map((each) => ({ ...each, matrix: { ...each.matrix, bare } }));
        lightLinked(over, places, { place: places[1], i: 1, j: 2 }, "values");
        return /** @type {any} */ (over).children.length;
    };
    assert.deepEqual([count(true), count(false)], [1, 3]);
});

Deno.test("a key goes one cell on, past the edge to the nearest cell that way, and stays where there is none", () => {
    const from = (k, i, j, ...steps) =>
        named(
            steps.reduce((cell, step) => findNeighbour(PRODUCT, cell, step), {
                place: PRODUCT[k],
                i,
                j,
            }),
        );
    assert.deepEqual(from(0, 1, 1, [0, 1]), ["result", 1, 2]);
    assert.deepEqual(from(0, 2, 0, [0, -1]), ["left", 2, 4]); // along the same row
    assert.deepEqual(from(1, 2, 4, [0, 1]), ["result", 2, 0]);
    assert.deepEqual(from(0, 0, 3, [-1, 0]), ["right", 4, 3]); // along the same column
    assert.deepEqual(from(2, 4, 2, [1, 0]), ["result", 0, 2]);
    assert.deepEqual(from(0, 2, 3, [0, 1], [1, 0]), ["result", 2, 3]); // nothing that way
    // not above it, but the nearest higher one
    assert.deepEqual(from(1, 0, 4, [-1, 0]), ["right", 4, 0]);
    const places = [
        place("here", 1, 1, 0, 0),
        place("ahead", 1, 1, 90, 0),
        place("oblique", 1, 1, 20, 30),
    ];
    assert.deepEqual(named(findNeighbour(places, { place: places[0], i: 0, j: 0 }, [0, 1])), [
        "ahead",
        0,
        0,
    ]); // aligned comes before near
});

Deno.test("words turn where they are wider than their column and have room to; numbers do not, and only some are written", () => {
    assert.deepEqual([10, 20, 200].map((uw) => turnsLabels(matrix(1, 3, "a longer word"), uw)), [
        false,
        true,
        false,
    ]);
    assert.deepEqual([10, 20, 200].map((uw) => turnsLabels(matrix(1, 3, "1024"), uw)), [
        false,
        false,
        false,
    ]);
    const written = (labels, apart = 30) => {
        const group = { children: [], appendChild: (made) => group.children.push(made) };
        drawTicks(group, labels, (k) => [apart * k, 0], "middle");
        return group.children.map((made) => Number(made.textContent));
    };
    const count = (from, to) => Array.from({ length: to - from + 1 }, (_, k) => String(from + k));
    assert.deepEqual(written(count(1, 20)), [1, 8, 20]); // 16 would be too close to the last
    assert.deepEqual(written(count(3, 7)), [3, 7]);
    assert.deepEqual(written(["a", "b", "c"]), [1, 3]); // labels that are no numbers are counted
    assert.deepEqual(written(count(1, 40), 2), [1, 16, 40]);
});

Deno.test("matrices that do not fit beside each other begin a new line; none stands out, and none on another", () => {
    for (const [w, lines] of [[1400, 1], [400, 2], [290, 3]]) {
        const matrices = [1, 2, 3].map(() => decodeMatrix(matrix(4, 6))),
            data = { across: 3 },
            room = { ...ROOM, w };
        const frame = matricesFrame(matrices, data, room),
            sizes = cellSizes(matrices, data, frame, room);
        const { width, spots } = matrixSpots(matrices, data, frame, sizes);
        assert.equal(new Set(spots.map(({ top }) => top)).size, lines);
        assert.ok(width <= w);
        spots.slice(1).forEach((after, k) => {
            const before = spots[k], { uw, uh } = sizes[k];
            assert.ok(after.x >= before.x + 6 * uw || after.top >= before.y + 4 * uh);
            assert.ok(after.top === before.top || after.x === frame.labelWidth);
        });
    }
});

Deno.test("long rows show their numbers where they have room", () => {
    const width = (m) => {
        const matrices = [1, 2].map(() => decodeMatrix({ ...matrix(4, m), wide: true }));
        const data = { across: 2 }, frame = matricesFrame(matrices, data, ROOM);
        return cellSizes(matrices, data, frame, ROOM)[0].uw;
    };
    assert.ok(width(12) >= NUMBERED && width(64) < 9);
    assert.equal(width(20), 20);
});

Deno.test("many layers of small pictures stand in two columns where they fit, within the width; few, or wide ones, stay as they are", () => {
    const lines = (layers, heads, words, w) => {
        const title = (k) => `${Math.floor(k / heads) + 1}·${k % heads + 1} «`;
        const given = Array.from(
            { length: layers * heads },
            (_, k) => ({ ...matrix(words, words), bare: true, hideColumns: true, title: title(k) }),
        );
        const matrices = given.map(decodeMatrix), room = { ...ROOM, w };
        const data = chooseMatricesPerRow({
            across: heads,
            matrices: given,
            maxCell: Math.max(2, Math.floor(66 / words)),
        }, room);
        const frame = matricesFrame(matrices, data, room),
            sizes = cellSizes(matrices, data, frame, room);
        const { spots } = matrixSpots(matrices, data, frame, sizes);
        spots.forEach(({ x, top }, k) => {
            assert.ok(x + words * sizes[k].uw <= w);
            assert.ok(
                !k || spots[k - 1].top < top || x >= spots[k - 1].x + words * sizes[k].uw + 4,
            );
        });
        return new Set(spots.map(({ top }) => top)).size;
    };
    assert.deepEqual([
        lines(30, 9, 5, 1100),
        lines(12, 9, 5, 1100),
        lines(30, 9, 30, 1100),
        lines(31, 9, 12, 1100),
        lines(30, 9, 5, 900),
        lines(6, 9, 5, 350), // on a phone each layer has two
    ], [15, 12, 30, 16, 30, 12]);
});

Deno.test("chips stand in one line where they fit, else in as many as it takes: each within the drawing, none on another", () => {
    for (const [w, isSingle] of [[1000, true], [260, false]]) {
        const tokens = Array.from({ length: 7 }, (_, k) => `token${k}`),
            rows = [tokens, tokens.slice(0, 4)];
        const layout = vocabularyLayout({ tokens, entries: rows[1] }, { ...ROOM, w });
        assert.equal(layout.single, isSingle);
        const boxes = rows.flatMap((words, row) => words.map((_, k) => layout.spot(row, k)));
        assert.equal(new Set(boxes.map(({ y }) => y)).size === 2, isSingle);
        boxes.forEach((box, k) => {
            assert.ok(
                box.x - box.w / 2 >= 0 && box.x + box.w / 2 <= layout.width && box.y > 17 &&
                    box.y < layout.height - 17,
            );
            assert.ok(
                boxes.slice(k + 1).every((other) =>
                    other.y !== box.y || other.x - other.w / 2 >= box.x + box.w / 2
                ),
            );
        });
    }
});

Deno.test("a word's line runs in gutters: through no other word, however many lines there are", () => {
    for (const [w, count] of [[240, 22], [390, 13], [895, 40]]) {
        const tokens = Array.from({ length: count }, (_, k) => `token${k}`);
        const layout = vocabularyLayout({ tokens, entries: tokens }, { ...ROOM, w });
        const boxes = [0, 1].flatMap((row) => tokens.map((_, k) => layout.spot(row, k)));
        tokens.forEach((_, t) => {
            const id = (7 * t) % count,
                points = layout.way(t, id),
                [a, b] = [layout.spot(0, t), layout.spot(1, id)];
            for (
                const { x, y, w: wide } of boxes.filter((box) =>
                    ![a, b].some((end) => end.x === box.x && end.y === box.y)
                )
            ) {
                points.slice(1).forEach(([x1, y1], k) => {
                    const [x0, y0] = points[k];
                    const beside = Math.max(x0, x1) <= x - wide / 2 ||
                        Math.min(x0, x1) >= x + wide / 2;
                    assert.ok(beside || Math.max(y0, y1) < y - 17 || Math.min(y0, y1) > y + 17);
                });
            }
            assert.ok(points.every(([x]) => x >= 0 && x <= layout.width));
        });
    }
});

Deno.test("the first layer of a tower is the lowest, nothing leaves the drawing, and words are told only where they fit", () => {
    for (const [layers, heads, words] of [[2, 3, 6], [6, 20, 3], [6, 1, 1], [1, 20, 32]]) {
        const matrices = Array.from(
            { length: layers * heads },
            () => decodeMatrix(matrix(words, words)),
        );
        const layout = towerLayout(matrices, { across: heads, maxCell: 25 }, { ...ROOM, w: 980 });
        const spots = matrices.map((_, k) => layout.spot(k)),
            tops = Array.from({ length: layers }, (_, layer) => spots[layer * heads].y);
        assert.deepEqual(tops, [...tops].sort((a, b) => b - a));
        assert.ok(tops.at(-1) + layout.high / 2 - layout.tall / 2 - 30 >= 0);
        assert.ok(tops[0] + layout.high / 2 + layout.tall / 2 <= layout.height);
        const size = words * layout.cell;
        assert.ok(spots.every(({ x, y }) => x + size <= layout.width && y + size <= layout.height));
        const lines = Array.from(
            { length: Math.ceil(heads / layout.perLine) },
            (_, line) => tops[0] + line * (size + 22),
        );
        assert.deepEqual([...new Set(spots.slice(0, heads).map(({ y }) => y))], lines);
        assert.ok(layout.words <= 4 || layout.cell >= 11);
    }
});

Deno.test("on a projector twenty heads stand in as many lines as make their pictures largest, and all fits the screen's share", () => {
    const room = { ...ROOM, w: 846, h: 350, fit: true };
    const { perLine, cell, height } = towerLayout(
        Array.from({ length: 40 }, () => decodeMatrix(matrix(6, 6))),
        { across: 20, maxCell: 25 },
        room,
    );
    assert.deepEqual([perLine, cell], [10, 7]); // in one line, 3
    assert.ok(height <= room.h);
});

// The stations of a machine with these sizes, as sent by Python.
function machine(words, d_model, d_k, d_v, heads) {
    const station = (name, m, more = {}) => ({
        ...{ name, title: name[0], shape: `${words} × ${m}`, over: "· W_q", under: `${m} × ${m}` },
        matrix: decodeMatrix(matrix(words, m)),
        ...more,
    });
    const text = Array.from({ length: words }, (_, k) => `word${k}`);
    const drawn = Math.min(heads, 4, Math.max(1, Math.floor(128 / d_v)));
    const others = Array.from({ length: Math.min(heads - 1, 4) }, (_, k) => ({ head: k + 2 }));
    return [
        { ...station("words", 1), words: text, ids: text.map((_, k) => String(k)) },
        station("x", d_model, { sign: "+" }),
        station("q", d_k),
        station("k", d_k, { beside: "q", into: "scores" }),
        station("v", d_v, { beside: "q", into: "context" }),
        station("scores", words, { sign: "×", square: true }),
        station("weights", words, { square: true, others, more: "of other heads" }),
        station("context", d_v, { sign: "×" }),
        ...(heads > 1 ? [station("concat", drawn * d_v)] : []),
        station("output", d_v),
    ];
}

Deno.test("of a machine no station lies on another, none leaves the drawing, and along the line each row is at one height", () => {
    const sizes = [[6, 16, 24, 28, 3], [1, 1, 1, 1, 1], [32, 64, 64, 64, 20], [5, 3, 2, 64, 7]];
    for (const [words, d_model, ...more] of sizes) {
        for (const [w, h, fit] of [[1100, 1000, false], [350, 1000, false], [850, 370, true]]) {
            const stations = machine(words, d_model, ...more);
            const plan = machinePlan(stations, { ...ROOM, w, h, fit }, true);
            assert.equal(plan.spots.length, stations.length);
            assert.ok(plan.across === (w > 350) || d_model === 64);
            assert.ok(plan.width <= w || fit);
            plan.spots.forEach((spot, k) => {
                assert.ok(spot.x >= 0 && spot.right <= plan.width && spot.bottom <= plan.height);
                assert.ok(Math.abs(spot.h - words * plan.uh) < 1e-9); // equal row heights
                const apart = (other) =>
                    spot.right <= other.x || other.right <= spot.x ||
                    spot.bottom <= other.top || other.bottom <= spot.top;
                assert.ok(plan.spots.slice(k + 1).every(apart), spot.station.name);
            });
            const line = plan.spots.filter((spot) => !spot.station.beside);
            assert.equal(new Set(line.map(({ y }) => y.toFixed(6))).size === 1, plan.across);
            const { after } = plan;
            assert.ok(after.x + after.w <= plan.width && after.y + 93 <= plan.height);
        }
    }
});

Deno.test("the lines of a station's caption have room above its cells, in a line as from top to bottom", () => {
    const station = (name) => ({
        name,
        title: name,
        shape: "3 × 2",
        matrix: decodeMatrix(matrix(3, 2)),
        main: true,
    });
    for (const [w, across] of [[1100, true], [240, false]]) {
        const plan = machinePlan("abcdefgh".split("").map(station), { ...ROOM, w }, false);
        assert.equal(plan.across, across);
        // the second line's foot
        for (const { y, top, inLine } of plan.spots) assert.ok(y - top >= (inLine ? 19 : 32));
    }
});

Deno.test("the cells of a result in one row have room for their numbers", () => {
    const stations = ["words", "logits", "p"].map((name, k) => ({
        name,
        title: name,
        shape: "1 × 2",
        square: k > 0,
        main: true,
        ...(k ? { matrix: decodeMatrix(matrix(1, 2)) } : { words: ["a", "b"] }),
    }));
    const [, ...results] = machinePlan(stations, { ...ROOM, w: 850 }, false).spots;
    for (const { uw } of results) assert.ok(uw >= NUMBERED);
});
