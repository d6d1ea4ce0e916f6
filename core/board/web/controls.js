// The player's controls, shown below the drawing, with the sentence about the current step. On a
// phone they stay at the bottom of the screen while the board is visible (motion.css). And how a
// finger moves any slider of the page.

import { make, makeButton } from "./dom.js";
import { isInLecture, prefersLessMotion } from "./preferences.js";

export function drawControls(motion, { playOrPause, step, seek }) {
    const { host, script, svg, button } = motion;
    const panel = make("div", { class: "ab-player", role: "group", "aria-label": "Motion" });
    const line = make("div", { class: "ab-player-line" }, panel);
    const still = prefersLessMotion() || script.why;
    const arrow = (sign, name, key, by) =>
        makeButton(line, sign, () => step(motion, by), {
            class: "ab-player-arrow",
            title: name,
            "aria-label": name,
            "aria-keyshortcuts": key,
        });
    const back = script.why ? null : arrow("‹", "Back", ",", -1);
    const play = still
        ? null
        : makeButton(line, "Pause", () => playOrPause(motion), { "aria-keyshortcuts": "P" });
    const on = script.why ? null : arrow("›", "Next", ".", 1);
    const count = make("span", { class: "ab-player-count" }, line);
    const close = makeButton(line, "Close", motion.end);
    const slider = script.why ? null : drawSlider(panel, motion, seek);
    const says = make(
        "p",
        { class: "ab-player-says", role: "status", "aria-live": "polite" },
        panel,
    );
    host.querySelector(":scope > .ab-foot").before(panel);
    // as high as its highest sentence, so that nothing below moves
    const heights = [script.why, ...(script.stations ?? []).map((each) => each.says)].map(
        (text) => {
            says.textContent = text ?? "";
            return says.offsetHeight;
        },
    );
    says.style.minHeight = `${Math.max(...heights)}px`;
    says.textContent = script.why ?? "";
    hideOutOfView(svg, panel);
    // Takes the focus from the pressed button, so that keys keep working; in a lecture the Space
    // key stays with the beats.
    if (button.matches(isInLecture() ? ":focus-visible" : ":focus")) {
        (play ?? on ?? close).focus({ preventScroll: true });
    }
    const tell = () => {
        const { stations } = script, { k, t, isPlaying } = motion;
        if (says.textContent !== stations[k].says) says.textContent = stations[k].says;
        count.textContent = `${k + 1} / ${stations.length}`;
        slider.value = k + 1;
        slider.setAttribute("aria-valuetext", stations[k].says);
        back.disabled = k === 0;
        on.disabled = k === stations.length - 1 && !isPlaying && t === 1;
        panel.dataset.state = isPlaying ? "playing" : "resting"; // read by tests and films
        if (play) play.textContent = isPlaying ? "Pause" : "Play";
    };
    return { panel, tell };
}

// A slider over all stations; dragging shows how each ends.
function drawSlider(panel, motion, seek) {
    const slider = make("input", {
        type: "range",
        class: "ab-player-scrub",
        min: 1,
        max: motion.script.stations.length,
        "aria-label": "Station",
    }, panel);
    slider.addEventListener("input", () => {
        seek(motion, Number(slider.value) - 1);
        if (isInLecture()) slider.blur();
    });
    return slider;
}

// A finger's touch moves a slider at once. That counts when the finger drags on or lets go: if it
// scrolls the page instead, the slider stays where it was.
export function beginSliders() {
    let slider = null, before = "", waits = false;
    const listen = (kind, act) => window.addEventListener(kind, act, true);
    listen("pointerdown", ({ pointerType, target }) => {
        slider = pointerType === "touch" && target.type === "range" ? target : null;
        [before, waits] = [target.value, false];
    });
    listen("input", (event) => {
        if (event.target !== slider) return;
        waits = !waits && slider.value !== before;
        if (waits) event.stopImmediatePropagation();
        else slider = null;
    });
    listen("pointerup", () => {
        if (slider && waits) slider.dispatchEvent(new Event("input", { bubbles: true }));
    });
    listen("pointercancel", () => {
        if (slider && waits) slider.value = before;
        slider = null;
    });
}

// Hides controls that are fixed to the screen when the board is scrolled out of view.
function hideOutOfView(svg, panel) {
    const watcher = new IntersectionObserver(([{ isIntersecting }]) => {
        panel.classList.toggle("ab-player-away", !isIntersecting);
        if (!panel.isConnected) watcher.disconnect();
    });
    watcher.observe(svg);
}
