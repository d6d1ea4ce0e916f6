// Pure functions on links. A link is the query of an address without this window's own parameters.

/** @import { Chooses, Chosen } from "../../../../core/board/web/types.d.ts" */

// Parameters that belong to no page and stay in the address: embedding, and this window's class.
const OF_THE_WINDOW = ["embed", "embed_options", "room"];

// The page of a path, and the explorer's base path.
export function pageAndBase(pathname, isPage) {
    const path = pathname.replace(/\/+$/, ""),
        last = path.split("/").pop(),
        page = isPage(last) ? last : "";
    return { page, base: (page ? path.slice(0, -page.length) : path).replace(/\/+$/, "") };
}

// Splits a query into the link and this window's own parameters.
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

export const isSamePlace = (a, b) => a.page === b.page && canonical(a.link) === canonical(b.link);

// A link with these changes; null or the default removes a parameter.
export function changeLink(link, changes, usual) {
    const next = new URLSearchParams(link);
    for (const [name, value] of Object.entries(changes)) {
        if (value === null || String(value) === usual(name)) next.delete(name);
        else next.set(name, value);
    }
    return next.toString();
}

// The edits of weights in a link, each [target, value].
export const readEdits = (link) =>
    (new URLSearchParams(link).get("edits") || "").split(",").filter(Boolean).map((
        edit,
    ) => /** @type {[string, string]} */ (edit.split("=")));

// Merges changes into edits: a change replaces the edit of the same target; an empty value removes
// it.
export function changeEdits(edits, changes) {
    const targets = new Set(changes.map(([target]) => target));
    return [
        ...edits.filter(([target]) => !targets.has(target)),
        ...changes.filter(([, value]) => value),
    ];
}

// The fields that a clicked cell sets: to its "row" or "column"; for ["column", 5] to its block of
// five; for ["cell", [[…], …]] to the entry for that cell.
/** @param {Chooses} chooses @param {Chosen} cell */
export function readChosenFields({ fields, by_matrix, most }, cell) {
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

// The open parts after opening or closing one, null for none; those in `alone` are closed too.
export function changeFolds(link, name, isOpen, alone = "") {
    const gone = [name, ...alone.split(",")];
    const names = (new URLSearchParams(link).get("open") || "").split(",").filter((other) =>
        other && !gone.includes(other)
    );
    return [...names, ...(isOpen ? [name] : [])].join() || null;
}

// The setup of a link as one parameter, read by pages/shared/link/pinned.py.
export function writePinned(link, setup) {
    const now = new URLSearchParams(link);
    const escaped = (text) => text.replaceAll("~", "~0").replaceAll(",", "~1");
    // else the layer is only displayed
    const isOfSteps = now.get("init") === "real" || now.get("seven") === "chosen";
    return setup.filter((name) => now.has(name) && (name !== "layer" || isOfSteps)).map((name) =>
        `${name}:${escaped(now.get(name))}`
    ).join() || "default";
}

// The route across pages that the link names, or null.
function findRoute(routes, link) {
    const name = new URLSearchParams(link).get("route");
    return name !== "whole" && Object.hasOwn(routes, name) ? routes[name] : null;
}

// The first beat of the route in the link, else of the page.
export function findFirstBeat(routes, { page, link }) {
    const [first] = findRoute(routes, link) ?? [[page, null]];
    return { page: first[0], beat: first[1] };
}

// The next or previous beat { page, beat }; null past an end. A route is a list of [page, beat]; if
// it omits this page, the whole lecture is used. If it omits the link's beat, the one before it on
// this page is shown, or else the page's first.
export function findBeatAfter(routes, { page, link }, by) {
    const asked = Number(new URLSearchParams(link).get("beat")) || 1;
    const across = findRoute(routes, link),
        places = across?.some(([path]) => path === page) ? across : routes.whole;
    const here = places.filter(([path]) => path === page).map(([, beat]) => beat),
        there = here.filter((beat) => beat <= asked);
    const beat = there.length ? Math.max(...there) : here[0];
    const at = places.findIndex(([path, each]) => path === page && each === beat),
        to = places[at + by];
    return to ? { page: to[0], beat: to[1] } : null;
}
