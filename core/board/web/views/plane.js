// Shared by the views of arrows and points: a plane with equal scales, arrows, labels that do not
// overlap, and pointing at one of the items.

import { consumeEvent, drawText, listen, node } from "../dom.js";
import { roundStep, writeAtStep } from "../numbers.js";
import { ARROWS, isPress } from "../pointing.js";
import { fitText, isolate, measureWidest, textWidth } from "../text.js";

const PLANE = { side: 34, foot: 42, label: 14, most: 150, near: 26 }; // pixels

// Maps the plane to the sheet. All `spots` [x, y] must be on it; `wide` and `high` are its maximum
// size, `under` is extra room below.
export function planeFrame(spots, room, { wide = 640, high = 400, least = 150, under = 0 } = {}) {
    const [xs, ys] = [0, 1].map((k) => spots.map((spot) => spot[k]));
    const [left, right, low, up] = [
        Math.min(...xs),
        Math.max(...xs),
        Math.min(...ys),
        Math.max(...ys),
    ];
    const across = Math.max(Math.min(room.w - 8, room.fit ? room.w : wide), 240) - 2 * PLANE.side;
    const down = Math.max(least, Math.min(high, room.h)) - PLANE.foot - PLANE.side - under;
    const unit = Math.min(across / (right - left || 1e-9), down / (up - low || 1e-9));
    const size = right - left || up - low ? unit : across / 2; // a single point: from −1 to 1
    const tall = Math.max((up - low) * size, Math.min(least, down) - PLANE.foot);
    const extra = (tall - (up - low) * size) / 2;
    const free = (across - (right - left) * size) / 2;
    return {
        width: across + 2 * PLANE.side,
        height: Math.ceil(tall + PLANE.side + PLANE.foot + under),
        unit: size,
        flat: up - low < 1e-6 * (right - left), // all on a horizontal line
        x: (v) => PLANE.side + free + (v - left) * size,
        y: (v) => PLANE.side + extra + (up - v) * size,
    };
}

// A faint grid at round numbers, with equal steps both ways, and the numbers at its edges.
export function drawPlaneGrid(svg, frame, [alongX, alongY]) {
    const step = roundStep(70 / frame.unit);
    const [left, right, top, bottom] = [2, frame.width - 2, 18, frame.height - PLANE.foot + 8];
    const group = node("g", { class: "ab-plane-grid" }, svg);
    const [zeroX, zeroY] = [frame.x(0), frame.y(0)];
    const gap = step * frame.unit;
    const draw = (from, zero, to, line, label) => {
        for (let k = Math.ceil((from - zero) / gap); zero + k * gap <= to; k++) {
            node("path", { d: line(zero + k * gap), class: k ? "" : "ab-plane-zero" }, group);
            label(zero + k * gap, k);
        }
    };
    draw(left, zeroX, right, (x) => `M${x} ${top}V${bottom}`, (x, k) => {
        if (x < left + 12 || x > right - 12) return;
        drawText(group, writeAtStep(k * step, step), x, bottom + 9, "ab-tick", {
            "text-anchor": "middle",
        });
    });
    draw(top, zeroY, bottom, (y) => `M${left} ${y}H${right}`, (y, k) => {
        if (y > top + 8) {
            drawText(group, writeAtStep(-k * step, step), left + 2, y - 6, "ab-tick");
        }
    });
    drawText(group, alongX, right, bottom + 22, "ab-plane-axis", { "text-anchor": "end" });
    drawText(group, alongY, left, 9, "ab-plane-axis");
}

