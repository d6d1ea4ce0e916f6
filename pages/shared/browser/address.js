// The address is the state, and this is the only place that writes it. An act of a reader changes it here, at once, as one step in
// the browser's history; Streamlit is told of it as the browser itself tells of Back and Forward, by "popstate", and asks the server
// for the page and the link that stand in the address by then. So acts, Back and Forward are one and the same, and the last counts.
// `constants` are the pages, fields and presets: the same for all visitors.

import { alone, handOn } from "./alone.js";

export function beginAddress(constants) {

  // ---------- reading and writing ----------

  const isPage = (path) => constants?.pages.some((page) => page.path === path);
  function pageOf(pathname) {
    const last = pathname.replace(/\/+$/, "").split("/").pop();
    return isPage(last) ? last : "";
  }
  function base() {
    const path = location.pathname.replace(/\/+$/, "");
    const page = pageOf(path);
    return (page ? path.slice(0, -page.length) : `${path}/`).replace(/\/+$/, "");
  }
  // What is no page's affair, and stays in the address: the frame that Streamlit is in, and the class that this window belongs to.
  const OF_THE_WINDOW = ["embed", "embed_options", "room"];
  const split = () => {
    const all = [...new URLSearchParams(location.search)];
    const [own, window] = [false, true].map((is) => new URLSearchParams(all.filter(([name]) => OF_THE_WINDOW.includes(name) === is)).toString());
    return { own, window };
  };
  const parameters = () => new URLSearchParams(split().own);
  const here = () => ({ page: pageOf(location.pathname), link: split().own });
  const url = (page, link) => {
    const query = [link, split().window].filter(Boolean).join("&");
    return `${base()}/${page}${query ? `?${query}` : ""}`;
  };
  const canonical = (link) => { const each = new URLSearchParams(link); each.sort(); return each.toString(); };
  const same = (a, b) => a.page === b.page && canonical(a.link) === canonical(b.link);

  const depth = () => history.state?.attention ?? 0; // acts in this window so far that Undo can take back

  function write(page, link, goesOn = false, led = false) {
    const before = here().page;
    if (same(here(), { page, link })) return;
    if (goesOn) history.replaceState({ attention: depth() }, "", url(page, link));
    else history.pushState({ attention: depth() + 1 }, "", url(page, link));
    if (page !== before) toTop();
    if (!led) window.dispatchEvent(new Event("attention-acted"));
    tell();
  }

  // The class that this window belongs to; null for none.
  const room = () => new URLSearchParams(location.search).get("room");
  function enter(code) {
    const all = new URLSearchParams(location.search);
    if (code) all.set("room", code);
    else all.delete("room");
    history.replaceState(history.state, "", `${location.pathname}${all.size ? `?${all}` : ""}`);
  }

  const toTop = () => document.querySelector("[data-testid=stMain]")?.scrollTo({ top: 0 });

  const tell = () => window.dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
  window.addEventListener("popstate", ({ isTrusted }) => {
    if (isTrusted) window.dispatchEvent(new Event("attention-acted")); // Back or Forward
    document.documentElement.dataset.answered = isAnswered();
    window.dispatchEvent(new Event("attention-moved"));
    check(2000);
  });

  // ---------- acts ----------

  // A drag, a key that is held, a word that is typed: one step, however many values it goes through.
  let gesture = 0, last = {};
  for (const kind of ["pointerdown", "keydown"]) {
    window.addEventListener(kind, (event) => { if (!event.repeat) gesture += 1; }, true);
  }

  const usual = (name) => answer?.usual[name] ?? constants.defaults[name]; // a model that is read has some of its own

  function act(changes, page = here().page) {
    const next = parameters(), fields = Object.keys(changes).join();
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || String(value) === ("init" in changes ? constants.defaults[name] : usual(name))) next.delete(name);
      else next.set(name, value);
    }
    const goesOn = last.gesture === gesture && last.fields === fields && last.href === location.href;
    write(page, next.toString(), goesOn);
    last = { gesture, fields, href: location.href };
  }

  // The edits of weights in the link, each [target, value].
  const edits = () => (parameters().get("edits") || "").split(",").filter(Boolean).map((edit) => edit.split("="));

  // Weights changed by hand, each [target, value]; with an empty value the change is undone. One of the same target gives way,
  // the others stay. False where there would be too many: then nothing is changed.
  function edit(changes) {
    const changed = new Set(changes.map(([target]) => target));
    const all = [...edits().filter(([target]) => !changed.has(target)), ...changes.filter(([, value]) => value)];
    if (all.length > constants.edits.most) return false;
    act({ edits: all.map((parts) => parts.join("=")).join(",") });
    return true;
  }

  const go = (page) => act({ beat: null }, page);

  // A clicked cell: which fields it sets, and to what. "row" and "column" are its own, ["column", 5] the block of five.
  function choose({ fields, by_matrix, most }, cell) {
    const changes = {};
    for (const [name, meaning] of Object.entries({ ...fields, ...by_matrix[cell.matrix] })) {
      if (meaning === null) continue;
      let value = meaning;
      if (Array.isArray(meaning)) value = Math.floor(cell[meaning[0]] / meaning[1]) + 1;
      else if (meaning === "row" || meaning === "column") value = cell[meaning] + 1;
      changes[name] = name in most ? Math.min(value, most[name]) : value;
    }
    if (Object.keys(changes).length) act(changes);
  }

  // A part of a page that unfolds: the link names those that are open.
  function fold({ fold: name, closes }, open) {
    const names = (parameters().get("open") || "").split(",").filter((other) => other && other !== name);
    if (open) names.push(name);
    act({ open: names.length ? names.join() : null, ...(closes && !open ? { [closes]: null } : {}) });
  }

  // The setup in the address as one parameter, which held.py reads.
  function held() {
    const now = parameters();
    const escaped = (text) => text.replaceAll("~", "~0").replaceAll(",", "~1");
    const isOfSteps = now.get("init") === "real" || now.get("seven") === "chosen"; // or else the layer is only looked at
    return constants.setup.filter((name) => now.has(name) && (name !== "layer" || isOfSteps)).map((name) => `${name}:${escaped(now.get(name))}`).join() || "default";
  }

  const lecturing = () => /[?&](lecture|notes)=on\b/.test(location.search);

  // On or back by beats, past the last to the next page, before the first to the last beat of the page before; outside a
  // lecture by pages. Counted from the link, not from what is drawn: a quick hand is ahead of it.
  function step(by) {
    const pages = constants.pages, now = parameters();
    const at = pages.findIndex((page) => page.path === here().page), next = pages[at + by];
    const route = now.get("route") === "short" ? "short" : "whole";
    const beat = Math.min(Math.max(Number(now.get("beat")) || 1, 1), pages[at].beats.whole.length);
    const beats = pages[at].beats[route];
    const other = by > 0 ? beats.find((place) => place > beat) : beats.findLast((place) => place < beat);
    if (!lecturing()) {
      if (next) go(next.path);
    } else if (other) act({ beat: other });
    else if (next) act({ beat: next.beats[route].at(by < 0 ? -1 : 0) }, next.path);
  }

  // ---------- links and keys ----------

  const MENUS = "[data-testid=stSidebarNavLink], .ab-bar a, .ab-stage, .ab-steps a";
  document.addEventListener("click", (event) => {
    if (!constants || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button) return;
    const folded = event.target.closest?.("[data-fold]");
    if (folded) return fold(folded.dataset, folded.getAttribute("aria-expanded") !== "true");
    const anchor = event.target.closest?.("a[href]");
    if (!anchor) return;
    const to = new URL(anchor.href, location.href);
    const by = anchor.dataset.step;
    if (to.hash && to.pathname === location.pathname && to.search === location.search) return; // to a place on this page
    const ours = to.origin === location.origin && anchor.target !== "_blank" && !anchor.hasAttribute("download")
      && (to.pathname === `${base()}/` || to.pathname === base() || (isPage(pageOf(to.pathname)) && pageOf(to.pathname)));
    if (!by && !ours) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (by === "first") act({ beat: null });
    else if (by) step(Number(by));
    else if (anchor.dataset.edits && edit(anchor.dataset.edits.split(",").map((each) => each.split("=")))) return;
    else if (anchor.dataset.sets) act(Object.fromEntries(new URLSearchParams(anchor.dataset.sets)), pageOf(to.pathname));
    else if (anchor.matches(MENUS)) go(pageOf(to.pathname));
    else write(pageOf(to.pathname), to.search.slice(1)); // a link in a text: exactly that view
  }, true);

  // From a lecture's list of beats. The list gives the keys back: arrows go on by beats again.
  document.addEventListener("change", ({ target }) => {
    if (!target.matches?.(".ab-beats select")) return;
    const [page, beat] = target.value.split(":");
    target.blur();
    act({ beat }, page);
  });

  function openBeats() {
    const list = document.querySelector(".ab-beats select");
    list?.focus();
    list?.showPicker?.();
  }

  // Out of Share, or of the lecture. The beat stays in the link: the lecture goes on where it was left, and the window with the notes
  // stays where it is.
  function leave(event) {
    const shares = parameters().get("share") === "on";
    if (event.defaultPrevented || document.querySelector("[role=dialog]") || !(shares || lecturing())) return;
    if (document.activeElement?.closest("input:not([readonly]), textarea, [contenteditable]")) return; // Esc leaves that first
    event.preventDefault();
    act(shares ? { share: null } : { lecture: null, notes: null });
    if (shares) document.querySelector(".st-key-share")?.focus();
  }

  const KEYS = { ArrowRight: 1, ArrowLeft: -1 };
  const IN_A_LECTURE = { " ": 1, PageDown: 1, PageUp: -1, Home: "first" };
  const inUse = (element) => element?.closest(
    "input, textarea, select, [role=slider], [role=radio], [role=tab], [role=combobox], [role=dialog], [role=application], [contenteditable]");
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && constants) return void leave(event);
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !inUse(document.activeElement);
    if (event.key.toLowerCase() === "g" && lecturing() && plain) return void (event.preventDefault(), openBeats());
    const by = KEYS[event.key] ?? (lecturing() ? IN_A_LECTURE[event.key] : undefined);
    if (!by || !constants || event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const active = document.activeElement;
    if (inUse(active) || document.querySelector("[role=dialog]")) return;
    if (event.key === " " && active?.closest("button, a, summary")) return; // Space presses what has the focus
    event.preventDefault();
    if (alone()) return void handOn(by);
    if (by === "first") act({ beat: null });
    else step(by);
  });

  // ---------- the answer ----------

  let answer = null; // page and link of the last one, and what is usual there
  let timer = null;
  const isAnswered = () => answer !== null && same(answer, here());
  // The last answer is for another address, and no other is on its way: a server or a message was lost, so the server is asked
  // again, a few times.
  function check(wait) {
    clearTimeout(timer);
    timer = setTimeout(() => { if (!isAnswered() && wait < 60000) { tell(); check(2 * wait); } }, wait);
  }

  function heard({ page, link, arrived, says }) {
    if (answer && answer.page !== page) toTop(); // a wheel that still turned has moved the page before
    answer = { page, link, usual: says.usual };
    if (arrived !== null && same(here(), { page, link: arrived })) {
      history.replaceState(history.state, "", url(page, link)); // corrected: the page says what was changed
      window.dispatchEvent(new Event("attention-moved"));
    }
    document.documentElement.dataset.answered = isAnswered();
    window.dispatchEvent(new Event("attention-answered"));
    if (!isAnswered()) check(2000);
  }

  window.attentionAddress = {
    of: (page) => {
      const now = parameters();
      now.delete("beat");
      return url(page, now.toString());
    },
    // Another window leads this one: no step of this reader's.
    follow: (page, link) => write(page, link, true, true),
    room, enter, root: () => location.origin + base(),
    undo: () => depth() > 0 && history.back(),
    canUndo: () => depth() > 0,
    value: (name) => parameters().get(name) ?? usual(name),
    here, act, choose, edits, edit, held, heard, isAnswered,
    limits: () => constants.edits,
    row: () => constants.pages.find((page) => page.path === here().page), // of the page that stands in the address
    prediction: (name) => constants.pages.flatMap((page) => page.predictions).find((each) => each.name === name),
  };
}
