// The arithmetic of links: what an act makes of one. A link is the part of an address behind "?",
// without what is the window's own.

/** @import { Chooses, Chosen } from "../board/types.d.ts" */

// What is no page's affair, and stays in the address: the frame that Streamlit is in, and the class
// that this window belongs to.
const OF_THE_WINDOW = ["embed", "embed_options", "room"];

// The page of a path, and where the explorer stands.
export function pageAndBase(pathname, isPage) {
    const path = pathname.replace(/\/+$/, ""),
        last = path.split("/").pop(),
        page = isPage(last) ? last : "";
    return { page, base: (page ? path.slice(0, -page.length) : path).replace(/\/+$/, "") };
}

// What an address asks for, apart: the link, and what is the window's.
export function split(search) {
    const all = [...new URLSearchParams(search)];
    const [link, ofWindow] = [false, true].map((is) =>
        new URLSearchParams(all.filter(([name]) => OF_THE_WINDOW.includes(name) === is)).toString()
    );
    return { link, ofWindow };
}

function canonical(link) {
    const each = new URLSearchParams(link);
    each.sort();
    return each.toString();
}

export const same = (a, b) => a.page === b.page && canonical(a.link) === canonical(b.link);

// With these changes; null takes a parameter away, and so does what is usual.
export function changed(link, changes, usual) {
    const next = new URLSearchParams(link);
    for (const [name, value] of Object.entries(changes)) {
        if (value === null || String(value) === usual(name)) next.delete(name);
        else next.set(name, value);
    }
    return next.toString();
}

// Its edits of weights, each [target, value].
export const editsOf = (link) =>
    (new URLSearchParams(link).get("edits") || "").split(",").filter(Boolean).map((
        edit,
    ) => /** @type {[string, string]} */ (edit.split("=")));

// Edits with changes to them: one of the same target gives way, the others stay; an empty value
// takes one away.
export function edited(edits, changes) {
    const targets = new Set(changes.map(([target]) => target));
    return [
        ...edits.filter(([target]) => !targets.has(target)),
        ...changes.filter(([, value]) => value),
    ];
}

// A clicked cell: which fields it sets, and to what. "row" and "column" are its own, ["column", 5]
// the block of five, ["cell", [[…], …]] what stands there for each cell.
/** @param {Chooses} chooses @param {Chosen} cell */
export function chosenFields({ fields, by_matrix, most }, cell) {
    const changes = {};
    for (const [name, meaning] of Object.entries({ ...fields, ...by_matrix[cell.matrix] })) {
        if (meaning === null) continue;
        let value = meaning;
        if (Array.isArray(meaning)) {
            const [what, of] = meaning;
            value = Array.isArray(of) ? of[cell.row][cell.column] : Math.floor(cell[what] / of) + 1;
        }
        if (meaning === "row" || meaning === "column") value = cell[meaning] + 1;
        changes[name] = name in most ? Math.min(Number(value), most[name]) : value;
    }
    return changes;
}

// The parts that stand open, with one of them unfolded or folded away; those that it does not stand
// beside, `alone`, are folded away with it.
export function unfolded(link, name, isOpen, alone = "") {
    const gone = [name, ...alone.split(",")];
    const names = (new URLSearchParams(link).get("open") || "").split(",").filter((other) =>
        other && !gone.includes(other)
    );
    return [...names, ...(isOpen ? [name] : [])].join() || null;
}

// The setup in a link as one parameter, which held.py reads.
export function heldOf(link, setup) {
    const now = new URLSearchParams(link);
    const escaped = (text) => text.replaceAll("~", "~0").replaceAll(",", "~1");
    // or else the layer is only looked at
    const isOfSteps = now.get("init") === "real" || now.get("seven") === "chosen";
    return setup.filter((name) => now.has(name) && (name !== "layer" || isOfSteps)).map((name) =>
        `${name}:${escaped(now.get(name))}`
    ).join() || "default";
}

// The route across the pages that a link asks for, if it does.
function acrossBy(routes, link) {
    const name = new URLSearchParams(link).get("route");
    return name !== "whole" && Object.hasOwn(routes, name) ? routes[name] : null;
}

// The first beat: of a route across the pages its own, else the page's.
export function firstBeat(routes, { page, link }) {
    const [first] = acrossBy(routes, link) ?? [[page, null]];
    return { page: first[0], beat: first[1] };
}

// On or back by beats, { page, beat }; null where it goes no further. A route is a list of [page,
// beat]; where it does not go by this page, the whole lecture stands in for it. Where the link asks
// for a beat that it leaves out, the one before it on the page is on screen, or its first there.
export function beatAfter(routes, { page, link }, by) {
    const asked = Number(new URLSearchParams(link).get("beat")) || 1;
    const across = acrossBy(routes, link),
        places = across?.some(([path]) => path === page) ? across : routes.whole;
    const here = places.filter(([path]) => path === page).map(([, beat]) => beat),
        there = here.filter((beat) => beat <= asked);
    const beat = there.length ? Math.max(...there) : here[0];
    const at = places.findIndex(([path, each]) => path === page && each === beat),
        to = places[at + by];
    return to ? { page: to[0], beat: to[1] } : null;
}
