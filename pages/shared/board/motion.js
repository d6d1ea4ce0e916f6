// Motion: a board performs what it computes, on the numbers that it shows. One player for every view.
//
// A view that can play says so once it is drawn: playable(host, svg, send, perform, ways). That makes a button, and nothing else
// happens until a reader asks. Then `perform({ chosen, way })`, `way` one of `ways`, gives the piece that is played:
//   count            how many stations it has; a station is one thing that there is to see
//   says(k)          a sentence on station k
//   lasts(k)         how long it takes, in milliseconds, at normal speed
//   enter(layer, k)  draws its beginning into `layer`, which is empty and lies over the drawing; returns what moves it: (t) =>,
//                    t from 0 to 1. All that earlier stations have left stands there too.
//   room             how much higher than the drawing it is, in the drawing's own measure; nothing: it lies over it
//   reached(k, t)    the cell that it has come to, { matrix, row, column }, which is chosen where a reader stops; null: none
// or { why }: a sentence on why it cannot be played. What the view draws into .ab-over gives way to the layer meanwhile.

const SPEEDS = { slow: 0.5, normal: 1, fast: 2.5 };
const LONGEST_FRAME = 100; // milliseconds: behind another window time stands still

const KEYS_SAID = "On the board: p plays and pauses, . goes one step on, and , one step back; 1 to 4 go to the parts below the figure";

let onStage = null; // what was begun last: there is one at a time, and a lecture's keys are its own

const lessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const inLecture = () => Boolean(document.querySelector(".st-key-lecturing"));

// What is performed: the same where another cell is chosen, and where the frame of a row moves along with it.
const performed = ({ chosen, alt, ...rest }) => JSON.stringify(rest, (name, value) => (name === "frame" ? undefined : value));

