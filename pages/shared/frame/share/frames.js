// The lines of all boards that stand on the page now. A board may come later, or become another:
// then its row does, too.

import { make } from "../../board/dom.js";
import { copied } from "../../browser/copying.js";
import { MAIN } from "../../browser/streamlit_page.js";

function row(list, { name, line }, said) {
    const each = make("div", { class: "row" }, list);
    make("span", { class: "name" }, each, name);
    const field = make(
        "input",
        { readonly: "", "aria-label": `Frame: ${name}`, title: line },
        each,
    );
    field.value = line;
    const button = make(
        "button",
        { type: "button", "aria-label": `Copy frame: ${name}` },
        each,
        "Copy",
    );
    button.addEventListener("click", async () => {
        said.textContent = await copied(line, () => field.select());
    });
}

export default function ({ parentElement }) {
    if (parentElement.endFrames) return parentElement.endFrames; // it is there, and looks by itself
    const all = make("div", { class: "links frames" }, parentElement),
        list = make("div", {}, all),
        said = make("p", { role: "status" }, all);
    let drawn = null, waits = false;
    const draw = () => {
        waits = false;
        const frames = window.attentionFrames?.() ?? [], now = JSON.stringify(frames);
        if (now === drawn || !all.isConnected) return;
        drawn = now;
        list.replaceChildren();
        for (const each of frames) row(list, each, said);
        said.textContent = frames.length ? "" : "There is no board on this page.";
    };
    const soon = () => {
        if (!waits) requestAnimationFrame(draw);
        waits = true;
    };
    const watcher = new MutationObserver((changes) => {
        if (changes.some(({ target }) => !all.contains(target))) soon();
    });
    watcher.observe(document.querySelector(MAIN), { childList: true, subtree: true });
    window.addEventListener("attention-moved", soon);
    draw();
    parentElement.endFrames = () => {
        watcher.disconnect();
        window.removeEventListener("attention-moved", soon);
        all.remove();
        delete parentElement.endFrames;
    };
    return parentElement.endFrames;
}
