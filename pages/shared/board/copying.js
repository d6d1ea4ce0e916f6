// A click on a box's button takes what stands in it along.

// Without a secure address a page may not write to the clipboard: then the text is selected, to be copied by hand. What it says
// is for the reader.
async function copied(text, select) {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied.";
  } catch {
    select();
    return document.execCommand("copy") ? "Copied." : "Selected: copy it with Ctrl + C.";
  }
}

function beginCopying() {
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest(".ab-copy");
    if (!button) return;
    const code = button.parentElement.querySelector("code");
    button.textContent = await copied(code.textContent, () => getSelection().selectAllChildren(code));
    setTimeout(() => { button.textContent = "Copy"; }, 2_000);
  });
}
