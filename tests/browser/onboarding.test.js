import assert from "node:assert/strict";
import { isGrownAfter, isGrownAtStart } from "../../pages/shared/web/onboarding.js";

const at = (page, link = "") => ({ page, link });

Deno.test("a first visit without a link has the opening alone; whoever comes by a link, or was here, has all of it", () => {
    assert.equal(isGrownAtStart(0, at("")), 0);
    assert.equal(isGrownAtStart(0, at("scores", "route=story&beat=4")), 0);
    assert.deepEqual(
        [at("", "seed=2"), at("scores"), at("scores", "beat=2")].map((here) =>
            isGrownAtStart(0, here)
        ),
        [1, 1, 1],
    );
    assert.equal(isGrownAtStart(1, at("")), 1);
});

Deno.test("on the opening and within the story nothing grows, whatever is chosen there; every other page has all", () => {
    assert.equal(isGrownAfter(0, at("", "ending=fresh")), 0);
    assert.equal(isGrownAfter(0, at("", "route=story&beat=2")), 0);
    assert.equal(isGrownAfter(0, at("scores", "d_k=8")), 1);
    assert.equal(isGrownAfter(1, at("")), 1);
});
