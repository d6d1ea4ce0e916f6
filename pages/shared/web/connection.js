// The window's heartbeat: while it is seen it asks the server every two seconds whether it is
// there, and tells the reader as soon as it is not. "attention-heartbeat" hands each result on.

import { address } from "../../../core/board/web/address.js";
import { make } from "../../../core/board/web/dom.js";

const PAUSE = 2000; // milliseconds from one answer to the next request
const TIMEOUT = 2500; // a line that swallows everything is told within both, five seconds at most

async function isReachable() {
    try {
        const health = `${address.root()}/_stcore/health`, signal = AbortSignal.timeout(TIMEOUT);
        return (await fetch(health, { cache: "no-store", signal })).ok;
    } catch {
        return false;
    }
}

export function beginConnection() {
    const told = make("p", { class: "ab-offline", role: "status" }, document.body);
    let wasDead = false, latest = 0;
    async function beat(event) {
        const mine = latest += 1;
        if (document.hidden) return;
        const isDead = !await isReachable();
        if (mine !== latest) return; // the browser said more meanwhile
        if (isDead !== wasDead) {
            told.textContent = isDead
                ? "No connection: this page shows what you do as soon as it is back."
                : "";
        }
        const isBack = !isDead && Boolean(wasDead || event);
        wasDead = isDead;
        window.dispatchEvent(
            new CustomEvent("attention-heartbeat", { detail: { isDead, isBack } }),
        );
        setTimeout(() => mine === latest && beat(), PAUSE);
    }
    for (const kind of ["offline", "online"]) window.addEventListener(kind, beat);
    document.addEventListener("visibilitychange", beat);
    beat();
}
