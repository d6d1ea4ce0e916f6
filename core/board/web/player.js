// Play: a board animates its computation on the numbers that it shows.
// A view calls playable(host, svg, script, colours) after drawing. That adds a button; on a click
// `script(chosen)` returns a script (see primitives.js), or { why }: why there is nothing to play.
// Meanwhile the view's highlights in .ab-over are hidden; closing restores the drawing.

import { address } from "./address.js";
import { isEmbedded } from "./embed.js";
import { MAIN } from "./streamlit_page.js";
import { runClock } from "./clock.js";
import { drawControls } from "./controls.js";
import { consumeEvent, fill, listen, make, node } from "./dom.js";
import { ARROWS } from "./pointing.js";
import { drawScript } from "./primitives.js";
import { isInLecture, prefersLessMotion } from "./preferences.js";

const KEYS_SAID =
    "On the board: p plays and pauses, . goes one step on, and , one step back; 1 to 4 go to the parts below the figure";

let onStage = null; // the current animation, at most one; a lecture's keys control it

// What the animation depends on: the data without the chosen cell and the frame of a row.
const serializeMotion = ({ chosen: _chosen, alt: _alt, ...rest }) =>
    JSON.stringify(rest, (name, value) => (name === "frame" ? undefined : value));

// Adds Play to a board; redrawn with the same numbers (new width or theme), it continues.
export function addPlay(host, svg, script, colours) {
    const button = make(
        "button",
        {
            type: "button",
            class: "ab-play",
            "aria-keyshortcuts": "P",
            title: KEYS_SAID,
        },
        null,
        "Play",
    );
    // At the top of the board, where it is seen; in a lecture in the foot, which saves a line.
    if (isInLecture()) host.querySelector(":scope > .ab-foot").prepend(button);
    else {
        const head = make("div", { class: "ab-lead" });
        head.append(button);
        (host.querySelector(":scope > .ab-windows") ?? svg).before(head);
        host.classList.add("ab-led"); // a line above the drawing
    }
    const board = host.stage = { host, svg, script, colours, button };
    button.addEventListener("click", () => whenAnswered(host, playOrPause));
    svg.setAttribute("aria-keyshortcuts", "P . ,");
    listen(svg, "keydown", (event) => {
        handleMotionKey(board, event);
        if (ARROWS[event.key]) host.motion?.end(); // another cell is chosen by keyboard
    });
    listen(svg, "click", () => host.motion?.end());
    const before = host.motion;
    host.motion = null;
    if (before && before.of === serializeMotion(host.drawing)) beginMotion(board, before);
    else before?.end();
}

// Starts the animation after all pending reruns: a click on a word before Play applies to that
// word.
function whenAnswered(host, ask) {
    if (!address.isAnswered()) {
        const again = () => whenAnswered(host, ask);
        window.addEventListener("attention-answered", again, { once: true });
    } else if (host.isConnected && !host.motion) ask(beginMotion(host.stage));
}

const FRESH = { k: 0, t: 0, chosen: null, isPlaying: false, isFollowed: true, of: "" };

function beginMotion(board, before = FRESH) {
    if (onStage !== before) onStage?.end();
    const { host, svg, colours } = board;
    const chosen = before.chosen ?? host.drawing.chosen;
    const script = board.script(chosen);
    const motion = {
        ...board,
        chosen,
        script,
        k: Math.min(before.k, (script.stations?.length ?? 1) - 1),
        t: before.t,
        isPlaying: false,
        isFollowed: before.isFollowed,
        stop: () => {},
        of: serializeMotion(host.drawing),
        end: () => endMotion(motion),
        show: (k, t) => showMoment(motion, k, t), // for recording films
        layer: null,
        moves: null,
        controls: null,
    };
    motion.size = Object.fromEntries(
        ["width", "height", "viewBox"].map((name) => [name, svg.getAttribute(name)]),
    );
    host.motion = onStage = motion;
    host.classList.remove("ab-moving");
    const { height } = host.getBoundingClientRect();
    host.classList.add("ab-moving");
    svg.querySelector(".ab-over")?.setAttribute("display", "none");
    motion.layer = node("g", { class: "ab-motion" }, svg);
    motion.controls = drawControls(motion, { playOrPause, step: stepMotion, seek: showStation });
    motion.controls.panel.addEventListener("keydown", (event) => handleMotionKey(motion, event));
    host.dispatchEvent(new Event("attention-plays", { bubbles: true }));
    makeRoom(motion, script.room);
    // what is higher than the board lies over the page below, which stays where it is
    if (!isInLecture()) {
        host.style.marginBottom = `${height - host.getBoundingClientRect().height}px`;
    }
    if (script.why) return motion;
    motion.moves = drawScript(motion.layer, script, colours);
    showMoment(motion, motion.k, motion.t);
    if (!before.of) bringIntoView(motion);
    if (before.isPlaying) playTo(motion, script.stations.length - 1);
    return motion;
}

