// A board: whatever its view, it is drawn into the room there is, once more where that or the theme
// changes, and where only another cell is chosen, what lights that moves.
//
// The server sends the numbers once (float32, exact); hovering, the terms of a product and moving
// about by keyboard cost no message. A click, or Enter, is an act that address.js writes into the
// link.

import { focusAgain, focusedIn } from "../browser/keeping.js";
import { blendFrom, cellsIn } from "./blend.js";
import { palette, shareTheme } from "./colours.js";
import { make } from "./dom.js";
import { beginEditing } from "./editing.js";
import { beginMenus } from "./menu.js";
import { beginMotionKeys } from "./player.js";
import { columnInWhole, rowInWhole } from "./read.js";
import { measureAsIn } from "./text.js";
import { drawFan } from "./views/fan.js";
import { drawFilm } from "./views/film.js";
import { drawFlow } from "./views/flow.js";
import { drawKnown } from "./views/known.js";
import { drawMachine } from "./views/machine.js";
import { drawMatrices, linesSaid } from "./views/matrices.js";
import { drawMixtures } from "./views/mixtures.js";
import { drawNext } from "./views/next.js";
import { drawOpening } from "./views/opening.js";
import { drawPoints } from "./views/points.js";
import { drawProduct } from "./views/product.js";
import { drawStream } from "./views/stream.js";
import { drawTurn } from "./views/turn.js";
import { drawTerms } from "./views/terms.js";
import { drawTold } from "./views/told.js";
import { drawTower } from "./views/tower.js";
import { drawVocabulary } from "./views/vocabulary.js";
import { drawWords } from "./views/words.js";

// What `view` in a board's data can be. Each draws (host, data, send, colours, room): `send` takes
// a chosen cell, `room` is the width and height there are, whether all must fit into them, and the
// zoom. What it returns, if anything, goes on to another chosen cell in the same drawing.
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
    fan: drawFan,
    points: drawPoints,
    mixtures: drawMixtures,
    turn: drawTurn,
    next: drawNext,
    told: drawTold,
    known: drawKnown,
};

// For a lecture everything is drawn larger: as large as the projected screen has room for.
function drawToFit(host, data, send) {
    const [draw, wide] = [VIEWS[data.view], host.wide];
    const colours = palette(host);
    const font = measureAsIn(host);
    if (!document.fonts.check(`12px ${font}`)) { // measured in another font until it is here
        document.fonts.load(`12px ${font}`).then(() =>
            host.isConnected && host.drawing === data && drawToFit(host, data, send)
        );
    }
    const drawIn = (room) => {
        host.follow = draw(host, data, (what) => send(ofWhole(data, what)), colours, room);
    };
    // nothing to fit into, so nothing is measured: that would make the browser lay the page out at
    // once
    if (!data.lecture) {
        drawIn({
            w: wide,
            h: data.under ? Math.max(window.innerHeight - data.under, 300) : Infinity,
            fit: false,
            scale: 1,
        });
        return;
    }
    const high = Math.max(window.innerHeight * data.lecture, 300);
    // the legend, and what is said of the cell
    const below = 32 + 26 * linesSaid(data);
    const most = (data.maxZoom || 2.6) *
        // a larger screen, a larger drawing
        Math.max(1, Math.min(window.innerWidth / 1366, window.innerHeight / 768));
    for (
        const scale of [3.6, 3, 2.6, 2.2, 2, 1.75, 1.6, 1.5, 1.4, 1.3, 1.15, 1].filter((s) =>
            s <= most
        )
    ) {
        drawIn({ w: wide / scale, h: (high - below) / scale, fit: true, scale });
        if (host.scrollHeight <= high && host.scrollWidth <= wide + 1) return;
    }
}

// What a view says of a cell, as the link has it: of a long matrix a part is shown.
function ofWhole({ matrices }, what) {
    const matrix = matrices?.find(({ name, cut }) => cut && name === what.matrix);
    return matrix
        ? { ...what, row: rowInWhole(matrix, what.row), column: columnInWhole(matrix, what.column) }
        : what;
}

const unchosen = ({ chosen: _chosen, alt: _alt, ...rest }) => JSON.stringify(rest);

// Most clicks choose another cell of the numbers that are there: then what lights the cell moves,
// and the drawing stays.
function followed(host, data) {
    const before = host.drawing;
    host.drawing = data;
    if (!host.follow || unchosen(before) !== unchosen(data)) return false;
    // the same once more: in other colours, since the theme changed
    if (`${before.chosen}` === `${data.chosen}`) return false;
    const svg = host.querySelector(":scope > svg");
    svg.setAttribute("aria-label", data.alt);
    host.follow(data.chosen);
    return true;
}

// A drawing wider than its screen begins where the chosen cell is seen; from then on it stays where
// the reader has it.
function beginAtChosen(host) {
    if (host.begun) return;
    host.begun = true;
    const past = host.scrollWidth > host.clientWidth + 1
        ? host.getBoundingClientRect().right
        : Infinity;
    const [cell] = [...host.querySelectorAll(":scope > svg .ab-chosen")].map((each) =>
        each.getBoundingClientRect()
    ).sort((a, b) => a.width - b.width);
    if (cell && cell.right > past) host.scrollLeft = cell.right - past + 8;
}

export function drawBoard({ data: bytes, parentElement }) {
    const data = JSON.parse(new TextDecoder().decode(bytes));
    const host = parentElement.querySelector(":scope > .ab-host") ||
        make("div", { class: "ab-host" }, parentElement);
    const last = host.drawing;
    if (followed(host, data)) return host.stopWatching;
    const before = cellsIn(host, last);
    const render = () => {
        if (!host.isConnected) return; // on its way out: it has no theme any more
        const focused = focusedIn(host);
        shareTheme(host);
        drawToFit(
            host,
            host.drawing,
            (what) => window.attentionAddress.choose(data.chooses, what, host),
        );
        if (focused && !host.contains(document.activeElement)) focusAgain(host, focused);
        // what lies over a drawing finds its place
        window.dispatchEvent(new Event("attention-drawn"));
    };
    host.redraw = render; // for paper, in other colours
    host.stopWatching?.();
    // Measured once: what other boards have drawn in this moment would have to be laid out first.
    // The watcher tells, right after the next layout, when it is another width.
    host.wide ??= host.clientWidth;
    const watcher = new ResizeObserver(() => {
        beginAtChosen(host);
        if (Math.abs(host.clientWidth - host.wide) <= 1) return;
        host.wide = host.clientWidth;
        render();
    });
    watcher.observe(host);
    host.stopWatching = () => watcher.disconnect();
    render();
    blendFrom(before, host);
    return host.stopWatching;
}

// What all boards share, begun once in a window.
export function beginBoards() {
    beginMenus();
    beginEditing();
    beginMotionKeys();
}
