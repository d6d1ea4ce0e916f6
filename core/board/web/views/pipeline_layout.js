// The layout of the machine: from left to right with the branches below the line, or, if that does
// not fit, from top to bottom with the branches side by side. A spot is a station's place: corner
// and size of its cells, the middle (cx) and the top of its captions.

import { NUMBERED } from "../matrix.js";
import { measureWidest, textWidth } from "../text.js";

const CAPTION = 36; // a station's name, and its shape below
const CAPTION_DOWN = 20; // from top to bottom both are on one line
const BETWEEN = 38; // the minimum length of an arrow from left to right
const DOWNWARD = 50; // of one from top to bottom, with two lines beside it
const SHORT = 36; // with one line
const SIGNED = 44; // with one line and an operator

export function machinePlan(stations, room, goesOn) {
    const wide = Math.max(room.w - 8, 240);
    const line = stations.filter((station) => !station.beside);
    const columns = line.map((
        main,
    ) => [main, ...stations.filter((station) => station.beside === main.name)]);
    const lanes = Math.max(...columns.map((column) => column.length));
    const rows = Math.max(...line.map(rowsOf));
    const high = room.fit ? (room.h - lanes * (CAPTION + 22)) / lanes : 132;
    const uh = Math.max(2, Math.min(18, high / rows));
    const gaps = columns.map((column, k) => (k === 0 ? 0 : measureGapBefore(column)));
    const total = (u) => sum(columns.map((column) => measureColumn(column, u, uh))) + sum(gaps);
    const u = findWidestUnit(total, wide);
    if ((room.fit && wide > 500) || total(u) <= wide) {
        return layOutAcross(columns, {
            u,
            uh,
            gaps,
            lanes,
            rows,
            goesOn,
            wide,
            spare: Math.max(0, wide - total(u)),
        });
    }
    return layOutDownward(columns, {
        wide,
        uh: Math.max(2, Math.min(16, Math.max(80 / rows, Math.min(12, 112 / rows)))),
        goesOn,
    });
}

const sum = (values) => values.reduce((all, value) => all + value, 0);
const rowsOf = (station) => (station.words ? station.words.length : station.matrix.n);

// The largest cell width in pixels with which everything fits; the minimum if none does.
function findWidestUnit(total, wide) {
    for (let u = 6; u > 0.5; u -= 0.1) if (total(u) <= wide) return u;
    return 0.5;
}

function measureStation(station, u, uh) {
    if (station.words) {
        return Math.min(110, measureWidest(station.words)) * 1.06 + 2 +
            (station.ids ? measureWidest(station.ids) + 10 : 0);
    }
    // a single row, such as a result, has room for its numbers
    const square = rowsOf(station) === 1 ? Math.max(uh, NUMBERED) : uh;
    return Math.max(4, station.matrix.m * (station.square ? square : u));
}

const measureCaption = (station) =>
    Math.max(textWidth(station.title, "said", 700), textWidth(station.shape));
const findCaptionEnd = ({ station, cx, w }, side) =>
    cx + (side * Math.max(w, measureCaption(station))) / 2; // right 1, left −1
const measureColumn = (column, u, uh) =>
    Math.max(...column.map((each) => Math.max(measureStation(each, u, uh), measureCaption(each))));
const measureNote = (station) =>
    Math.max(textWidth(station.over || "", "small"), textWidth(station.under || ""));
const measureGapBefore = (column) =>
    Math.max(BETWEEN, ...column.map((each) => measureNote(each) + 12)) +
    (column.length > 1 ? 20 : 0);

// `inLine`: name and shape are on one line.
function placeStation(station, cx, top, mid, u, uh, inLine = false) {
    const w = measureStation(station, u, uh);
    const h = rowsOf(station) * uh;
    const uw = station.words ? 0 : w / station.matrix.m;
    return {
        station,
        x: cx - w / 2,
        y: mid - h / 2,
        w,
        h,
        cx,
        top,
        mid,
        uw,
        right: cx + w / 2,
        bottom: mid + h / 2,
        inLine,
    };
}

// The notes at an arrow: the operation, and the shape of its operand.
const drawNotes = ({ over, under }, x, y, anchor = "middle") => [
    { x, y, anchor, text: over || "" },
    { x, y: y + 16, anchor, text: under || "", shape: true },
];

// The branches that rejoin the line at this spot.
const listRejoining = (plan, { station }) =>
    plan.spots.filter((spot) => spot.station.into === station.name);

// ---------- from left to right ----------

