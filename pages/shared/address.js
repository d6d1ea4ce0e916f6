// The address: each act of a reader changes it here, at once, as one step in the browser's history, and the link is sent
// to the server. Streamlit's widgets write their own parameter; this turns that into a step. Nobody else writes the address.
//
// Where acts are quicker than the line, messages and answers cross on the way. So each act has a number, and each answer has
// one and names the act it answers; a message names the last answer heard and what was moved since, and always holds the whole
// link: the last act of a field counts.
(() => {
  if (window.attentionAddress) return;
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  let constants = null; // pages, defaults, presets: the same for all visitors
  let setMessage = null; // hands a message to Streamlit, once the component is there
  let lastAct = 0; // the number of the last act
  let heard = -1; // the last answer that came here, by the server's number for it
  const movedSince = new Set(); // the widgets that the reader moved since
  let target = null; // the page that Streamlit was last asked for
  let unsent = false; // a message waits for Streamlit to send it, which it does in this very moment

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
  const here = () => ({ page: pageOf(location.pathname), link: location.search.slice(1) });
  const url = (page, link) => `${base()}/${page}${link ? `?${link}` : ""}`;
  const canonical = (link) => { const parameters = new URLSearchParams(link); parameters.sort(); return parameters.toString(); };
  const same = (a, b) => a.page === b.page && canonical(a.link) === canonical(b.link);

  function send() {
    if (!setMessage) return;
    lastAct += 1;
    unsent = true;
    document.documentElement.dataset.lastAct = lastAct;
    setTimeout(() => { unsent = false; }, 0); // Streamlit's own timer, set before, sends it
    setMessage("message", { act: lastAct, heard, moved: [...movedSince], ...here() });
  }

  function moved() {
    window.dispatchEvent(new Event("attention-moved"));
    check(2000);
  }

  // Streamlit asks for another page when it is told that the browser went to one.
  function turnTo(page) {
    target = page;
    if (unsent) send(); // or what leaves in this moment would ask for the page before
    window.dispatchEvent(new PopStateEvent("popstate", { state: "turn" }));
  }

  function write(page, link, how = push) {
    if (same(here(), { page, link })) return;
    how({}, "", url(page, link));
    if (page !== target) turnTo(page);
    else send();
    moved();
  }

  // ---------- acts ----------

  function act(changes, page = here().page) {
    const parameters = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || String(value) === constants.defaults[name]) parameters.delete(name);
      else parameters.set(name, value);
    }
    write(page, parameters.toString());
  }

  // The edits of weights in the link, each [target, value].
  const edits = () => (new URLSearchParams(location.search).get("edits") || "").split(",").filter(Boolean).map((edit) => edit.split("="));

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

  // The setup in the address as one parameter, which pages/shared/held.py reads.
  function held() {
    const parameters = new URLSearchParams(location.search);
    const escaped = (text) => text.replaceAll("~", "~0").replaceAll(",", "~1");
    return constants.setup.filter((name) => parameters.has(name)).map((name) => `${name}:${escaped(parameters.get(name))}`).join()
      || "default";
  }

  const lecturing = () => /[?&](lecture|notes)=on\b/.test(location.search);

  // On or back by beats, past the last to the next page, before the first to the last beat of the page before; outside a
  // lecture by pages. Counted from the link, not from what is drawn: a quick hand is ahead of it.
  function step(by) {
    const pages = constants.pages;
    const at = pages.findIndex((page) => page.path === here().page);
    const parameters = new URLSearchParams(location.search);
    const route = parameters.get("route") === "short" ? "short" : "whole";
    const beat = Math.min(Math.max(Number(parameters.get("beat")) || 1, 1), pages[at].beats.whole.length);
    const beats = pages[at].beats[route];
    const other = by > 0 ? beats.find((place) => place > beat) : beats.findLast((place) => place < beat);
    const next = pages[at + by];
    if (!lecturing()) {
      if (next) go(next.path);
    } else if (other) act({ beat: other });
    else if (next) act({ beat: next.beats[route].at(by < 0 ? -1 : 0) }, next.path);
  }

  // ---------- what Streamlit does to the address ----------

  let gesture = 0; // a press, a key that is held, a drag: one step, however many values it goes through
  let last = {};
  for (const kind of ["pointerdown", "keydown"]) {
    window.addEventListener(kind, (event) => { if (!event.repeat) gesture += 1; }, true);
  }

  history.replaceState = (data, title, address) => {
    const to = address ? new URL(address, location.href) : location;
    if (!constants || to.pathname !== location.pathname || to.search === location.search) return replace(data, title, address);
    const [before, after] = [new URLSearchParams(location.search), new URLSearchParams(to.search)];
    const fields = [...new Set([...before.keys(), ...after.keys()])].filter((name) => `${before.getAll(name)}` !== `${after.getAll(name)}`);
    const goesOn = last.gesture === gesture && last.fields === fields.join();
    last = { gesture, fields: fields.join() };
    (goesOn ? replace : push)({}, "", to);
    for (const name of fields) movedSince.add(name);
    send();
    moved();
  };
  // Streamlit would go back to the page that it believes to be on, where the reader has long gone on.
  history.pushState = (data, title, address) => { if (!constants) push(data, title, address); };

  // Back and Forward. For another page Streamlit asks itself. Within a page the link is sent like any other: Streamlit must not
  // ask, too, but in Chromium it has by now, since a window tells its listeners in the order in which they came.
  window.addEventListener("popstate", (event) => {
    gesture += 1;
    if (event.state === "turn" || !constants) return;
    if (here().page === target) {
      event.stopImmediatePropagation();
      send();
    } else {
      target = here().page;
      if (unsent) send();
    }
    moved();
  }, true);

  // ---------- links and keys ----------

  const MENUS = "[data-testid=stSidebarNavLink], .ab-bar a, .ab-stage, .ab-steps a";
  document.addEventListener("click", (event) => {
    const anchor = event.target.closest?.("a[href]");
    if (!anchor || !constants || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button) return;
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
    else if (anchor.dataset.sets) act(Object.fromEntries(new URLSearchParams(anchor.dataset.sets)));
    else if (anchor.matches(MENUS)) go(pageOf(to.pathname));
    else write(pageOf(to.pathname), to.search.slice(1)); // a link in a text: exactly that view
  }, true);

  // The beat stays in the link: the lecture goes on where it was left, and the window with the notes stays where it is.
  function leaveLecture(event) {
    if (!lecturing() || event.defaultPrevented || document.querySelector("[role=dialog]")) return;
    if (document.activeElement?.closest("input, textarea, [contenteditable]")) return; // Esc leaves that first
    event.preventDefault();
    act({ lecture: null, notes: null });
  }

  const KEYS = { ArrowRight: 1, ArrowLeft: -1 };
  const IN_A_LECTURE = { " ": 1, PageDown: 1, PageUp: -1, Home: "first" };
  const inUse = (element) => element?.closest(
    "input, textarea, select, [role=slider], [role=radio], [role=tab], [role=combobox], [role=dialog], [role=application], [contenteditable]");
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && constants) return void leaveLecture(event);
    const by = KEYS[event.key] ?? (lecturing() ? IN_A_LECTURE[event.key] : undefined);
    if (!by || !constants || event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const active = document.activeElement;
    if (inUse(active) || document.querySelector("[role=dialog]")) return;
    if (event.key === " " && active?.closest("button, a, summary")) return; // Space presses what has the focus
    event.preventDefault();
    if (by === "first") act({ beat: null });
    else step(by);
  });

  // ---------- the answer ----------

  let answer = null; // the page and the link of the last one
  let timer = null;
  // The last answer is for another link than the one in the address, and no other is on its way: the server or a message was
  // lost, so the link is sent again.
  function check(wait) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!answer || same(answer, here())) return;
      send();
      check(Math.min(2 * wait, 60000));
    }, wait);
  }

  // `act` is the last one that the screen shows.
  function showsAnswer(act) {
    document.documentElement.dataset.answered = act;
    window.dispatchEvent(new Event("attention-answered"));
  }

  function mount({ data: bytes, parentElement, setStateValue }) {
    const data = JSON.parse(new TextDecoder().decode(bytes));
    setMessage = setStateValue;
    heard = data.answer;
    movedSince.clear();
    if (answer === null) target = data.page;
    answer = { page: data.page, link: data.link };
    if (data.invalid_link !== null && same(here(), { page: data.page, link: data.invalid_link })) {
      replace({}, "", url(data.page, data.link)); // corrected: the page says what was changed
      window.dispatchEvent(new Event("attention-moved"));
    }
    drawStarts(parentElement, data.preset);
    drawEdits(parentElement, data.edits);
    document.documentElement.dataset.acts = "heeded"; // from here on each act is a step
    setTimeout(showsAnswer, 0, data.act); // the boards of this answer are drawn after what stands in the sidebar
    if (!same(answer, here())) check(2000);
  }

  function drawStarts(parent, current) {
    let group = parent.querySelector(".ab-starts");
    if (!group) {
      group = make("div", { class: "ab-starts" }, parent);
      const presets = make("div", { class: "st-key-preset", role: "group", "aria-label": "Start from" }, group);
      make("p", {}, presets, "Start from (N0 to N4 are five teaching notebooks)");
      for (const name of Object.keys(constants.presets)) {
        make("button", {}, presets, name).addEventListener("click", () => act(constants.presets[name]));
      }
      make("button", { class: "st-key-reset" }, group, "Reset everything").addEventListener("click", () => act(constants.reset));
      const hold = make("div", { class: "st-key-hold", role: "group", "aria-label": "Two setups side by side" }, group);
      make("button", {}, hold, "Hold this setup").addEventListener("click", () => act({ vs: held() }));
      const letGo = make("button", {}, hold, "Let go");
      letGo.addEventListener("click", () => act({ vs: null }));
      make("p", { class: "ab-words" }, group).appendChild(make("a", { href: "#glossary" }, null, "Words and symbols"));
      const mark = () => { letGo.hidden = !new URLSearchParams(location.search).has("vs"); };
      mark();
      window.addEventListener("attention-moved", mark);
    }
    for (const button of group.querySelectorAll(".st-key-preset button")) {
      button.setAttribute("aria-pressed", String(button.textContent === current));
    }
  }

  window.attentionAddress = {
    begin(data) {
      constants = data;
      target ??= here().page;
    },
    mount,
    of: (page) => {
      const parameters = new URLSearchParams(location.search);
      parameters.delete("beat");
      return url(page, parameters.toString());
    },
    // Another window of the same browser leads this one: no step of this reader's.
    follow: (page, link) => write(page, link, replace),
    here, choose, edits, edit,
    limits: () => constants.edits,
  };
})();
