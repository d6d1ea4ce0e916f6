// In a lecture the setup is folded away, and two windows of one browser, the projected one and the
// speaker's with notes, follow each other. navigation.js handles the keys.

import { address } from "../../../../core/board/web/address.js";
import { APP, SIDEBAR } from "../../../../core/board/web/streamlit_page.js";

// Removes the focus after a mouse click, or the next Space would press that button again.
const dropFocus = (event) =>
    event.detail > 0 && event.target.closest?.("button, .ab-steps a, .ab-bead a")?.blur();

const readParameters = () => new URLSearchParams(address.here().link);

function readSharedPlace() {
    const { page } = address.here();
    const parameters = readParameters();
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
    let last = readSharedPlace();
    const onMove = () => {
        const here = readSharedPlace();
        if (same(here, last)) return;
        last = here;
        channel.postMessage(here);
    };
    window.addEventListener("attention-moved", onMove);
    channel.onmessage = ({ data }) => {
        const here = readSharedPlace();
        if (data.ask) {
            if (!here.notes) channel.postMessage(here);
            return;
        }
        // two windows of the same kind do not lead each other
        if (data.notes === here.notes || same(data, here)) return;
        last = { ...data, notes: here.notes };
        const parameters = new URLSearchParams(data.link);
        parameters.set(here.notes ? "notes" : "lecture", "on");
        address.follow(data.page, parameters.toString());
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
let endLecture = null;

const isLecture = () =>
    ["lecture", "notes"].some((name) => readParameters().get(name) === "on") ||
    readParameters().get("route") === "story";

function startLecture() {
    if (endLecture || !isLecture()) return;
    const unfold = foldSetup();
    window.addEventListener("click", dropFocus, true); // before navigation.js, which stops it
    const part = goTogether();
    document.documentElement.dataset.lecture = "listening"; // keys work from here on
    endLecture = () => {
        delete document.documentElement.dataset.lecture;
        window.removeEventListener("click", dropFocus, true);
        part();
        unfold();
        endLecture = null;
    };
}

export function beginLecture() {
    startLecture();
    window.addEventListener("attention-moved", startLecture);
    return () => {
        window.removeEventListener("attention-moved", startLecture);
        endLecture?.();
    };
}
