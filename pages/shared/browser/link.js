// The arithmetic of links: what an act makes of one. A link is the part of an address behind "?", without what is the window's own.

/** @import { Chooses, Chosen } from "../board/types.d.ts" */

// What is no page's affair, and stays in the address: the frame that Streamlit is in, and the class that this window belongs to.
const OF_THE_WINDOW = ["embed", "embed_options", "room"];

// The page of a path, and where the explorer stands.
export function pageAndBase(pathname, isPage) {
  const path = pathname.replace(/\/+$/, ""), last = path.split("/").pop(), page = isPage(last) ? last : "";
  return { page, base: (page ? path.slice(0, -page.length) : path).replace(/\/+$/, "") };
}

// What an address asks for, apart: the link, and what is the window's.
export function split(search) {
  const all = [...new URLSearchParams(search)];
  const [link, ofWindow] = [false, true].map((is) => new URLSearchParams(all.filter(([name]) => OF_THE_WINDOW.includes(name) === is)).toString());
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
export const editsOf = (link) => (new URLSearchParams(link).get("edits") || "").split(",").filter(Boolean).map((edit) => /** @type {[string, string]} */ (edit.split("=")));

// Edits with changes to them: one of the same target gives way, the others stay; an empty value takes one away.
export function edited(edits, changes) {
  const targets = new Set(changes.map(([target]) => target));
  return [...edits.filter(([target]) => !targets.has(target)), ...changes.filter(([, value]) => value)];
}

// A clicked cell: which fields it sets, and to what. "row" and "column" are its own, ["column", 5] the block of five,
// ["cell", [[…], …]] what stands there for each cell.
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

// The parts that stand open, with one of them unfolded or folded away.
export function unfolded(link, name, isOpen) {
  const names = (new URLSearchParams(link).get("open") || "").split(",").filter((other) => other && other !== name);
  return [...names, ...(isOpen ? [name] : [])].join() || null;
}

// The setup in a link as one parameter, which held.py reads.
export function heldOf(link, setup) {
  const now = new URLSearchParams(link);
  const escaped = (text) => text.replaceAll("~", "~0").replaceAll(",", "~1");
  const isOfSteps = now.get("init") === "real" || now.get("seven") === "chosen"; // or else the layer is only looked at
  return setup.filter((name) => now.has(name) && (name !== "layer" || isOfSteps)).map((name) => `${name}:${escaped(now.get(name))}`).join() || "default";
}

// On or back by beats, past the last to the next page, before the first to the last beat of the page before: { page, beat }; null
// where it goes no further.
export function beatAfter(pages, { page, link }, by) {
  const now = new URLSearchParams(link), at = pages.findIndex(({ path }) => path === page), next = pages[at + by];
  const route = pages[at].beats[now.get("route")]?.length ? now.get("route") : "whole", beats = pages[at].beats[route];
  const asked = Math.min(Math.max(Number(now.get("beat")) || 1, 1), pages[at].beats.whole.length);
  const beat = route === "story" ? beats.findLast((place) => place <= asked) ?? beats[0] : asked; // which has its own alone
  const other = by > 0 ? beats.find((place) => place > beat) : beats.findLast((place) => place < beat);
  if (other) return { page, beat: other };
  return next?.beats[route].length ? { page: next.path, beat: next.beats[route].at(by < 0 ? -1 : 0) } : null;
}