function endMotion(motion) {
    const { host, svg, button, layer, controls: { panel } } = motion;
    const focused = panel.contains(document.activeElement);
    motion.stop();
    if (layer.isConnected) makeRoom(motion, 0); // else it was redrawn
    layer.remove();
    panel.remove();
    svg.querySelector(".ab-over")?.removeAttribute("display");
    host.classList.remove("ab-moving");
    host.style.marginBottom = "";
    if (focused) button.focus({ preventScroll: true });
    if (host.motion === motion) host.motion = null;
    if (onStage === motion) onStage = null;
}

// The animation needs more height. On a screen with less room the drawing shrinks; on a page it
// keeps its size where it would become unreadable.
const ABOVE = 120; // pixels that the bar of pages takes, as in motion.css
function makeRoom({ host, svg, size, controls: { panel } }, room) {
    if (!room) return void fill(svg, size);
    const [, , wide, high] = size.viewBox.split(" ").map(Number);
    const higher = (size.height * (high + room)) / high;
    const screen = isInLecture() && document.querySelector(MAIN);
    const beside = [...host.children].filter((child) => child !== svg && child !== panel)
        .reduce((total, child) => total + child.offsetHeight, 0);
    const free = innerHeight - ABOVE -
        (isOver(panel) ? Math.max(beside, panel.offsetHeight) : beside + panel.offsetHeight);
    const fits = (scale) =>
        screen ? screen.scrollHeight <= screen.clientHeight : higher * scale <= free;
    const scales = screen ? [1, 0.9, 0.8, 0.7, 0.6, size.height / higher] : [1, 0.9, 0.8, 0.75, 1];
    for (const scale of scales) {
        fill(svg, {
            width: size.width * scale,
            height: higher * scale,
            viewBox: `0 0 ${wide} ${high + room}`,
        });
        if (fits(scale)) return;
    }
}

// ---------- time ----------

function showMoment(motion, k, t) {
    const isTall = motion.isFollowed && motion.k !== k &&
        motion.svg.getBoundingClientRect().height > innerHeight;
    Object.assign(motion, { k, t });
    motion.moves(k, t);
    if (isTall) bringIntoView(motion);
    motion.controls.tell();
}

// On a phone the controls lie over the bottom of the screen.
const isOver = (panel) => getComputedStyle(panel).position === "fixed";

// Scrolls the whole drawing into view, or its beginning: on a phone above the controls. In a
// drawing higher than the screen, scrolls to what moves.
function bringIntoView({ host, svg, layer, controls: { panel } }) {
    const over = isOver(panel), board = over ? svg : host;
    const moving = svg.getBoundingClientRect().height > innerHeight &&
        layer.querySelector(".ab-link-hot, .ab-flying, .ab-chosen");
    const { top, bottom } = (moving || board).getBoundingClientRect();
    if (top >= ABOVE && bottom < innerHeight * (moving || over ? 0.6 : 1)) return;
    const fits = !over && bottom - top + ABOVE <= innerHeight;
    (moving || board).scrollIntoView({
        block: moving ? "center" : fits ? "nearest" : "start",
        behavior: prefersLessMotion() ? "auto" : "smooth",
    });
}