// An arrow between two points of the sheet; a short one has a small head, or none.
/** @param {SVGElement} parent @param {number[]} from @param {number[]} to */
export function drawArrow(parent, [x0, y0], [x1, y1], kind, width) {
    const [dx, dy] = [x1 - x0, y1 - y0];
    const length = Math.hypot(dx, dy);
    const group = node("g", { class: kind }, parent);
    if (length < 0.5) return group;
    const head = Math.min(4 + 2.4 * width, 0.7 * length);
    const [ux, uy] = [dx / length, dy / length];
    const [bx, by] = [x1 - head * ux, y1 - head * uy];
    node("path", {
        d: `M${x0} ${y0}L${bx + ux} ${by + uy}`,
        class: "ab-shaft",
        "stroke-width": width,
    }, group);
    const half = 0.42 * head;
    node("path", {
        d: `M${x1} ${y1}L${bx - half * uy} ${by + half * ux}L${bx + half * uy} ${by - half * ux}z`,
        class: "ab-head",
    }, group);
    return group;
}

// A dot at each place with radius `radius(k)` in pixels.
export function drawDots(parent, places, role, radius, chosen) {
    places.forEach(([x, y], k) => {
        const kind = `ab-dot ab-${role}${k === chosen ? " ab-dot-chosen" : ""}`;
        node("circle", { cx: x, cy: y, r: radius(k), class: kind }, parent);
    });
}

// A label for each place; items at the same place share one, which names up to three.
export function groupLabels(places, names, role, chosen) {
    const groups = [];
    places.forEach(([x, y], k) => {
        const same = groups.find((group) => Math.hypot(group.x - x, group.y - y) < 2);
        if (same) same.of.push(k);
        else groups.push({ x, y, of: [k] });
    });
    /**
     * @returns {{ x: number, y: number, of?: number[], text: string, role: string, first?: boolean,
     * below?: boolean, gap?: number }}
     */
    const label = ({ x, y, of }) => {
        const first = of.includes(chosen);
        const named = first ? [chosen, ...of.filter((k) => k !== chosen)] : of;
        const more = named.length > 3 ? ` and ${named.length - 2} more` : "";
        const text = named.slice(0, more ? 2 : 3).map((k) => isolate(names[k])).join(", ") + more;
        return { x, y, of, text, role, first };
    };
    return groups.map(label);
}

// Places the labels [{ x, y, text, role, first, below, gap }] without overlap: those with `first`
// first, `below` if possible, `gap` pixels from their place. One without room is omitted; it is
// shown when its place is pointed at.
export function drawPlaneLabels(parent, frame, labels) {
    const boxes = [];
    const spots = labels.map(({ x, y }) => [x - 3, y - 3, x + 3, y + 3]);
    const hits = (one, other) =>
        one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
    const order = [...labels.keys()].sort((a, b) =>
        Number(labels[b].first ?? false) - Number(labels[a].first ?? false)
    );
    for (const k of order) {
        const { x, y, text, role, first, below, gap = 8 } = labels[k];
        const [full, high] = [textWidth(text, "label", first ? 700 : 400), PLANE.label];
        const w = Math.min(full, PLANE.most);
        // over or under its place, within the sheet
        const middle = Math.min(Math.max(-w / 2, -x), frame.width - w - x);
        const [beside, over] = [[[gap, -high / 2], [-gap - w, -high / 2]], [[middle, -high - gap], [
            middle,
            gap + 1,
        ]]];
        const around = [
            ...(below ? [[middle, 11]] : []),
            ...(frame.flat ? [] : beside),
            ...over,
            ...(frame.flat ? beside : []),
            [6, -high - 3],
            [-6 - w, -high - 3],
            [6, 4],
            [-6 - w, 4],
        ];
        const free = around.map(([dx, dy]) => [x + dx, y + dy, x + dx + w, y + dy + high]).filter((
            [a, b, c, d],
        ) => a >= 0 && b >= 14 && c <= frame.width && d <= frame.height - PLANE.foot + 8);
        const box = free.find((one) =>
            !boxes.some((other) =>
                hits(one, other)
            ) && !spots.some((other) => hits(one, other))
        ) ||
            (first
                ? free.find((one) => !boxes.some((other) => hits(one, other))) || free[0]
                : null);
        if (!box) continue;
        boxes.push(box);
        const place = {
            x: box[0],
            y: (box[1] + box[3]) / 2,
            class: `ab-label ab-plane-label ab-${role}${first ? " ab-plane-first" : ""}`,
        };
        fitText(node("text", place, parent, text), full, w);
    }
}

