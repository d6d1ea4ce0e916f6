// Passes to the upload page files dropped anywhere on it, and texts too long for a link.

import { UPLOADER } from "../../../core/board/web/streamlit_page.js";

const findUploader = () => /** @type {HTMLInputElement | null} */ (document.querySelector(
    `.st-key-pasted_files ${UPLOADER} input[type=file]`,
));

// Gives files to the uploader as if chosen there; false if the page has none.
function giveFiles(files) {
    const input = findUploader();
    if (!input) return false;
    const given = new DataTransfer();
    for (const file of files) given.items.add(file);
    input.files = given.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    return true;
}

export const pasteText = (text) =>
    giveFiles([new File([text], "pasted.txt", { type: "text/plain" })]);

// Highlights an entry and the lines of the text it was read from together, on hover and focus.
function beginLines() {
    let lit = [];
    const light = ({ target }) => {
        const part = target.closest?.("[data-line], [class*=st-key-entry_]");
        const line = (part?.querySelector("[data-line]") ?? part)?.dataset.line;
        for (const each of lit) each.classList.remove("ab-lit");
        lit = line ? [...document.querySelectorAll(`[data-line="${line}"]`)] : [];
        for (const each of lit) each.classList.add("ab-lit");
    };
    document.addEventListener("pointerover", light);
    document.addEventListener("focusin", light);
}

export function beginDrops() {
    beginLines();
    const isForUs = (event) =>
        event.dataTransfer?.types.includes("Files") && findUploader() &&
        !event.target.closest?.(UPLOADER);
    document.addEventListener("dragover", (event) => {
        if (isForUs(event)) event.preventDefault();
    });
    document.addEventListener("drop", (event) => {
        if (!isForUs(event)) return;
        event.preventDefault();
        giveFiles(event.dataTransfer.files);
    });
}