// Plays to the end of station `last`.
function playTo(motion, last) {
    motion.stop();
    motion.isPlaying = true;
    motion.stop = runClock(
        motion.script.stations[motion.k].lasts,
        (t) => motion.layer.isConnected ? showMoment(motion, motion.k, t) : motion.stop(),
        () => {
            if (motion.k === last) return pauseMotion(motion);
            showMoment(motion, motion.k + 1, 0);
            playTo(motion, last);
        },
        motion.t,
    );
    motion.controls.tell();
}

function pauseMotion(motion) {
    motion.stop();
    motion.isPlaying = false;
    motion.controls.tell();
}

// With reduced motion, each press shows the end of the next station.
function playOrPause(motion) {
    const { script, k, t, isPlaying } = motion;
    if (script.why) return;
    if (isPlaying) return pauseMotion(motion);
    if (prefersLessMotion()) return stepMotion(motion, t < 1 ? 0 : 1);
    const last = script.stations.length - 1;
    if (k === last && t === 1) showMoment(motion, 0, 0);
    playTo(motion, last);
}

// Plays the next station, or shows the end of the previous one. Returns false past either end.
function stepMotion(motion, by) {
    const { script, k, t, isPlaying } = motion;
    if (script.why) return false;
    const { length } = script.stations;
    if (k + by >= length && t < 1) by = 0; // the last station is still playing
    else if (k + by < 0 || k + by >= length) return false;
    pauseMotion(motion);
    if (by < 0 || prefersLessMotion() || (by === 0 && isPlaying)) showMoment(motion, k + by, 1);
    else {
        showMoment(motion, k + by, by ? 0 : t);
        playTo(motion, k + by);
    }
    return true;
}

function showStation(motion, k) {
    pauseMotion(motion);
    showMoment(motion, k, 1);
}

// ---------- keys ----------

// Keys on the board or on the player's controls.
function handleMotionKey(board, event) {
    const { motion } = board.host;
    if (event.ctrlKey || event.metaKey || event.altKey || !["p", ".", ","].includes(event.key)) {
        return;
    }
    if (motion && event.key === "p") playOrPause(motion);
    else if (motion) stepMotion(motion, event.key === "." ? 1 : -1);
    else if (event.key === "p") whenAnswered(board.host, playOrPause);
    else if (event.key === ".") whenAnswered(board.host, (begun) => stepMotion(begun, 0));
    consumeEvent(event);
}

// The keys for the next page (in a lecture: beat) step through a running animation first; before
// its first and after its last station they close it. In a lecture → then also goes to the next
// beat. An embedded board leaves them to the slides around it.
const PAGE_KEYS = { ArrowRight: 1, ArrowLeft: -1 };
const LECTURE_KEYS = { ...PAGE_KEYS, " ": 1, PageDown: 1, PageUp: -1 };

export function beginMotionKeys() {
    // who has turned to another part of the page is not brought back
    const turnTo = ({ target }) => {
        if (onStage) onStage.isFollowed = onStage.controls.panel.contains(target);
    };
    for (const kind of ["pointerdown", "wheel"]) {
        window.addEventListener(kind, turnTo, { capture: true, passive: true });
    }
    window.addEventListener("keydown", (event) => {
        if (onStage && !onStage.layer.isConnected) onStage = null;
        const by = (isInLecture() ? LECTURE_KEYS : PAGE_KEYS)[event.key];
        if (
            !onStage || !by || isEmbedded() || event.repeat || event.ctrlKey || event.metaKey ||
            event.altKey
        ) return;
        if (document.activeElement?.closest("input, select, textarea, [role=application]")) return;
        // Space presses the focused button
        if (event.key === " " && document.activeElement?.closest("button, a, summary")) return;
        if (stepMotion(onStage, by)) return consumeEvent(event);
        onStage.end();
        if (by < 0 || !isInLecture()) consumeEvent(event);
    }, true);
}
