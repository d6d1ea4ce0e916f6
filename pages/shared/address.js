// The address: each act of a reader changes it here, at once, as one step in the browser's history, and the server is
// told. Streamlit's widgets write their own parameter; this turns that into a step. Nobody else writes the address.
//
// What was said and what is heard meet on the way where acts are quicker than the line. So each act has a number, each
// answer names the act it answers, and the link that is said is always the whole one: the last act of a field counts.
(() => {
  if (window.attentionAddress) return;
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  let constants = null; // pages, defaults, presets: the same for all visitors
  let say = null; // hands the link to the server, once the component is there
  let said = 0; // the number of the last act
  let heard = -1; // the last act that an answer here answers
  let going = null; // the page that Streamlit was last asked for
  let unsent = false; // something was said that leaves with Streamlit's next message, in this very moment

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
  const here = () => ({ page: pageOf(location.pathname), query: location.search.slice(1) });
  const url = (page, query) => `${base()}/${page}${query ? `?${query}` : ""}`;
  const plain = (query) => { const link = new URLSearchParams(query); link.sort(); return link.toString(); };
  const same = (a, b) => a.page === b.page && plain(a.query) === plain(b.query);

  function tell() {
    if (!say) return;
    said += 1;
    unsent = true;
    document.documentElement.dataset.said = said;
    setTimeout(() => { unsent = false; }, 0); // Streamlit's own timer, set before, sends it
    say("said", { n: said, heard, ...here() });
  }

  function moved() {
    window.dispatchEvent(new Event("attention-moved"));
    check(2000);
  }

  // Streamlit asks for another page when it is told that the browser went to one.
  function turnTo(page) {
    going = page;
    if (unsent) tell(); // or what leaves in this moment would ask for the page before
    window.dispatchEvent(new PopStateEvent("popstate", { state: "asked" }));
  }

  function write(page, query, how = push) {
    if (same(here(), { page, query })) return;
    how({}, "", url(page, query));
    if (page !== going) turnTo(page);
    else tell();
    moved();
  }

  // ---------- acts ----------

  function act(changes, page = here().page) {
    const link = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || String(value) === constants.defaults[name]) link.delete(name);
      else link.set(name, value);
    }
    write(page, link.toString());
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

  const lecturing = () => /[?&](lecture|notes)=on\b/.test(location.search);

  // On or back by beats, past the last to the next page, before the first to the last beat of the page before; outside a
  // lecture by pages. Counted from the link, not from what is drawn: a quick hand is ahead of it.
  function step(by) {
    const pages = constants.pages;
    const at = pages.findIndex((page) => page.path === here().page);
    const beat = Math.min(Math.max(Number(new URLSearchParams(location.search).get("beat")) || 1, 1), pages[at].beats);
    const next = pages[at + by];
    if (!lecturing()) {
      if (next) go(next.path);
    } else if (beat + by >= 1 && beat + by <= pages[at].beats) act({ beat: beat + by });
    else if (next) act({ beat: by < 0 ? next.beats : null }, next.path);
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
    tell();
    moved();
  };
  // Streamlit would go back to the page that it believes to be on, where the reader has long gone on.
  history.pushState = (data, title, address) => { if (!constants) push(data, title, address); };

  // Back and Forward. Within a page the link is said like any other; for another page Streamlit asks itself.
  window.addEventListener("popstate", (event) => {
    gesture += 1;
    if (event.state === "asked" || !constants) return;
    if (here().page === going) {
      event.stopImmediatePropagation();
      tell();
    } else {
      going = here().page;
      if (unsent) tell();
    }
    moved();
  }, true);

  // ---------- links and keys ----------

  const MENUS = "[data-testid=stSidebarNavLink], .ab-bar a, .ab-stage, .ab-steps a";
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || !constants || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button) return;
    const to = new URL(link.href, location.href);
    const by = link.dataset.step;
    if (to.hash && to.pathname === location.pathname && to.search === location.search) return; // to a place on this page
    const ours = to.origin === location.origin && link.target !== "_blank" && !link.hasAttribute("download")
      && (to.pathname === `${base()}/` || to.pathname === base() || (isPage(pageOf(to.pathname)) && pageOf(to.pathname)));
    if (!by && !ours) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (by === "first") act({ beat: null });
    else if (by) step(Number(by));
    else if (link.matches(MENUS)) go(pageOf(to.pathname));
    else write(pageOf(to.pathname), to.search.slice(1)); // a link in a text: exactly that view
  }, true);

  const KEYS = { ArrowRight: 1, ArrowLeft: -1 };
  const IN_A_LECTURE = { " ": 1, PageDown: 1, PageUp: -1, Home: "first" };
  const inUse = (element) => element?.closest(
    "input, textarea, select, [role=slider], [role=radio], [role=tab], [role=combobox], [role=dialog], [role=application], [contenteditable]");
  document.addEventListener("keydown", (event) => {
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

  let answered = null;
  let timer = null;
  // An answer to another link than the one that stands here, and nothing under way: a server that was lost, or a message.
  function check(wait) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!answered || same(answered, here())) return;
      tell();
      check(Math.min(2 * wait, 60000));
    }, wait);
  }

  function mount({ data: bytes, parentElement, setStateValue }) {
    const data = JSON.parse(new TextDecoder().decode(bytes));
    say = setStateValue;
    heard = Math.max(heard, data.n);
    if (answered === null) going = data.page;
    answered = { page: data.page, query: data.query };
    if (data.was !== null && same(here(), { page: data.page, query: data.was })) {
      replace({}, "", url(data.page, data.query)); // put right: the page says what was changed
      window.dispatchEvent(new Event("attention-moved"));
    }
    drawStarts(parentElement, data.preset);
    document.documentElement.dataset.acts = "heeded"; // from here on each act is a step
    document.documentElement.dataset.answered = data.n; // up to which act what is on screen counts them
    if (!same(answered, here())) check(2000);
  }

  function drawStarts(parent, current) {
    let group = parent.querySelector(".ab-starts");
    if (!group) {
      group = make("div", { class: "ab-starts" }, parent);
      const presets = make("div", { class: "st-key-preset", role: "group", "aria-label": "Start from" }, group);
      make("p", {}, presets, "Start from");
      for (const name of Object.keys(constants.presets)) {
        make("button", {}, presets, name).addEventListener("click", () => act(constants.presets[name]));
      }
      make("button", { class: "st-key-reset" }, group, "Reset everything").addEventListener("click", () => act(constants.reset));
    }
    for (const button of group.querySelectorAll(".st-key-preset button")) {
      button.setAttribute("aria-pressed", String(button.textContent === current));
    }
  }

  window.attentionAddress = {
    begin(given) {
      constants = given;
      going ??= here().page;
    },
    mount,
    of: (page) => { const link = new URLSearchParams(location.search); link.delete("beat"); return url(page, link.toString()); },
    // Another window of the same browser leads this one: no step of this reader's.
    follow: (page, query) => write(page, query, replace),
    here, choose,
  };
})();
