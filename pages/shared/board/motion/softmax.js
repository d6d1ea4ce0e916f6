// Motion of the softmax: a row of scores, less its largest, becomes powers of e, each a bar; the
// bars are laid end to end, all of it is brought to length 1, and its pieces are the weights. The
// powers are computed here, in double precision.

import { colourOf } from "../colours.js";
import { fill, node } from "../dom.js";
import { outline } from "../matrix.js";
import { brief, exact } from "../numbers.js";
import { isolated, textWidth } from "../text.js";
import { shown, within } from "./moves.js";

export const SOFTMAX_ROOM = 168; // what the bars take below the matrices
const SOFTMAX_TALLEST = 90; // the bar of 1

// `drawn` is what the view made: matrices of one row, of which a beat of a lecture may leave out
// the first or the last.
export function softmaxMotion(drawn) {
    const row = softmaxRow(drawn);
    if (row.powers.some(Number.isNaN)) {
        return {
            why: "Some of these scores are larger than the machine’s numbers: there are no shares.",
        };
    }
    const phases = [
        ...(row.scored ? ["shift", "raise"] : []),
        ...(row.shares ? ["join", "bring", "cut", "hand"] : []),
    ];
    const says = phases.map((phase) => saidSoftmax(row, phase));
    const count = row.powers.length;
    const [join, hand] = [within(2500, 600 * count, 7000), within(2500, 500 * count, 5000)];
    const lasting = { shift: 2500, raise: 3500, join, bring: 3000, cut: 3500, hand };
    return {
        count: phases.length,
        room: SOFTMAX_ROOM,
        says: (k) => says[k],
        lasts: (k) => lasting[phases[k]],
        enter: (layer, k) => enterSoftmax(layer, row, phases[k]),
        reached: () => null,
    };
}

// The row's stages by name, and what is made of its scores.
function softmaxRow({ places, colours, width }) {
    const stage = (name) => places.find(({ matrix }) => matrix.name === name);
    const [scored, shifted, powered, shares] = [
        stage("masked") ?? stage("scaled"),
        stage("shifted"),
        stage("exp"),
        stage("weights"),
    ];
    const values = Array.from((scored ?? powered).matrix.values);
    const largest = Math.max(...values);
    const powers = scored ? values.map((value) => Math.exp(value - largest)) : values;
    const sum = powers.reduce((total, power) => total + power, 0);
    const { x, uw, matrix: { m } } = powered;
    const long = Math.max(m * uw, Math.min(260, width - x - 12)); // of the whole, when it is cut
    // where the room for the bars begins
    const top = Math.max(...places.map((place) => place.y + place.uh)) + 16;
    const unit = Math.min(SOFTMAX_TALLEST, long / sum); // the length of 1, in the drawing's own
    const words = powered.matrix.columns;
    return {
        scored,
        shifted,
        powered,
        shares,
        values,
        largest,
        powers,
        sum,
        long,
        top,
        unit,
        colours,
        width,
        words,
    };
}

// ---------- in words ----------

function saidSoftmax({ scored, powered, values, largest, powers, sum, words }, phase) {
    const word = (j) => `“${isolated(words[j])}”`;
    const best = powers.indexOf(Math.max(...powers));
    const symbol = scored?.matrix.title.split(",")[0];
    const masked = values.filter((value) => value === -Infinity).length;
    const those = masked === 1 ? "that score becomes" : `those ${masked} scores become`;
    const [becomes, laid] = powers.length === 1
        ? ["it becomes 0", "The one bar lies down: it is"]
        : [
            "the largest becomes 0, and none is above it",
            `The ${powers.length} bars are laid end to end: together`,
        ];
    return {
        shift: `The row’s largest ${symbol}, ${exact(largest)} of ${
            word(best)
        }, is subtracted from each: ${becomes}.`,
        raise:
            `e is raised to each. The length of a bar is what comes out: ${
                exact(powers[best])
            } for ${word(best)}.` +
            (masked ? ` Where the mask put −∞, e^−∞ is 0: ${those} nothing.` : ""),
        join: `${laid} ${exact(sum)}, the row’s sum.`,
        bring: `All of it is divided by this sum, ${exact(sum)}, so the whole is 1 long.`,
        cut: `Seen larger, and cut: each piece is its word’s share of the whole. ` +
            `That of ${word(best)} is ${exact(powers[best])} / ${exact(sum)} = ${
                exact(powers[best] / sum)
            }.`,
        hand: `The shares are the row of α: they are the weights of “${
            isolated(powered.matrix.rows[0])
        }”, and add up to 1.`,
    }[phase];
}

