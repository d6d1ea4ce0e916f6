// The window's heartbeat, over a fake server and clock.
import { address } from "../../core/board/web/address.js";
import assert from "node:assert/strict";
import { window } from "./page.js";
import { beginConnection } from "../../pages/shared/web/connection.js";

Deno.test("the server is asked again and again while the window is seen, and what it says last counts", async () => {
    const asked = [], later = [], heard = [];
    globalThis.fetch = () => new Promise((answer, fail) => asked.push({ answer, fail }));
    globalThis.setTimeout = (act) => later.push(act);
    address.root = () => "http://here";
    document.body = document.createElement();
    window.addEventListener("attention-heartbeat", ({ detail }) => heard.push(detail));
    const settle = async () => {
        for (let k = 0; k < 9; k++) await null;
    };
    beginConnection();
    asked[0].answer({ ok: true });
    await settle();
    later[0]();
    window.dispatchEvent(new Event("offline")); // while the second is on its way
    asked[1].answer({ ok: true });
    asked[2].fail();
    await settle();
    later[1]();
    asked[3].answer({ ok: true });
    await settle();
    document.hidden = true;
    later[2]();
    assert.equal(asked.length, 4);
    assert.deepEqual(heard, [
        { isDead: false, isBack: false },
        { isDead: true, isBack: false },
        { isDead: false, isBack: true },
    ]);
});
