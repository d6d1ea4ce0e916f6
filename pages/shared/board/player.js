// The player's controls while a board performs, in the place of Play, and beside them the sentence
// on what there is to see. On a phone they stay at the screen's bottom as long as the board is in
// view (motion.css).

import { fill, make, press } from "./dom.js";
import { inLecture, lessMotion } from "./screen.js";
import { askedToPlay, rest, runUntil, showMoment, SPEEDS, stepMotion, takeUp } from "./stations.js";

const PLAYER_ROOM = 140; // pixels of a window that the bar of pages takes, and some air

export function drawControls(motion) {
    const panel = make("div", { class: "ab-player", role: "group", "aria-label": "Motion" });
    const line = make("div", { class: "ab-player-line" }, panel);
    const still = lessMotion();
    const back = arrow(line, "‹", "Back", () => stepMotion(motion, -1));
    const play = still ? null : press(line, "Pause", () => askedToPlay(motion));
    const on = arrow(line, "›", "Next", () => stepMotion(motion, 1));
    const count = make("span", { class: "ab-player-count" }, line);
    if (!still) {
        pick(line, "Speed", Object.keys(SPEEDS), motion.speed, (speed) => {
            motion.speed = speed;
        });
    }
    if (motion.ways.length) {
        pick(line, "Way", motion.ways, motion.way, (way) => changeWay(motion, way));
    }
    const close = press(line, "Close", motion.end);
    for (const [button, key] of [[back, ","], [play, "P"], [on, "."]]) {
        button?.setAttribute("aria-keyshortcuts", key);
    }
    const scrub = drawScrubber(motion, panel);
    const says = make(
        "p",
        { class: "ab-player-says", role: "status", "aria-live": "polite" },
        panel,
    );
    if (inLecture()) motion.svg.after(panel);
    else motion.button.after(panel);
    hideOutOfView(motion.svg, panel);
    const tell = () => {
        const { piece, k, t, until } = motion;
        if (says.textContent !== piece.says(k)) says.textContent = piece.says(k);
        count.textContent = `${k + 1} / ${piece.count}`;
        scrub.tell();
        back.disabled = k === 0;
        on.disabled = k === piece.count - 1 && until < 0 && t === 1;
        // for who waits until it is through
        panel.dataset.state = until >= 0 ? "playing" : "resting";
        if (play) play.textContent = until >= 0 ? "Pause" : "Play";
    };
    const refuse = (why) => {
        says.textContent = why;
        scrub.remove();
        for (const other of [...line.children]) if (other !== close) other.remove();
    };
    motion.controls = { panel, tell, refuse };
    // It takes the place of the button that was pressed, so that keys play on; in a lecture Space
    // stays with the beats.
    if (motion.button.matches(inLecture() ? ":focus-visible" : ":focus")) {
        (play ?? on).focus({ preventScroll: true });
    }
    showFromItsTop(motion, panel);
}

function arrow(line, sign, name, act) {
    const button = press(line, sign, act);
    return fill(button, { class: "ab-player-arrow", "aria-label": name, title: name });
}

// All stations as a line, with a tick for each: whoever moves along it sees how each ends.
function drawScrubber(motion, panel) {
    const scrub = make("div", { class: "ab-player-scrub" }, panel);
    const slider = make(
        "input",
        { type: "range", min: 1, step: 1, "aria-label": "Station" },
        scrub,
    );
    const ticks = make("div", { class: "ab-player-ticks", "aria-hidden": "true" }, scrub);
    slider.addEventListener("input", () => {
        showMoment(motion, Number(slider.value) - 1, 1);
        rest(motion);
        if (inLecture()) slider.blur();
    });
    const tell = () => {
        const { piece, k } = motion;
        fill(slider, { max: piece.count, "aria-valuetext": piece.says(k) });
        slider.value = k + 1;
        if (ticks.childElementCount === piece.count) return;
        ticks.replaceChildren();
        for (let station = 0; station < piece.count; station++) make("i", {}, ticks);
    };
    return { tell, remove: () => scrub.remove() };
}

// Controls that stay on the screen give way to what a reader scrolls on to.
function hideOutOfView(svg, panel) {
    const watcher = new IntersectionObserver(([{ isIntersecting }]) => {
        panel.classList.toggle("ab-player-away", !isIntersecting);
        if (!panel.isConnected) watcher.disconnect();
    });
    watcher.observe(svg);
}

// What is performed often begins at the top: all of it shows where it has room, else its beginning.
// Over controls that stay on the screen always the drawing's own beginning, without the line that
// the button has left.
function showFromItsTop({ host, svg }, panel) {
    const isOver = getComputedStyle(panel).position === "fixed";
    const fits = !isOver && host.offsetHeight + PLAYER_ROOM <= innerHeight;
    (isOver ? svg : host).scrollIntoView({
        block: fits ? "nearest" : "start",
        behavior: lessMotion() ? "auto" : "smooth",
    });
}

// From a list that says what it is of. In a lecture it gives the keys back.
function pick(line, name, choices, chosen, change) {
    const list = make("select", { "aria-label": name }, line);
    for (const choice of choices) {
        make("option", choice === chosen ? { selected: "" } : {}, list, choice);
    }
    list.addEventListener("change", () => {
        change(list.value);
        if (inLecture()) list.blur();
    });
}

// From its first station on.
function changeWay(motion, way) {
    const isPlaying = motion.until >= 0;
    Object.assign(motion, { way, until: -1 });
    takeUp(motion, 0, 0);
    if (isPlaying) runUntil(motion, motion.piece.count - 1);
    else motion.controls.tell();
}
