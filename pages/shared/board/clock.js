// Time, for whatever moves.

import { lessMotion } from "./screen.js";

const LONGEST_FRAME = 100; // milliseconds: behind another window time stands still

// Shows each moment from `from` to 1 in the time it lasts, the last one at once where a reader
// wants no motion, and tells when it has ended. What is returned stops it.
export function runClock(lasts, show, ended = () => {}, from = 0) {
    if (lessMotion()) {
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
