// Motion: a board performs what it computes, on the numbers that it shows. One player for every
// view.
//
// A view that can play says so once it is drawn: playable(host, svg, send, perform, ways). That
// makes a button, and nothing else happens until a reader asks. Then `perform({ chosen, way })`,
// `way` one of `ways`, gives the piece that is played:
//   count            how many stations it has; a station is one thing that there is to see
//   says(k)          a sentence on station k
//   lasts(k)         how long it takes, in milliseconds, at normal speed
//   enter(layer, k)  draws its beginning into `layer`, which is empty and lies over the drawing;
//   returns what moves it: (t) =>,
//                    t from 0 to 1. All that earlier stations have left stands there too.
//   room             how much higher than the drawing it is, in the drawing's own measure; nothing:
//                    it lies over it
//   reached(k, t)    the cell that it has come to, { matrix, row, column }, which is chosen where a
//   reader stops; null: none
// or { why }: a sentence on why it cannot be played. What the view draws into .ab-over gives way to
// the layer meanwhile.

import { alone } from "../browser/alone.js";
import { listen, make, node, used } from "./dom.js";
import { drawControls } from "./player.js";
import { ARROWS } from "./pointing.js";
import { inLecture, lessMotion } from "./screen.js";
import { askedToPlay, makeRoom, runUntil, showMoment, stepMotion, takeUp } from "./stations.js";

const KEYS_SAID =
    "On the board: p plays and pauses, . goes one step on, and , one step back; 1 to 4 go to the parts below the figure";

let onStage = null; // what was begun last: there is one at a time, and a lecture's keys are its own

// What is performed: the same where another cell is chosen, and where the frame of a row moves
// along with it.
const performed = ({ chosen: _chosen, alt: _alt, ...rest }) =>
    JSON.stringify(rest, (name, value) => (name === "frame" ? undefined : value));

// A drawing made anew of the same numbers (another width, another theme, another chosen cell) goes
// on where it was. `room` is what its highest performance takes below the drawing: it is free from
// its beginning to its end, so that nothing moves meanwhile.
export function playable(host, svg, send, perform, ways = [], room = 0) {
    const does = lessMotion() ? "Step by step" : "Play";
    const button = make(
        "button",
        {
            type: "button",
            class: `ab-play ab-${window.attentionAddress.row()?.glyph.boxes[0]?.[4] ?? "x"}`,
            "aria-keyshortcuts": "P",
            title: KEYS_SAID,
        },
        null,
        does,
    );
    const board = { host, svg, send, perform, ways, button, room };
    // Where it is seen with the board's beginning; a lecture's screen has all of the board, and no
    // line to spare.
    if (inLecture()) host.querySelector(":scope > .ab-foot").prepend(button);
    else {
        const head = make("div", { class: "ab-lead" });
        head.append(button);
        svg.before(head);
        host.classList.add("ab-led"); // a line above the drawing
    }
    host.stage = board;
    button.addEventListener(
        "click",
        () => onStageOnceAnswered(host, (motion) => askedToPlay(motion, true)),
    );
    svg.setAttribute("aria-keyshortcuts", "P . ,");
    listen(svg, "keydown", (event) => {
        motionKey(board, event);
        if (ARROWS[event.key]) host.motion?.end(); // the reader goes from cell to cell
    });
    listen(svg, "click", () => host.motion?.end());
    const before = host.motion;
    host.motion = null;
    if (before && before.of === performed(host.drawing)) beginMotion(board, before);
    else if (before) before.end();
}

// On the board, or on the line of its player.
function motionKey(board, event) {
    const { host, host: { motion } } = board;
    if (event.ctrlKey || event.metaKey || event.altKey || !["p", ".", ","].includes(event.key)) {
        return;
    }
    if (motion && event.key === "p") askedToPlay(motion);
    else if (motion) stepMotion(motion, event.key === "." ? 1 : -1);
    else if (event.key === "p") onStageOnceAnswered(host, (begun) => askedToPlay(begun));
    else if (event.key === ".") onStageOnceAnswered(host, (begun) => stepMotion(begun, 0));
    used(event);
}

