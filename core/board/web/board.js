// Draws a board with the view that its data name; redraws it when its width or the theme changes,
// and only moves the highlight when just the chosen cell changes.
// The server sends the numbers once (float32, exact). Hovering, showing the terms of a product and
// moving by keyboard need no message. A click or Enter is written into the link by navigation.js.

import { address } from "./address.js";
import { beginSliders } from "./controls.js";
import { findFocused, restoreFocus } from "./focus_restore.js";
import { blendFrom, findCells } from "./transition.js";
import { readPalette, shareTheme } from "./colours.js";
import { make } from "./dom.js";
import { beginEditing } from "./editing.js";
import { beginMenus } from "./menu.js";
import { beginMotionKeys } from "./player.js";
import { findColumnInWhole, findRowInWhole } from "./decode.js";
import { measureInFont } from "./text.js";
import { countLines } from "./views/matrices.js";
import { VIEWS } from "./view_registry.js";

// Draws a board, in a lecture with the largest zoom that fits on the projected screen.
function drawToFit(host, data, send) {
    const [draw, wide] = [VIEWS[data.view], host.wide];
    const colours = readPalette(host);
    const font = measureInFont(host);
    if (!document.fonts.check(`12px ${font}`)) { // text widths are wrong until the font is loaded
        document.fonts.load(`12px ${font}`).then(() =>
            host.isConnected && host.drawing === data && drawToFit(host, data, send)
        );
    }
    const drawIn = (room) => {
        host.follow = draw(host, data, (what) => send(locateInWhole(data, what)), colours, room);
    };
    // larger on a larger screen
    const screen = Math.max(1, Math.min(window.innerWidth / 1366, window.innerHeight / 768));
    // Outside a lecture nothing is measured: that would force a layout of the page.
    if (!data.lecture) {
        const scale = Math.floor(5 * screen) / 5;
        const h = data.under ? Math.max(window.innerHeight - data.under, 300) / scale : Infinity;
        return void drawIn({ w: wide / scale, h, fit: false, scale });
    }
    const high = window.innerHeight * data.lecture;
    // the legend and the line about the cell: at least this high, more where they are set larger
    let below = 32 + 26 * countLines(data);
    const most = (data.maxZoom || 2.6) * screen;
    const least = Math.min(1, window.innerHeight / 550); // on a phone on its side
    const scales = [3.6, 3, 2.6, 2.2, 2, 1.75, 1.6, 1.5, 1.4, 1.3, 1.15, 1, 0.9, 0.8];
    const drawScaled = (scale) =>
        drawIn({ w: wide / scale, h: (high - below) / scale, fit: true, scale });
    const countNumbers = () => host.querySelectorAll(".ab-numbers text").length;
    let best = null; // a smaller zoom is better if more cells have their number
    for (const scale of scales.filter((s) => s <= most && s >= least)) {
        if (best && scale < 1.4 * screen) break;
        drawScaled(scale);
        if (host.scrollHeight <= high && host.scrollWidth <= wide + 1) {
            if (!host.querySelector(".ab-matrix:not(:has(.ab-numbers))")) return;
            if (!best || countNumbers() > best.numbers) best = { scale, numbers: countNumbers() };
        }
        const drawing = host.querySelector(":scope > svg");
        below = Math.max(below, host.scrollHeight - (drawing?.clientHeight ?? host.scrollHeight));
    }
    if (best) drawScaled(best.scale);
}

// A chosen cell with its row and column in the whole matrix: of a long matrix only a part is shown.
function locateInWhole({ matrices }, what) {
    const matrix = matrices?.find(({ name, cut }) => cut && name === what.matrix);
    return matrix
        ? {
            ...what,
            row: findRowInWhole(matrix, what.row),
            column: findColumnInWhole(matrix, what.column),
        }
        : what;
}

const serializeWithoutChoice = ({ chosen: _chosen, alt: _alt, ...rest }) => JSON.stringify(rest);

// If only the chosen cell changed, moves the highlight and keeps the drawing; returns whether it
// did.
function followChoice(host, data) {
    const before = host.drawing;
    host.drawing = data;
    if (!host.follow || serializeWithoutChoice(before) !== serializeWithoutChoice(data)) {
        return false;
    }
    // the theme changed: redraw in its colours
    if (`${before.chosen}` === `${data.chosen}`) return false;
    const svg = host.querySelector(":scope > svg");
    svg.setAttribute("aria-label", data.alt);
    host.follow(data.chosen);
    return true;
}

// Scrolls a drawing wider than the screen to the chosen cell, once.
function beginAtChosen(host) {
    if (host.begun) return;
    host.begun = true;
    const past = host.scrollWidth > host.clientWidth + 1
        ? host.getBoundingClientRect().right
        : Infinity;
    const [cell] = [...host.querySelectorAll(":scope > svg .ab-chosen")].map((each) =>
        each.getBoundingClientRect()
    ).filter(({ width }) => width).sort((a, b) => a.width - b.width);
    if (cell && cell.right > past) host.scrollLeft = cell.right - past + 8;
}

export function drawBoard({ data: bytes, parentElement }) {
    const data = JSON.parse(new TextDecoder().decode(bytes));
    const host = parentElement.querySelector(":scope > .ab-host") ||
        make("div", { class: "ab-host" }, parentElement);
    const last = host.drawing;
    if (followChoice(host, data)) return host.stopWatching;
    const before = findCells(host, last);
    const render = () => {
        if (!host.isConnected) return; // removed from the page: it has no theme
        const focused = findFocused(host);
        shareTheme(host);
        drawToFit(
            host,
            host.drawing,
            (what) => address.choose(data.chooses, what, host),
        );
        if (focused && !host.contains(document.activeElement)) restoreFocus(host, focused);
        // overlays realign
        window.dispatchEvent(new Event("attention-drawn"));
    };
    host.redraw = render; // print.js redraws in other colours
    host.stopWatching?.();
    // Measured once, since reading it again would force a layout of the other boards. The observer
    // reports a changed width right after the next layout.
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

// What all boards share, set up once per window.
export function beginBoards() {
    beginMenus();
    beginEditing();
    beginMotionKeys();
    beginSliders();
}
