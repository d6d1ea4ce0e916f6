// A click on a box's button copies the box's text. A number that is selected and copied has the
// minus sign that spreadsheets and programs read.

// Copies a text to the clipboard, or, where that is not allowed (no HTTPS), selects it to be copied
// by hand. Returns the message for the user.
export async function copyText(text, select) {
    try {
        await navigator.clipboard.writeText(text);
        return "Copied.";
    } catch {
        select();
        return document.execCommand("copy") ? "Copied." : "Selected: copy it with Ctrl + C.";
    }
}

export const writeAsciiMinus = (text) => text.replace(/−(?=[\d.∞])/g, "-");

function copySelection(event) {
    const selection = getSelection(), text = selection.toString();
    const isTyped = event.target.closest?.("input, textarea");
    if (event.defaultPrevented || isTyped || writeAsciiMinus(text) === text) return;
    const range = selection.getRangeAt(0), box = document.createElement("div");
    const part = range.commonAncestorContainer, around = part.closest ? part : part.parentElement;
    box.append(range.cloneContents());
    const html = around.closest("table") ? `<table>${box.innerHTML}</table>` : box.innerHTML;
    event.clipboardData.setData("text/plain", writeAsciiMinus(text));
    event.clipboardData.setData("text/html", writeAsciiMinus(html));
    event.preventDefault();
}

export function beginCopying() {
    document.addEventListener("copy", copySelection);
    const told = new Map(); // by box, the timer that clears its message
    document.addEventListener("click", async ({ target }) => {
        const box = target.closest?.(".ab-copy")?.parentElement;
        if (!box) return;
        const [code, says] = [box.querySelector("code"), box.querySelector("[role=status]")];
        says.textContent = await copyText(
            code.textContent,
            () => getSelection().selectAllChildren(code),
        );
        clearTimeout(told.get(box));
        told.set(
            box,
            setTimeout(() => {
                says.textContent = "";
                told.delete(box);
            }, 4_000),
        );
    });
}
