// Tells the reader when the server cannot be reached: at once if the browser says so, else as soon
// as an act stays unanswered and the server does not answer a request of its own either.

import { address } from "../../../core/board/web/address.js";
import { make } from "../../../core/board/web/dom.js";

const PATIENCE = 1500; // milliseconds until an unanswered act is looked into
const TIMEOUT = 2500;

async function isReachable() {
    if (!navigator.onLine) return false;
    try {
        const health = `${address.root()}/_stcore/health`, signal = AbortSignal.timeout(TIMEOUT);
        return (await fetch(health, { cache: "no-store", signal })).ok;
    } catch {
        return false;
    }
}

export function beginConnection() {
    let line = null, timer = null;
    function show(isDead) {
        line ??= make("p", { class: "ab-offline", role: "status" }, document.body);
        line.textContent = isDead
            ? "No connection: this page shows what you do as soon as it is back."
            : "";
    }
    function check(wait) {
        clearTimeout(timer);
        timer = setTimeout(async () => {
            const before = timer, isDead = !await isReachable();
            if (timer !== before) return; // answered meanwhile, or the browser said more
            timer = null;
            show(isDead);
            if (isDead || !address.isAnswered()) check(PATIENCE);
        }, wait);
    }
    window.addEventListener("attention-moved", () => {
        if (timer === null && !address.isAnswered()) check(PATIENCE);
    });
    window.addEventListener("attention-answered", () => {
        if (!address.isAnswered()) return;
        clearTimeout(timer);
        timer = null;
        show(false);
    });
    for (const kind of ["offline", "online"]) window.addEventListener(kind, () => check(0));
}
