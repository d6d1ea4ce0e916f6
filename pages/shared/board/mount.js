// Mounting. The scripts of this folder are one script, sent until a browser has it, which begins once. The boards
// themselves are mounted with a short module that calls window.attentionBoard, so that a rerun does not send all this again.
//
// The server sends the numbers once (float32, exact); hovering, the terms of a product and moving about by keyboard cost
// no message. A click, or Enter, is an act that address.js writes into the link.

// What `view` in a board's data can be. Each draws (host, data, send, colours, room): `send` takes a chosen cell, `room` is
// the width and height there are, whether all must fit into them, and the zoom. What it returns, if anything, goes on to
// another chosen cell in the same drawing.
const VIEWS = {
  product: drawProduct,
  matrices: drawMatrices,
  terms: drawTerms,
  stream: drawStream,
  flow: drawFlow,
  words: drawWords,
  opening: drawOpening,
  vocabulary: drawVocabulary,
  machine: drawMachine,
  tower: drawTower,
  film: drawFilm,
  worksheet: drawWorksheet,
  fan: drawFan,
  points: drawPoints,
  mixtures: drawMixtures,
  stretch: drawStretch,
  next: drawNext,
};

// Streamlit gives the theme's colours to components only; the style sheet needs some of them for the whole page.
// Only what differs: each change makes the browser go over all of the page's styles.
function shareTheme(element) {
  const style = getComputedStyle(element), shared = document.documentElement.style;
  for (const name of ["text", "gray-text", "blue-text", "red-text", "green-text", "violet-text", "yellow-text", "orange-text", "border", "primary"]) {
    const colour = style.getPropertyValue(`--st-${name}-color`);
    if (shared.getPropertyValue(`--ab-${name}`) !== colour) shared.setProperty(`--ab-${name}`, colour);
  }
}

// For a lecture everything is drawn larger: as large as the projected screen has room for.
function drawToFit(host, data, send) {
  const [draw, wide] = [VIEWS[data.view], host.wide];
  const colours = palette(host);
  const font = measureAsIn(host);
  if (!document.fonts.check(`12px ${font}`)) { // measured in another font until it is here
    document.fonts.load(`12px ${font}`).then(() => host.isConnected && host.drawing === data && drawToFit(host, data, send));
  }
  const drawSeen = (room) => {
    const seen = host.seen = throughWindows(host, data);
    const follow = draw(host, seen, (what) => send(saidOfWhole(seen, what)), colours, room);
    host.follow = follow && (seen === data ? follow : followThroughWindows(host, follow));
    drawWindows(host, host.querySelector(":scope > .ab-svg"));
  };
  if (!data.lecture) { // nothing to fit into, so nothing is measured: that would make the browser lay the page out at once
    drawSeen({ w: wide, h: data.under ? Math.max(window.innerHeight - data.under - windowsHigh(data), 300) : Infinity, fit: false, scale: 1 });
    return;
  }
  const high = Math.max(window.innerHeight * data.lecture, 300);
  const below = 32 + 26 * linesSaid(data) + windowsHigh(data); // the legend, and what is said of the cell
  const most = (data.maxZoom || 2.6) * Math.max(1, Math.min(window.innerWidth / 1366, window.innerHeight / 768)); // a larger screen, a larger drawing
  for (const scale of [3.6, 3, 2.6, 2.2, 2, 1.75, 1.6, 1.5, 1.4, 1.3, 1.15, 1].filter((s) => s <= most)) {
    drawSeen({ w: wide / scale, h: (high - below) / scale, fit: true, scale });
    if (host.scrollHeight <= high && host.scrollWidth <= wide + 1) return;
  }
}

const unchosen = ({ chosen, alt, ...rest }) => JSON.stringify(rest);

// Most clicks choose another cell of the numbers that are there: then what lights the cell moves, and the drawing stays.
function followed(host, data) {
  const before = host.drawing;
  host.drawing = data;
  if (!host.follow || unchosen(before) !== unchosen(data)) return false;
  if (`${before.chosen}` === `${data.chosen}`) return false; // the same once more: in other colours, since the theme changed
  host.querySelector("svg").setAttribute("aria-label", data.alt);
  host.follow(data.chosen);
  return true;
}

window.attentionBoard = ({ data: bytes, parentElement }) => {
  const data = JSON.parse(new TextDecoder().decode(bytes));
  const host = parentElement.querySelector(":scope > .ab-host") || make("div", { class: "ab-host" }, parentElement);
  const last = host.drawing;
  if (followed(host, data)) return host.stopWatching;
  const before = cellsIn(host, last);
  const render = () => {
    if (!host.isConnected) return; // on its way out: it has no theme any more
    const focused = focusedIn(host);
    shareTheme(host);
    drawToFit(host, host.drawing, (what) => window.attentionAddress.choose(data.chooses, what));
    if (focused && !host.contains(document.activeElement)) focusAgain(host, focused);
  };
  host.redraw = render; // for paper, in other colours
  host.stopWatching?.();
  // Measured once: what other boards have drawn in this moment would have to be laid out first. The watcher tells, right after
  // the next layout, when it is another width.
  host.wide ??= host.clientWidth;
  const watcher = new ResizeObserver(() => {
    if (Math.abs(host.clientWidth - host.wide) <= 1) return;
    host.wide = host.clientWidth;
    render();
  });
  watcher.observe(host);
  host.stopWatching = () => watcher.disconnect();
  render();
  blendFrom(before, host);
  landOn(host);
  return host.stopWatching;
};
Object.assign(window.attentionBoard, { exact, brief, isolated, showTip }); // for tests: the same rule as in Python, and every corner

let constants = null; // pages, defaults, presets: the same for all visitors

window.attentionBar = ({ parentElement }) => {
  shareTheme(parentElement);
  if (!parentElement.querySelector(".ab-bar")) drawBar(parentElement, constants.pages);
};

// Once in a window: what is begun here stays, whatever becomes of the element that brought it.
export default ({ data: bytes }) => {
  if (constants) return;
  constants = JSON.parse(new TextDecoder().decode(bytes));
  make("style", {}, document.head, STYLES);
  window.attentionAddress.begin(constants);
  beginGlossary(constants);
  beginCopying();
  beginPressing();
  beginKeeping();
  beginFlights();
  beginRooms();
  beginRoomBar();
  window.attentionReady = true;
  window.dispatchEvent(new Event("attention-ready"));
};