function layOutAcross(columns, { u, uh, gaps, lanes, rows, goesOn, wide: room, spare }) {
    const high = rows * uh;
    const pitch = CAPTION + high + 20;
    const more = Math.min(36, spare / Math.max(1, columns.length - 1));
    const plan = { across: true, uh, spots: [], wires: [], notes: [], extras: [], after: null };
    let x = 2;
    columns.forEach((column, k) => {
        const wide = measureColumn(column, u, uh);
        x += gaps[k] + (k ? more : 0);
        column.forEach((station, lane) => {
            const top = lane * pitch;
            plan.spots.push(
                placeStation(station, x + wide / 2, top, top + CAPTION + high / 2, u, uh),
            );
        });
        x += wide;
    });
    const spotFor = (station) => plan.spots.find((spot) => spot.station === station);
    columns.slice(1).forEach((column, k) =>
        arriveFromLeft(plan, spotFor(columns[k][0]), column.map(spotFor))
    );
    for (const spot of plan.spots) if (spot.station.others) placeExtrasBelow(plan, spot);
    // the room below the line is free to its right
    const met = plan.spots.filter((spot) => spot.station.sign).at(-1);
    if (!goesOn) return { ...plan, width: Math.ceil(x + 4), height: Math.ceil(lanes * pitch + 2) };
    const at = met.cx - measureCaption(met.station) / 2;
    const w = Math.max(Math.max(x, room) - at, 110);
    const h = w < 300 ? 210 : 140; // narrower boxes have more lines
    plan.after = { x: at, y: pitch + 12, w, h };
    return {
        ...plan,
        width: Math.ceil(at + w + 4),
        height: Math.ceil(Math.max(lanes * pitch + 2, plan.after.y + h)),
    };
}

// The arrow along the line, those that branch off, and the one by which a branch rejoins.
function arriveFromLeft(plan, before, [main, ...sides]) {
    const from = before.right + 4;
    const branch = from + 12;
    const middle = (from + (sides.length ? 20 : 0) + main.x - 4) / 2;
    const { sign } = main.station;
    plan.wires.push({
        points: [[from, main.mid], [main.x - 4, main.mid]],
        to: main,
        sign: sign && { x: middle, y: main.mid, text: sign },
    });
    const free = (findCaptionEnd(before, 1) + (sides.length ? 20 : 0) + findCaptionEnd(main, -1)) /
        2;
    plan.notes.push(...drawNotes(main.station, free, main.top + 13));
    for (const side of sides) {
        // from a second sentence, which is not drawn
        const trunk = side.station.other ? [] : [[branch, main.mid]];
        plan.wires.push({
            points: [...trunk, [branch, side.mid], [side.x - 4, side.mid]],
            to: side,
        });
        plan.notes.push(...drawNotes(side.station, (branch + side.x) / 2, side.top + 13));
    }
    for (const side of listRejoining(plan, main)) {
        plan.wires.push({
            points: [[side.right + 4, side.mid], [middle, side.mid], [middle, main.mid + 10]],
            to: main,
        });
    }
}

// The other heads' pictures, two per line, below the current one and no further right: a branch
// comes up there.
function placeExtrasBelow(plan, { station, x: left, w, right, bottom }) {
    const size = Math.max(20, Math.min(56, (Math.max(w, 45) - 36) / 2));
    const x = Math.min(left, right + 10 - Math.max(2 * size + 36, textWidth(station.more)));
    plan.notes.push({ x, y: bottom + 20, text: station.more, anchor: "start", shape: true });
    station.others.forEach((given, k) => {
        const spot = {
            x: x + 14 + (k % 2) * (size + 22),
            y: bottom + 30 + Math.floor(k / 2) * (size + 10),
        };
        plan.extras.push({ given, size, label: given.head, ...spot });
    });
}

// ---------- from top to bottom ----------

function layOutDownward(columns, { wide, uh, goesOn }) {
    const levels = listLevels(columns);
    const room = (station, k, u) =>
        Math.max(measureStation(station, u, uh), captionWithin(station)) +
        (k ? measureDistance(station) : 0);
    const total = (u) =>
        Math.max(...levels.map((level) => sum(level.map((station, k) => room(station, k, u)))));
    const u = findWidestUnit(total, wide);
    const middles = levels.map((level) => {
        let x = (wide - sum(level.map((station, k) => room(station, k, u)))) / 2;
        return level.map((station, k) => {
            x += room(station, k, u);
            return {
                station,
                cx: x - (room(station, k, u) - (k ? measureDistance(station) : 0)) / 2,
            };
        });
    });
    const plan = {
        across: false,
        uh,
        spots: [],
        wires: [],
        notes: [],
        extras: [],
        after: null,
        beside: fitsNotesBeside(middles, wide),
    };
    let bottom = 0;
    middles.forEach((level, at) => {
        const [high, inLine] = [Math.max(...levels[at].map(rowsOf)) * uh, at > 0];
        const top = bottom + (at ? measureGapAbove(level, plan.beside) : 0);
        const cells = top + (inLine ? CAPTION_DOWN : CAPTION);
        for (const { station, cx } of level) {
            plan.spots.push(placeStation(station, cx, top, cells + high / 2, u, uh, inLine));
        }
        bottom = cells + high;
    });
    const spotFor = (station) => plan.spots.find((spot) => spot.station === station);
    columns.slice(1).forEach((column, k) =>
        arrive(plan, spotFor(columns[k][0]), column.map(spotFor))
    );
    for (const spot of plan.spots) if (spot.station.others) placeExtrasBeside(plan, spot);
    // narrower boxes have more lines
    plan.after = { x: 0, y: bottom + 12, w: wide, h: wide < 330 ? 132 : 108 };
    return {
        ...plan,
        width: Math.ceil(Math.max(wide, total(u))),
        height: Math.ceil(bottom + (goesOn ? plan.after.h : 12)),
    };
}

