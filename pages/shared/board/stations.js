// A performance on its way: from station to station, in a reader's time.

import { fill } from "./dom.js";
import { inLecture, lessMotion } from "./screen.js";
import { MAIN } from "../browser/streamlit_page.js";

export const SPEEDS = { slow: 0.5, normal: 1, fast: 2.5 };
const LONGEST_FRAME = 100; // milliseconds: behind another window time stands still

// The piece as it is played in this way, at this moment of it.
export function takeUp(motion, k, t) {
    motion.piece = motion.perform(motion);
    motion.moves = null;
    makeRoom(motion, motion.piece.room ?? 0);
    if (motion.piece.why) motion.controls.refuse(motion.piece.why);
    else showMoment(motion, Math.min(k, motion.piece.count - 1), t);
}

// The drawing is higher meanwhile. Where the screen has less room than that (below the bar of
// pages, on a phone over the controls), all of it is drawn smaller; what could not be read then
// stays as it is.
export function makeRoom(motion, room) {
    const { svg, size: [[width, wide], [height, high]] } = motion;
    const higher = (height * (high + room)) / high;
    const { scales, fits } = room
        ? waysToFit(motion, height, higher)
        : { scales: [1], fits: () => true };
    for (const scale of scales) {
        fill(svg, {
            width: width * scale,
            height: higher * scale,
            viewBox: `0 0 ${wide} ${high + room}`,
        });
        if (fits(scale)) return;
    }
}

const SHOWN_FROM = 120; // pixels below the screen's top, as in motion.css

function waysToFit({ host, svg, controls: { panel } }, height, higher) {
    const screen = inLecture() && document.querySelector(MAIN);
    if (screen) {
        return {
            scales: [1, 0.9, 0.8, 0.7, 0.6, height / higher],
            fits: () => screen.scrollHeight <= screen.clientHeight,
        };
    }
    const isOver = getComputedStyle(panel).position === "fixed";
    const beside = isOver ? [panel] : [...host.children].filter((child) => child !== svg);
    const room = innerHeight - SHOWN_FROM -
        beside.reduce((sum, child) => sum + child.offsetHeight, 0);
    return {
        scales: isOver ? [1, 0.9, 0.8, 0.75, 1] : [1, 0.95, 0.9, 0.85, 0.8, 1],
        fits: (scale) => higher * scale <= room,
    };
}

export function showMoment(motion, k, t) {
    const { layer, piece, controls } = motion;
    const entered = !motion.moves || motion.k !== k;
    Object.assign(motion, { k, t });
    if (entered) {
        layer.replaceChildren();
        motion.moves = piece.enter(layer, k);
        controls.tell();
    }
    motion.moves(t);
}

// Play on to the end of this station.
export function runUntil(motion, until) {
    motion.until = until;
    motion.controls.tell();
    cancelAnimationFrame(motion.frame);
    let last = null;
    const frame = (now) => {
        if (!motion.layer.isConnected) return;
        const { k, t, piece, speed } = motion;
        const next = t +
            (Math.min(now - (last ?? now), LONGEST_FRAME) * SPEEDS[speed]) / piece.lasts(k);
        last = now;
        showMoment(motion, k, Math.min(next, 1));
        if (next >= 1 && k === motion.until) return rest(motion);
        if (next >= 1) showMoment(motion, k + 1, 0);
        motion.frame = requestAnimationFrame(frame);
    };
    motion.frame = requestAnimationFrame(frame);
}

// It stands still, and what it came to is chosen: not in a lecture, where the next station is only
// a key away.
export function rest(motion, isStopped = !inLecture()) {
    cancelAnimationFrame(motion.frame);
    motion.until = -1;
    motion.controls.tell();
    const cell = isStopped && motion.piece.reached?.(motion.k, motion.t);
    if (cell) motion.send(cell);
}

export function askedToPlay(motion, fromTheStart = false) {
    const { piece, until, k, t } = motion;
    if (piece.why) return;
    if (until >= 0) return rest(motion, true);
    if (lessMotion()) return stepMotion(motion, fromTheStart || t < 1 ? 0 : 1);
    if (k === piece.count - 1 && t === 1) showMoment(motion, 0, 0);
    runUntil(motion, piece.count - 1);
}

// One station on, which plays, or back, which shows how it ended. False past either end.
export function stepMotion(motion, by) {
    const { piece, k, t } = motion;
    if (piece.why) return false;
    if (k + by >= piece.count && t < 1) by = 0; // the last one is still on its way
    else if (k + by < 0 || k + by >= piece.count) return false;
    const isSeen = by < 0 || lessMotion() || (by === 0 && motion.until >= 0);
    showMoment(motion, k + by, isSeen ? 1 : by ? 0 : t);
    if (isSeen) rest(motion);
    else runUntil(motion, k + by);
    return true;
}
