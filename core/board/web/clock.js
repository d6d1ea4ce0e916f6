// The clock of all animations.

import { prefersLessMotion } from "./preferences.js";

const LONGEST_FRAME = 100; // milliseconds: time pauses in a hidden window

// Calls `show` with t from `from` to 1 over the given duration, then `ended`; with reduced motion
// shows only t = 1. Returns a function that stops it.
export function runClock(lasts, show, ended = () => {}, from = 0) {
    if (prefersLessMotion()) {
        show(1);
        ended();
        return () => {};
    }
    let [t, last, frame] = [from, null, 0];
    const step = (now) => {
        t = Math.min(t + Math.min(now - (last ?? now), LONGEST_FRAME) / lasts, 1);
        last = now;
        show(t);
        if (t < 1) frame = requestAnimationFrame(step);
        else ended();
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
}
