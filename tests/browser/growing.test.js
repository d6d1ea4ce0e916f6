import assert from "node:assert/strict";
import { grownAfter, grownAtFirst } from "../../pages/shared/browser/growing.js";

const at = (page, link = "") => ({ page, link });

Deno.test("a first visit without a link has the opening alone; whoever comes by a link, or was here, has all of it", () => {
    assert.equal(grownAtFirst(null, at("")), 0);
    assert.equal(grownAtFirst(null, at("scores", "route=story&beat=4")), 0);
    assert.deepEqual(
        [at("", "seed=2"), at("scores"), at("scores", "route=short")].map((here) =>
            grownAtFirst(null, here)
        ),
        [4, 4, 4],
    );
    assert.deepEqual([1, 4].map((kept) => grownAtFirst(kept, at(""))), [1, 4]);
});

Deno.test("after the story the panel has a part more with each page, and never less; another way out has all", () => {
    const pages = ["vocabulary", "vocabulary", "embedding", "projection", "scores", "scores"];
    const grown = [];
    for (let k = 0, now = 1; k < pages.length; k++) {
        grown.push(now = grownAfter(now, k ? at(pages[k - 1]) : null, at(pages[k], "d_k=3")));
    }
    assert.deepEqual(grown, [1, 1, 2, 3, 4, 4]);
    assert.equal(grownAfter(0, at("", ""), at("", "route=story&beat=2")), 0);
    assert.equal(grownAfter(0, at("scores", "route=story&beat=4"), at("scores", "d_k=8")), 4);
    assert.equal(grownAfter(2, at("scores"), at("")), 2);
});
