// A click on a box's button takes what stands in it along.

// Without a secure address a page may not write to the clipboard: then the text is selected, to be
// copied by hand. Returns what the reader is told.
export async function copied(text, select) {
    try {
        await navigator.clipboard.writeText(text);
        return "Copied.";
    } catch {
        select();
        return document.execCommand("copy") ? "Copied." : "Selected: copy it with Ctrl + C.";
    }
}

export function beginCopying() {
    const told = new Map(); // by box, when what it says goes again
    document.addEventListener("click", async ({ target }) => {
        const box = target.closest?.(".ab-copy")?.parentElement;
        if (!box) return;
        const [code, says] = [box.querySelector("code"), box.querySelector("[role=status]")];
        says.textContent = await copied(
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
