// In a lecture the setup is folded away, and two windows of one browser, the projected one and the
// speaker's with notes, follow each other. address.js handles the keys.

import { APP, SIDEBAR } from "../../../../core/board/web/streamlit_page.js";

// Removes the focus after a mouse click, or the next Space would press that button again.
const onClick = (event) =>
    event.detail > 0 && event.target.closest?.("button, .ab-steps a, .ab-bead a")?.blur();

const parametersHere = () => new URLSearchParams(window.attentionAddress.here().link);

function shared() {
    const { page } = window.attentionAddress.here();
    const parameters = parametersHere();
    const notes = parameters.get("notes") === "on";
    parameters.delete("notes");
    parameters.delete("lecture");
    parameters.delete("share");
    parameters.sort();
    return { page, link: parameters.toString(), notes };
}

function goTogether() {
    const channel = new BroadcastChannel("attention-lecture");
    const same = (a, b) => a.page === b.page && a.link === b.link;
    let last = shared();
    const onMove = () => {
        const here = shared();
        if (same(here, last)) return;
        last = here;
        channel.postMessage(here);
    };
    window.addEventListener("attention-moved", onMove);
    channel.onmessage = ({ data }) => {
        const here = shared();
        if (data.ask) {
            if (!here.notes) channel.postMessage(here);
            return;
        }
        // two windows of the same kind do not lead each other
        if (data.notes === here.notes || same(data, here)) return;
        last = { ...data, notes: here.notes };
        const parameters = new URLSearchParams(data.link);
        parameters.set(here.notes ? "notes" : "lecture", "on");
        window.attentionAddress.follow(data.page, parameters.toString());
    };
    // the speaker's window opens at the current beat
    if (last.notes) channel.postMessage({ ask: true });
    return () => {
        window.removeEventListener("attention-moved", onMove);
        channel.close();
    };
}

// Hides the setup in a lecture (lecture.css) until requested. The switch that started the lecture
// loses the focus: it would take the arrow keys.
function foldSetup() {
    const root = document.documentElement;
    const button = Object.assign(document.createElement("button"), {
        className: "ab-setup",
        type: "button",
        textContent: "Setup",
    });
    const show = (open) => {
        root.dataset.setup = open ? "open" : "folded";
        button.setAttribute("aria-expanded", String(open));
    };
    button.addEventListener("click", () => show(root.dataset.setup !== "open"));
    show(false);
    document.querySelector(APP).append(button);
    if (document.querySelector(SIDEBAR)?.contains(document.activeElement)) {
        document.activeElement.blur();
    }
    return () => {
        button.remove();
        delete root.dataset.setup;
    };
}

// a rerun may start or end the lecture again
let end = null;

const isOn = () =>
    ["lecture", "notes"].some((name) => parametersHere().get(name) === "on") ||
    parametersHere().get("route") === "story";

function begin() {
    const unfold = foldSetup();
    window.addEventListener("click", onClick, true); // before address.js, which stops it
    const part = goTogether();
    document.documentElement.dataset.lecture = "listening"; // keys work from here on
    end = () => {
        delete document.documentElement.dataset.lecture;
        window.removeEventListener("click", onClick, true);
        part();
        unfold();
        end = null;
    };
}

export default () => {
    const start = () => {
        if (!end && isOn()) begin();
    };
    if (window.attentionReady) start();
    else window.addEventListener("attention-ready", start, { once: true });
    window.addEventListener("attention-moved", start);
    return () => {
        window.removeEventListener("attention-ready", start);
        window.removeEventListener("attention-moved", start);
        end?.();
    };
};