// ---------- on the screen ----------

const SOFTMAX_PHASES = ["shift", "raise", "join", "bring", "cut", "hand"];

// Each part is told how far it has come, from 0 to 1; of a phase that is past, 1.
function enterSoftmax(layer, row, phase) {
    const veils = ["shifted", "powered", "shares"].map((
        name,
    ) => (row[name] ? drawRowVeil(layer, row[name], row.width) : () => {}));
    const largest = node("g", {}, layer);
    if (phase === "shift") outlineLargest(largest, row);
    const ruler = drawRuler(layer, row);
    const pieces = drawPieces(layer, row);
    const hands = phase === "hand" ? drawHandedOn(layer, row) : () => {};
    const at = SOFTMAX_PHASES.indexOf(phase);
    return (t) => {
        const [shift, raise, join, bring, cut, hand] = SOFTMAX_PHASES.map((
            _,
            k,
        ) => (k < at ? 1 : k === at ? t : 0));
        veils[0](shift, true);
        veils[1](row.scored ? raise : 1, (row.shares ? join : raise) === 1);
        veils[2](hand, hand === 1);
        const moment = { raise: row.scored ? raise : 1, join, cut, unit: unitAt(row, bring, cut) };
        pieces(moment);
        ruler(moment);
        hands(hand);
    };
}

// What 1 measures: as it is; less where the sum becomes 1 (`bring` of the way); in the end it is
// the whole.
const settled = (t) => within(0, t * 1.25, 1); // a moment to look at how it ended
const unitAt = ({ sum, unit, long }, bring, cut) => {
    const scaled = unit * (1 + (1 / sum - 1) * settled(bring)); // of a power, on a ruler that stays
    return {
        power: scaled + (long / sum - scaled) * within(0, cut * 2.5, 1),
        ruler: unit + (long - unit) * within(0, cut * 2.5, 1),
    };
};

// Over what is still to come of a matrix of one row, and over its sum.
function drawRowVeil(layer, { matrix: { m, role, sums }, x, y, uw, uh }, width) {
    const cells = node("rect", { y, height: uh, class: "ab-veil" }, layer);
    const sum = node("rect", {
        x: x + m * uw + 2,
        y,
        width: Math.max(width - x - m * uw - 2, 0),
        height: uh,
        class: "ab-veil",
    }, layer);
    node("rect", { x, y, width: m * uw, height: uh, class: `ab-frame ab-${role}` }, layer);
    return (share, hasSum) => {
        const done = Math.floor(share * m + 1e-9);
        cells.setAttribute("x", x + done * uw);
        cells.setAttribute("width", (m - done) * uw);
        shown(sum, Boolean(sums) && !hasSum);
    };
}

function outlineLargest(group, { scored, largest, values }) {
    const j = values.indexOf(largest);
    outline(group, scored, 0, 1, j, j + 1, "chosen");
}

const softmaxFoot = ({ top }) => top + SOFTMAX_ROOM - 54; // where bars stand, and lie

