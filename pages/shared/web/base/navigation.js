// The address holds the state, and only this file writes it. A user's act changes the address at
// once, as one entry of the browser's history, and Streamlit is notified by "popstate", as for Back
// and Forward; it then asks the server for the page and link in the address at that time. So acts,
// Back and Forward work alike, and the last one counts. `constants` are the pages, fields and
// presets, the same for all users.

import { address } from "../../../../core/board/web/address.js";
import { isEmbedded, turnSlides } from "../../../../core/board/web/embed.js";
import {
    changeEdits,
    changeFolds,
    changeLink,
    findBeatAfter,
    findFirstBeat,
    isSamePlace,
    pageAndBase,
    readChosenFields,
    readEdits,
    split,
    writePinned,
} from "./link.js";
import { MAIN, MENU_LINK } from "../../../../core/board/web/streamlit_page.js";

export function beginNavigation(constants) {
    // ---------- reading and writing ----------

    const isPage = (path) => constants.pages.some((page) => page.path === path);
    const pageOf = (pathname) => pageAndBase(pathname, isPage).page;
    const base = () => pageAndBase(location.pathname, isPage).base;
    const here = () => ({ page: pageOf(location.pathname), link: split(location.search).link });
    const url = (page, link) => {
        const query = [link, split(location.search).ofWindow].filter(Boolean).join("&");
        return `${base()}/${page}${query ? `?${query}` : ""}`;
    };
    const parameters = () => new URLSearchParams(here().link);

    // how many acts of this window Undo can take back
    const depth = () => history.state?.attention ?? 0;

    function write(page, asked, goesOn = false, led = false) {
        // The overview without a link would get the story's setup; so if the user's own setup is
        // all defaults, the link says so.
        const before = here().page,
            link = page || asked
                ? asked
                : new URLSearchParams({ text: constants.defaults.text }).toString();
        if (isSamePlace(here(), { page, link })) return;
        if (goesOn) history.replaceState({ attention: depth() }, "", url(page, link));
        else history.pushState({ attention: depth() + 1 }, "", url(page, link));
        if (page !== before) toTop();
        if (!led) window.dispatchEvent(new Event("attention-acted"));
        tell();
    }

    // The code of this window's class, or null.
    const room = () => new URLSearchParams(location.search).get("room");
    function enter(code) {
        const all = new URLSearchParams(location.search);
        if (code) all.set("room", code);
        else all.delete("room");
        history.replaceState(history.state, "", `${location.pathname}${all.size ? `?${all}` : ""}`);
    }

    const toTop = () => document.querySelector(MAIN)?.scrollTo({ top: 0 });

    const tell = () =>
        window.dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
    window.addEventListener("popstate", ({ isTrusted }) => {
        if (isTrusted) window.dispatchEvent(new Event("attention-acted")); // Back or Forward
        document.documentElement.dataset.answered = String(isAnswered());
        window.dispatchEvent(new Event("attention-moved"));
        check(2000);
    });

    // ---------- acts ----------

    // A drag, a held key or typing in one field is one history entry, however many values it passes
    // through.
    let gesture = 0, last = {};
    window.addEventListener("pointerdown", () => {
        gesture += 1;
    }, true);
    window.addEventListener("keydown", (event) => {
        if (!event.repeat) gesture += 1;
    }, true);

    // a model that was read has defaults of its own
    const usual = (name) => answer?.usual[name] ?? constants.defaults[name];

    function act(changes, page = here().page) {
        const fields = Object.keys(changes).join();
        const goesOn = last.gesture === gesture && last.fields === fields &&
            last.href === location.href;
        write(
            page,
            changeLink(
                here().link,
                changes,
                (name) =>
                    "init" in changes && changes.init !== "real"
                        ? constants.defaults[name]
                        : usual(name),
            ),
            goesOn,
        );
        last = { gesture, fields, href: location.href };
    }

    const edits = () => readEdits(here().link);

    // Changes weights, each as [target, value]; an empty value undoes an edit. Returns false and
    // changes nothing if there would be too many.
    function edit(changes) {
        const all = changeEdits(edits(), changes);
        if (all.length > constants.edits.most) return false;
        act({ edits: all.map((parts) => parts.join("=")).join(",") });
        return true;
    }

    // what stays behind when a page is turned
    const LEFT = { beat: null, fetch: null, attempt: null };
    const go = (page) => act(LEFT, page);

    function choose(chooses, cell) {
        const changes = readChosenFields(chooses, cell);
        const adds = isAnswered() ? answer.adds : {}; // what the page reads, and the link lacks
        if (Object.keys(changes).length) act({ ...adds, ...changes });
    }

    const held = () => writePinned(here().link, constants.setup);

    const lecturing = () => /[?&](lecture|notes)=on\b|[?&]route=story\b/.test(location.search);

    // One beat on or back, or the first; outside a lecture, one page. Counted from the link, not
    // from what is drawn: fast key presses are ahead of the drawing.
    function step(way) {
        const by = Number(way),
            row = constants.pages.filter((page) => page.in_row),
            at = row.findIndex((page) => page.path === here().page),
            next = at < 0 ? row[0] : row[at + by];
        const ofLecture =
            () => (way === "first"
                ? findFirstBeat(constants.routes, here())
                : findBeatAfter(constants.routes, here(), by));
        const to = lecturing() ? ofLecture() : next && { page: next.path, beat: null };
        if (to) act({ ...LEFT, beat: to.beat }, to.page);
        else if (by > 0) {
            /** @type {HTMLElement | null} */ (document.querySelector("[rel=next][data-grows]"))
                ?.click(); // the story's end
        }
    }

    // ---------- links and keys ----------

    const MENUS = `${MENU_LINK}, .ab-bar a, .ab-stage, .ab-steps a`;
    document.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button) {
            return;
        }
        const folded = event.target.closest?.("[data-fold]");
        if (folded) {
            const isOpen = folded.getAttribute("aria-expanded") !== "true",
                { fold, closes, alone } = folded.dataset;
            return act({
                open: changeFolds(here().link, fold, isOpen, alone),
                ...(closes ? { [closes]: null } : {}),
            });
        }
        const anchor = /** @type {HTMLAnchorElement | null} */ (event.target.closest?.("a[href]"));
        if (!anchor) return;
        const to = new URL(anchor.href, location.href);
        const by = anchor.dataset.step;
        // to a place on this page
        if (to.hash && to.pathname === location.pathname && to.search === location.search) return;
        // Streamlit opens links in its texts in a new tab; our own do so only where marked.
        const ours = to.origin === location.origin && !anchor.hasAttribute("data-new-tab") &&
            !anchor.hasAttribute("download") &&
            (to.pathname === `${base()}/` || to.pathname === base() ||
                (isPage(pageOf(to.pathname)) && pageOf(to.pathname)));
        if (!by && !ours) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        if (by) step(by);
        else if (
            anchor.dataset.edits &&
            edit(anchor.dataset.edits.split(",").map((each) => each.split("=")))
        ) return;
        else if (anchor.dataset.sets) {
            act(Object.fromEntries(new URLSearchParams(anchor.dataset.sets)), pageOf(to.pathname));
        } else if (anchor.matches(MENUS)) go(pageOf(to.pathname));
        else write(pageOf(to.pathname), to.search.slice(1)); // a link in a text: exactly that view
    }, true);

    // A select whose options each set some fields.
    document.addEventListener("change", ({ target }) => {
        const list =
            /** @type {HTMLSelectElement | null} */ (target.closest?.("select[data-sets]"));
        if (list) act(Object.fromEntries(new URLSearchParams(list.value)));
    });

    // A lecture's list of beats. It gives up the focus, so that arrow keys turn beats again.
    document.addEventListener("change", ({ target }) => {
        const list = /** @type {HTMLSelectElement | null} */ (target.closest?.(".ab-beats select"));
        if (!list) return;
        const [page, beat] = list.value.split(":");
        list.blur();
        act({ beat }, page);
    });

    function openBeats() {
        /** @type {HTMLSelectElement | null} */
        const list = document.querySelector(".ab-beats select");
        list?.focus();
        list?.showPicker?.();
    }

    // Leaves Share, or the lecture. The beat stays in the link: the lecture resumes there, and the
    // window with the notes stays where it is.
    function leave(event) {
        const shares = parameters().get("share") === "on";
        if (
            event.defaultPrevented || document.querySelector("[role=dialog]") ||
            !(shares || lecturing())
        ) return;
        if (document.activeElement?.closest("input:not([readonly]), textarea, [contenteditable]")) {
            return; // Esc closes that first
        }
        event.preventDefault();
        act(
            shares ? { share: null } : {
                lecture: null,
                notes: null,
                ...(parameters().get("route") === "story" ? { route: null } : {}),
            },
        );
        if (shares) document.querySelector(".st-key-share")?.focus();
    }

    const KEYS = { ArrowRight: 1, ArrowLeft: -1 };
    const IN_A_LECTURE = { " ": 1, PageDown: 1, PageUp: -1, Home: "first" };
    const inUse = (element) =>
        element?.closest(
            "input, textarea, select, [role=slider], [role=radio], [role=tab], [role=combobox], [role=dialog], [role=application], [contenteditable]",
        );
    document.addEventListener("keydown", (event) => {
        if (event.key === "Escape") return void leave(event);
        const plain = !event.ctrlKey && !event.metaKey && !event.altKey &&
            !inUse(document.activeElement);
        if (event.key.toLowerCase() === "g" && lecturing() && plain) {
            return void (event.preventDefault(), openBeats());
        }
        const by = KEYS[event.key] ??
            (lecturing() || isEmbedded() ? IN_A_LECTURE[event.key] : undefined);
        if (
            !by || event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey ||
            event.altKey
        ) return;
        const active = document.activeElement;
        const user = inUse(active); // a board has handled its own keys before
        if (
            (user && !(isEmbedded() && user.matches("[role=application]"))) ||
            document.querySelector("[role=dialog]")
        ) return;
        // Space presses the focused button
        if (event.key === " " && active?.closest("button, a, summary")) return;
        event.preventDefault();
        if (isEmbedded()) return void (by !== "first" && turnSlides(by));
        step(by);
    });

    // ---------- the server's answer ----------

    let answer = null; // page and link of the last one, its defaults, and what it adds to a link
    let timer = null;
    const isAnswered = () => answer !== null && isSamePlace(answer, here());
    // If the last answer is for another address and none is pending, a message was lost: asks the
    // server again, a few times.
    function check(wait) {
        clearTimeout(timer);
        timer = setTimeout(() => {
            if (!isAnswered() && wait < 60000) {
                tell();
                check(2 * wait);
            }
        }, wait);
    }

    function heard({ page, link, arrived, says }) {
        // a wheel still spinning had scrolled the page
        if (answer && answer.page !== page) toTop();
        answer = { page, link, usual: says.usual, adds: says.adds };
        if (arrived !== null && isSamePlace(here(), { page, link: arrived })) {
            // corrected: the page says what was changed
            history.replaceState(history.state, "", url(page, link));
            window.dispatchEvent(new Event("attention-moved"));
        }
        document.documentElement.dataset.answered = String(isAnswered());
        window.dispatchEvent(new Event("attention-answered"));
        if (!isAnswered()) check(2000);
    }

    Object.assign(address, {
        of: (page) => {
            const now = parameters();
            for (const name of Object.keys(LEFT)) now.delete(name);
            return url(page, now.toString());
        },
        // Another window leads this one: not this user's act.
        follow: (page, link) => write(page, link, true, true),
        room,
        enter,
        root: () => location.origin + base(),
        undo: () => depth() > 0 && history.back(),
        canUndo: () => depth() > 0,
        value: (name) => parameters().get(name) ?? usual(name),
        here,
        act,
        choose,
        edits,
        edit,
        held,
        heard,
        isAnswered,
        limits: () => constants.edits,
        // of the page in the address
        row: () => constants.pages.find((page) => page.path === here().page),
        prediction: (name) =>
            constants.pages.flatMap((page) => page.predictions).find((each) => each.name === name),
    });
}