export const measureInLine = (station) =>
    textWidth(station.title, "said", 700) + 6 + textWidth(station.shape);
// Branches are far enough apart for the notes at their arrows.
const captionWithin = (
    station,
) => (station.words
    ? measureCaption(station)
    : Math.max(measureInLine(station), measureNote(station) + 4));

// The side of the notes at the arrow to each station, by its name: right, or left if an arrow or a
// branch comes in from the right or passes there; on one line if there is room.
function fitsNotesBeside(middles, wide) {
    const places = middles.flat();
    const beside = {};
    middles.forEach(([{ station, cx }], at) => {
        const long = textWidth(station.over || "", "small") + 6 + textWidth(station.under || "");
        const level = (name) =>
            middles.findIndex((stations) => stations.some((each) => each.station.name === name));
        const passes = ({ into, name }) => into && level(into) >= at && level(name) < at;
        const atRight = places.filter((each) => each.cx > cx + 12 && passes(each.station));
        const led = atRight.some((each) => each.station.into === station.name);
        const free = Math.min(wide, ...atRight.map((each) => each.cx - 6)) - cx - 16;
        const alone = middles[at].length === 1;
        const before = middles[Math.max(0, at - 1)].findLast((each) => !each.station.beside).cx;
        const left = alone && (led || before > cx + 2 || (long > free && before > cx - 2));
        beside[station.name] = { left, inLine: alone && long <= (left ? cx - 16 : free) };
    });
    return beside;
}

function measureGapAbove([{ station }], beside) {
    if (!beside[station.name].inLine) return DOWNWARD;
    return station.sign ? SIGNED : SHORT;
}

// The words stand beside their embeddings, and branches beside each other.
function listLevels(columns) {
    const levels = [];
    columns.forEach((column, k) => {
        if (k && columns[k - 1][0].words) levels.at(-1).push(...column);
        else levels.push([...column]);
    });
    return levels;
}

const measureDistance = (station) => (station.beside ? 18 : measureNote(station) + 24);

function arrive(plan, before, [main, ...sides]) {
    if (before.top === main.top) arriveFromLeft(plan, before, [main]);
    else arriveFromAbove(plan, before, [main, ...sides]);
}

function arriveFromAbove(plan, before, spots) {
    const [main, ...sides] = spots;
    const from = before.bottom + 4;
    const middle = sides.length || !main.station.sign
        ? before.bottom + 13
        : (before.bottom + main.top) / 2;
    for (const spot of spots) {
        const straight = Math.abs(spot.cx - before.cx) < 2;
        const bend = straight ? [] : [[before.cx, middle], [spot.cx, middle]];
        const way = spot.station.other ? [[spot.cx, middle]] : [[before.cx, from], ...bend];
        const { sign } = spot.station;
        plan.wires.push({
            points: [...way, [spot.cx, spot.top - 2]],
            to: spot,
            sign: sign && { x: spot.cx, y: middle, text: sign },
        });
        plan.notes.push(...drawNotesAtArrow(spot, plan.beside[spot.station.name], sides.length));
    }
    for (const side of listRejoining(plan, main)) {
        const above = Math.abs(side.cx - main.cx) < side.w / 2;
        const end = main.cx + (side.cx > main.cx ? 10 : -10);
        const points = above
            ? [[main.cx, side.bottom + 4], [main.cx, middle - 10]]
            : [[side.cx, side.bottom + 4], [side.cx, middle], [end, middle]];
        plan.wires.push({ points, to: main });
    }
}

function drawNotesAtArrow({ station, cx, top }, beside, branches) {
    const [x, anchor] = beside?.left ? [cx - 16, "end"] : [cx + 16, "start"];
    if (!beside?.inLine) return drawNotes(station, x, top - (branches ? 24 : 30), anchor);
    return [{
        x,
        y: top - (station.sign ? SIGNED : SHORT) / 2 + 4,
        anchor,
        text: station.over || "",
        behind: station.under,
    }];
}

// To the left of the current one, stacked.
function placeExtrasBeside(plan, { station, x, y, h }) {
    const size = Math.max(12, Math.min(40, h / station.others.length - 8));
    station.others.forEach((given, k) => {
        plan.extras.push({
            given,
            size,
            label: given.head,
            x: x - size - 16,
            y: y + k * (size + 8),
        });
    });
}