// The bars: each stands under its word, then lies behind the one before; then they are pieces of
// one bar.
function drawPieces(layer, row) {
    const { powered: { x, uw, matrix: { m } }, powers, sum, words, colours } = row;
    const [foot, narrow] = [softmaxFoot(row), within(3, uw * 0.6, 22)];
    const colour = (value, place) => `rgb(${colourOf(value, place.matrix, colours)})`;
    const before = powers.map((_, j) =>
        powers.slice(0, j).reduce((total, power) => total + power, 0)
    );
    const bars = powers.map(() => node("rect", { class: "ab-mote ab-piece" }, layer));
    const names = node("g", {}, layer);
    return ({ raise, join, cut, unit: { power: unit } }) => {
        const apart = within(0, (cut - 0.45) * 4, 1);
        bars.forEach((bar, j) => {
            const grown = row.scored ? within(0, raise * m - j, 1) : 1;
            const [size, laid] = [powers[j] * unit, within(0, join * (m + 1) - j, 1)];
            shown(bar, grown > 0 && powers[j] > 0);
            const end = x + before[j] * unit;
            const [left, low] = [
                x + (j + 0.5) * uw + (end - x - (j + 0.5) * uw) * laid,
                foot - 11 * laid,
            ];
            const thick = narrow + (22 - narrow) * laid;
            const gap = laid === 1 ? Math.min(3, size / 4) * apart : 0;
            fill(bar, {
                x: gap / 2,
                y: -thick / 2,
                width: Math.max(size * grown - gap, 0.3),
                height: thick,
                transform: `translate(${left},${low}) rotate(${-90 * (1 - laid)})`,
                fill: apart ? colour(powers[j] / sum, row.shares) : colour(powers[j], row.powered),
            });
        });
        names.replaceChildren();
        if (apart < 1) return;
        const middle = (j) => x + (before[j] + powers[j] / 2) * unit;
        powers.forEach((power, j) =>
            namePiece(names, words[j], power / sum, [middle(j), foot - 22], power * unit)
        );
    };
}

// Over a piece, where it is wide enough: its word, and its share.
function namePiece(names, word, share, [x, y], room) {
    const number = brief(share);
    if (textWidth(number) + 6 > room) return;
    node("text", { x, y: y - 9, class: "ab-label", "text-anchor": "middle" }, names, number);
    if (textWidth(word) + 6 <= room) {
        node("text", { x, y: y - 25, class: "ab-label", "text-anchor": "middle" }, names, word);
    }
}

// Below the bars: where 0, 1, 2 … are, and how long what lies there is.
function drawRuler(layer, row) {
    const { powered: { x, matrix: { m } }, powers, sum, long } = row;
    const group = node("g", {}, layer);
    const y = softmaxFoot(row) + 3;
    return ({ raise, join, unit }) => {
        group.replaceChildren();
        if (!raise) return;
        const laid = powers.slice(0, Math.floor(join * (m + 1) + 1e-9)).reduce(
            (total, power) => total + power,
            0,
        );
        const count = Math.floor(Math.min(Math.ceil(sum), long / unit.ruler) + 1e-9);
        node("path", { d: `M${x} ${y}H${x + long}`, class: "ab-axis" }, group);
        if (!join) return;
        for (let k = 0; k <= count; k++) {
            node("path", { d: `M${x + k * unit.ruler} ${y}v5`, class: "ab-axis" }, group);
            const tick = {
                x: x + k * unit.ruler,
                y: y + 13,
                class: "ab-tick",
                "text-anchor": "middle",
            };
            if (unit.ruler >= 16 || k % 5 === 0) node("text", tick, group, k);
        }
        const length = laid * (unit.power / unit.ruler);
        node(
            "text",
            { x, y: y + 30, class: "ab-label ab-length" },
            group,
            `length ${exact(length)}`,
        );
    };
}

// Each share on its way from the whole into its cell.
function drawHandedOn(layer, row) {
    const { powered: { x }, shares: { y, uw, uh }, powers, sum, long } = row;
    let before = 0;
    const ways = powers.map((power) => {
        const middle = x + ((before + power / 2) / sum) * long;
        before += power;
        return middle;
    });
    const numbers = powers.map((power) =>
        node("text", { class: "ab-flying" }, layer, brief(power / sum))
    );
    return (t) =>
        numbers.forEach((number, j) => {
            // it is there when its cell is uncovered
            const share = within(0, t * powers.length - j + 0.5, 1);
            shown(number, share > 0 && t * powers.length < j + 1 && t < 1);
            const foot = softmaxFoot(row) - 12;
            fill(number, {
                x: ways[j] + (x + (j + 0.5) * uw - ways[j]) * share,
                y: foot + (y + uh / 2 - foot) * share,
            });
        });
}