// Who clicks a word and then asks at once means that word: what is performed begins when the answer
// to all acts is on screen.
function onStageOnceAnswered(host, ask) {
    if (!window.attentionAddress.isAnswered()) {
        window.addEventListener("attention-answered", () => onStageOnceAnswered(host, ask), {
            once: true,
        });
    } else if (host.isConnected && !host.motion) {
        ask(beginMotion(host.stage));
    }
}

function beginMotion(board, before) {
    if (onStage !== before) onStage?.end();
    const { host, svg } = board;
    const begun = {
        chosen: host.drawing.chosen,
        way: board.ways[0],
        speed: "normal",
        k: 0,
        t: 0,
        until: -1,
    };
    for (const name in begun) if (before) begun[name] = before[name];
    const motion = {
        ...board,
        ...begun,
        of: performed(host.drawing),
        end: () => endMotion(motion),
    };
    motion.size = ["width", "height"].map((
        name,
    ) => [Number(svg.getAttribute(name)), svg.viewBox.baseVal[name]]);
    motion.show = (k, t) => showMoment(motion, k, t); // for who films a board
    host.motion = onStage = motion;
    keepFree(board);
    host.classList.add("ab-moving");
    host.classList.toggle("ab-moving-large", inLecture());
    svg.querySelector(".ab-over")?.setAttribute("display", "none");
    motion.layer = node("g", { class: "ab-motion" }, svg);
    drawControls(motion);
    motion.controls.panel.addEventListener("keydown", (event) => motionKey(motion, event));
    board.button.hidden = true;
    takeUp(motion, motion.k, motion.t);
    if (motion.until >= 0) runUntil(motion, motion.until);
    return motion;
}

// What stands below a board stays where it is while it plays: room, and the sentence in the place
// of the button.
const SENTENCE = 28; // pixels
function keepFree({ host, svg, room }) {
    host.style.minHeight = "";
    if (!room || inLecture()) return;
    const scale = Number(svg.getAttribute("width")) / svg.viewBox.baseVal.width;
    host.style.minHeight = `${host.offsetHeight + Math.ceil(room * scale) + SENTENCE}px`;
}

function endMotion(motion) {
    const { host, svg, button, layer, controls } = motion;
    const focused = controls.panel.contains(document.activeElement);
    cancelAnimationFrame(motion.frame);
    // else another drawing stands there, of its own size
    if (layer.isConnected) makeRoom(motion, 0);
    layer.remove();
    controls.panel.remove();
    svg.querySelector(".ab-over")?.removeAttribute("display");
    host.classList.remove("ab-moving", "ab-moving-large");
    host.style.minHeight = "";
    button.hidden = false;
    if (focused) button.focus({ preventScroll: true });
    if (host.motion === motion) host.motion = null;
    if (onStage === motion) onStage = null;
}

// The keys that turn pages, in a lecture its beats, go through the stations first, once they were
// begun. Before the first and past the last the board is as it was; in a lecture → then goes on to
// the next beat, as it always does. A board in a frame leaves them to the slides around it.
const PAGE_KEYS = { ArrowRight: 1, ArrowLeft: -1 };
const LECTURE_KEYS = { ...PAGE_KEYS, " ": 1, PageDown: 1, PageUp: -1 };

export function beginMotionKeys() {
    window.addEventListener("keydown", (event) => {
        if (onStage && !onStage.layer.isConnected) onStage = null;
        const by = (inLecture() ? LECTURE_KEYS : PAGE_KEYS)[event.key];
        if (
            !onStage || !by || alone() || event.repeat || event.ctrlKey || event.metaKey ||
            event.altKey
        ) return;
        if (document.activeElement?.closest("input, select, textarea, [role=application]")) return;
        // Space presses what has the focus
        if (event.key === " " && document.activeElement?.closest("button, a, summary")) return;
        if (stepMotion(onStage, by)) return used(event);
        onStage.end();
        if (by < 0 || !inLecture()) used(event);
    }, true);
}