export const BESIDE = { gap: 28, column: 62, line: 20 }; // pixels

const listLabel = (names) => Math.min(Math.max(measureWidest(names), 40), 150);
export const listWidth = (names, columns) => listLabel(names) + columns.length * BESIDE.column + 8;

// A list of the same items as numbers, at the right of a plane or, without room there, below it.
// `columns` are its headings, `many` its number of lines. Returns the layout, whose `draw` takes
// the lines.
export function planeList(frame, room, names, columns, many) {
    const [label, width] = [listLabel(names), listWidth(names, columns)];
    const isBeside = frame.width + BESIDE.gap + width <= room.w;
    const line = isBeside ? Math.min(BESIDE.line, (frame.height - 24) / (many + 1)) : BESIDE.line;
    const [x, y] = isBeside ? [frame.width + BESIDE.gap, 12] : [0, frame.height + 16];
    const isShown = isBeside ? line >= 11 : !room.fit && width <= room.w && many <= 12;
    const at = (row) => y + row * line;
    const end = (k) => x + label + (k + 1) * BESIDE.column;
    const write = (group, row, texts, kind) =>
        texts.forEach((text, k) =>
            drawText(group, text, k ? end(k - 1) : x, at(row), `ab-label ${kind}`, {
                "text-anchor": k ? "end" : "start",
            })
        );
    return {
        isShown,
        width: isShown && isBeside ? x + width : frame.width,
        height: isShown && !isBeside ? at(many + 1) : frame.height,
        draw: (group, lines, chosen, kind, of = "") => {
            if (!isShown) return;
            write(group, 0, [of, ...columns], "ab-plane-axis");
            lines.forEach((texts, k) =>
                write(
                    group,
                    k + 1,
                    texts,
                    k === chosen ? `${kind} ab-plane-label ab-plane-first` : "",
                )
            );
        },
        // The index of the line at this point, or null.
        under: ([px, py]) => {
            const row = Math.round((py - y) / line) - 1;
            return isShown && px >= x && px <= x + width && row >= 0 && row < many ? row : null;
        },
    };
}

// The index of the nearest place if it is close enough, or null.
export function findNearest(distances) {
    let best = 0;
    distances.forEach((distance, k) => {
        if (distance < distances[best]) best = k;
    });
    return distances[best] <= PLANE.near ? best : null;
}

/** @param {number[]} point @param {number[]} from @param {number[]} to */
export function measureDistanceToSegment([x, y], [x0, y0], [x1, y1]) {
    const [dx, dy] = [x1 - x0, y1 - y0];
    const t = Math.min(Math.max(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1), 0), 1);
    return Math.hypot(x - x0 - t * dx, y - y0 - t * dy);
}

// Pointing at one of `count` items by mouse, touch or keyboard: `under` returns the item at a point
// of the sheet, `show` draws it, a click or Enter chooses it. Returns a function that moves the
// highlight.
export function addPicking(svg, count, chosen, under, show, choose) {
    let at = chosen;
    const pointed = (event) => {
        const box = svg.getBoundingClientRect();
        const ratio = svg.viewBox.baseVal.width / box.width;
        return under([(event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio]);
    };
    listen(svg, "pointermove", (event) => {
        const found = pointed(event);
        svg.style.cursor = found === null ? "default" : "pointer";
        show(found ?? at);
    });
    listen(svg, "pointerleave", () => show(at));
    // In a lecture the arrow keys belong to the beats.
    if (document.querySelector(".st-key-lecturing")) {
        listen(svg, "mousedown", (event) => event.preventDefault());
    }
    listen(svg, "click", (event) => {
        const found = pointed(event);
        if (found !== null) choose(found);
    });
    listen(svg, "keydown", (event) => {
        const [down, right] = ARROWS[event.key] || [0, 0];
        if (down || right) show(at = Math.min(Math.max(at + down + right, 0), count - 1));
        else if (isPress(event)) choose(at);
        else return;
        consumeEvent(event);
    });
    show(at);
    return (now) => show(at = now);
}
