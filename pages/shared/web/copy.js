// A click on a box's button copies the box's text.

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

export function beginCopying() {
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