// A drawing made anew of the same numbers (another width, another theme, another chosen cell) goes on where it was.
// `room` is what its highest performance takes below the drawing: it is free from its beginning to its end, so that nothing moves
// meanwhile.
function playable(host, svg, send, perform, ways = [], room = 0) {
  const does = lessMotion() ? "Step by step" : "Play";
  const button = make("button", { type: "button", class: "ab-play", "aria-keyshortcuts": "P", title: KEYS_SAID }, null, does);
  const board = { host, svg, send, perform, ways, button, room };
  // Where it is seen with the board's beginning; a lecture's screen has all of the board, and no line to spare.
  if (inLecture()) host.querySelector(":scope > .ab-foot").prepend(button);
  else {
    const head = make("div", { class: "ab-lead" });
    head.append(button);
    (host.querySelector(":scope > .ab-windows") ?? svg).before(head);
    host.classList.add("ab-led"); // a line above the drawing
  }
  host.stage = board;
  button.addEventListener("click", () => onStageOnceAnswered(host, (motion) => askedToPlay(motion, true)));
  svg.setAttribute("aria-keyshortcuts", "P . ,");
  listen(svg, "keydown", (event) => {
    motionKey(board, event);
    if (STEPS[event.key]) host.motion?.end(); // the reader goes from cell to cell
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
  if (event.ctrlKey || event.metaKey || event.altKey || !["p", ".", ","].includes(event.key)) return;
  if (motion && event.key === "p") askedToPlay(motion);
  else if (motion) stepMotion(motion, event.key === "." ? 1 : -1);
  else if (event.key === "p") onStageOnceAnswered(host, (begun) => askedToPlay(begun));
  else if (event.key === ".") onStageOnceAnswered(host, (begun) => stepMotion(begun, 0));
  used(event);
}

// Who clicks a word and then asks at once means that word: what is performed begins when the answer to all acts is on screen.
function onStageOnceAnswered(host, ask) {
  if (!window.attentionAddress.isAnswered()) window.addEventListener("attention-answered", () => onStageOnceAnswered(host, ask), { once: true });
  else if (host.isConnected && !host.motion) {
    seeWhole(host, true);
    ask(beginMotion(host.stage));
  }
}

function beginMotion(board, before) {
  if (onStage !== before) onStage?.end();
  const { host, svg } = board;
  const begun = { chosen: host.seen.nearest ?? host.drawing.chosen, way: board.ways[0], speed: "normal", k: 0, t: 0, until: -1 };
  for (const name in begun) if (before) begun[name] = before[name];
  const motion = { ...board, ...begun, of: performed(host.drawing), end: () => endMotion(motion) };
  motion.size = ["width", "height"].map((name) => [Number(svg.getAttribute(name)), svg.viewBox.baseVal[name]]);
  motion.show = (k, t) => showMoment(motion, k, t); // for who films a board
  host.motion = onStage = motion;
  keepFree(board);
  host.classList.add("ab-moving");
  host.classList.toggle("ab-moving-large", inLecture());
  svg.querySelector(".ab-over")?.setAttribute("display", "none");
  motion.layer = node("g", { class: "ab-motion" }, svg);
  drawControls(motion);
  board.button.hidden = true;
  takeUp(motion, motion.k, motion.t);
  if (motion.until >= 0) runUntil(motion, motion.until);
  return motion;
}

// The piece as it is played in this way, at this moment of it.
function takeUp(motion, k, t) {
  motion.piece = motion.perform(motion);
  motion.moves = null;
  makeRoom(motion, motion.piece.room ?? 0);
  if (motion.piece.why) motion.controls.refuse(motion.piece.why);
  else showMoment(motion, Math.min(k, motion.piece.count - 1), t);
}

// The drawing is higher meanwhile. Where the screen has less room than that (below the bar of pages, on a phone over the controls),
// all of it is drawn smaller; what could not be read then stays as it is.
function makeRoom(motion, room) {
  const { svg, size: [[width, wide], [height, high]] } = motion;
  const higher = (height * (high + room)) / high;
  const [scales, fits] = room ? waysToFit(motion, height, higher) : [[1]];
  for (const scale of scales) {
    fill(svg, { width: width * scale, height: higher * scale, viewBox: `0 0 ${wide} ${high + room}` });
    if (!fits || fits(scale)) return;
  }
}

// What stands below a board stays where it is while it plays: room, and the sentence in the place of the button.
const SENTENCE = 28; // pixels
function keepFree({ host, svg, room }) {
  host.style.minHeight = "";
  if (!room || inLecture()) return;
  const scale = Number(svg.getAttribute("width")) / svg.viewBox.baseVal.width;
  host.style.minHeight = `${host.offsetHeight + Math.ceil(room * scale) + SENTENCE}px`;
}

const SHOWN_FROM = 120; // pixels below the screen's top, as in motion.css

function waysToFit({ host, svg, controls: { panel } }, height, higher) {
  const screen = inLecture() && document.querySelector("[data-testid=stMain]");
  if (screen) return [[1, 0.9, 0.8, 0.7, 0.6, height / higher], () => screen.scrollHeight <= screen.clientHeight];
  const isOver = getComputedStyle(panel).position === "fixed";
  const beside = isOver ? [panel] : [...host.children].filter((child) => child !== svg);
  const room = innerHeight - SHOWN_FROM - beside.reduce((sum, child) => sum + child.offsetHeight, 0);
  return [isOver ? [1, 0.9, 0.8, 0.75, 1] : [1, 0.95, 0.9, 0.85, 0.8, 1], (scale) => higher * scale <= room];
}

function endMotion(motion) {
  const { host, svg, button, layer, controls } = motion;
  const focused = controls.panel.contains(document.activeElement);
  cancelAnimationFrame(motion.frame);
  if (layer.isConnected) makeRoom(motion, 0); // else another drawing stands there, of its own size
  layer.remove();
  controls.panel.remove();
  svg.querySelector(".ab-over")?.removeAttribute("display");
  host.classList.remove("ab-moving", "ab-moving-large");
  host.style.minHeight = "";
  button.hidden = false;
  if (focused) button.focus({ preventScroll: true });
  if (host.motion === motion) host.motion = null;
  if (onStage === motion) onStage = null;
  seeWhole(host, false);
}

// ---------- time ----------

function showMoment(motion, k, t) {
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
function runUntil(motion, until) {
  motion.until = until;
  motion.controls.tell();
  cancelAnimationFrame(motion.frame);
  let last = null;
  const frame = (now) => {
    if (!motion.layer.isConnected) return;
    const { k, t, piece, speed } = motion;
    const next = t + (Math.min(now - (last ?? now), LONGEST_FRAME) * SPEEDS[speed]) / piece.lasts(k);
    last = now;
    showMoment(motion, k, Math.min(next, 1));
    if (next >= 1 && k === motion.until) return rest(motion);
    if (next >= 1) showMoment(motion, k + 1, 0);
    motion.frame = requestAnimationFrame(frame);
  };
  motion.frame = requestAnimationFrame(frame);
}

// It stands still, and what it came to is chosen: not in a lecture, where the next station is only a key away.
function rest(motion, isStopped = !inLecture()) {
  cancelAnimationFrame(motion.frame);
  motion.until = -1;
  motion.controls.tell();
  const cell = isStopped && motion.piece.reached?.(motion.k, motion.t);
  if (cell) motion.send(cell);
}

// ---------- what a reader asks for ----------

function askedToPlay(motion, fromTheStart = false) {
  const { piece, until, k, t } = motion;
  if (piece.why) return;
  if (until >= 0) return rest(motion, true);
  if (lessMotion()) return stepMotion(motion, fromTheStart || t < 1 ? 0 : 1);
  if (k === piece.count - 1 && t === 1) showMoment(motion, 0, 0);
  runUntil(motion, piece.count - 1);
}

// One station on, which plays, or back, which shows how it ended. False past either end.
function stepMotion(motion, by) {
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

// In a lecture the keys that turn its beats go through the stations first, once they were begun. Before the first and past the
// last the board is as it was; → then goes on to the next beat, as it always does.
const LECTURE_KEYS = { ArrowRight: 1, " ": 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };
window.addEventListener("keydown", (event) => {
  if (onStage && !onStage.layer.isConnected) onStage = null;
  const by = LECTURE_KEYS[event.key];
  if (!onStage || !by || event.repeat || event.ctrlKey || event.metaKey || event.altKey || !inLecture()) return;
  if (document.activeElement?.closest("input, select, textarea, [role=application]")) return;
  if (event.key === " " && document.activeElement?.closest("button, a, summary")) return; // Space presses what has the focus
  if (stepMotion(onStage, by)) return used(event);
  onStage.end();
  if (by < 0) used(event);
}, true);
