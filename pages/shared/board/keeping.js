// Who works by keyboard stays where they are: where an answer draws anew what has the focus, what stands there then has it.
// Otherwise the page itself would have it, and the next Enter would be lost.

// Of a drawing's or a text's parts those that are the same thing to a reader: by their class or, where they have none, their words.
function alike(root, part) {
  const [kind] = part.classList;
  const same = (other) => other.classList[0] === kind && (kind || other.textContent === part.textContent);
  return [...root.querySelectorAll(part.tagName)].filter(same);
}

// Where in this root the focus is: which part, and which of those alike.
function focusedIn(root) {
  const part = document.activeElement;
  return root.contains(part) && part !== root ? { part, place: alike(root, part).indexOf(part) } : null;
}

// What stands in the place of a part that had the focus has it; if there is none, the drawing.
function focusAgain(root, { part, place }) {
  (alike(root, part)[place] ?? root.querySelector(".ab-svg"))?.focus({ preventScroll: true });
}

// Boards see to it themselves as they draw. A text (st.html) is drawn by Streamlit: what was focused in one is remembered as
// long as the focus is there, or would be.
function beginKeeping() {
  const root = document.body, inText = (target) => target.closest(".stHtml") && target.matches(":focus-visible");
  let had = null;
  addEventListener("focusin", ({ target }) => { had = inText(target) ? { ...focusedIn(root), page: location.pathname } : null; });
  addEventListener("focusout", () => queueMicrotask(() => { // left, and not taken away
    if (had?.part.isConnected && document.activeElement !== had.part) had = null;
  }));
  new MutationObserver(() => {
    if (!had || had.part.isConnected || document.activeElement !== root) return;
    if (had.page !== location.pathname) had = null;
    else alike(root, had.part)[had.place]?.focus({ preventScroll: true });
  }).observe(root, { childList: true, subtree: true });
}

// A field whose words are all marked keeps all marked where an answer (to Back, say) writes others into it: what is typed next
// takes their place, as the reader meant. What readers write themselves says so (input).
function beginMarking() {
  let marked = null;
  const mark = () => {
    const field = document.activeElement;
    if (!field?.matches("input[type=text], textarea")) return;
    if (marked?.field === field && marked.words !== field.value) field.select();
    const all = field.selectionStart === 0 && field.selectionEnd === field.value.length;
    marked = all && field.value ? { field, words: field.value } : null;
  };
  for (const end of ["input", "focusout"]) addEventListener(end, () => { marked = null; }, true);
  addEventListener("keydown", mark, true); // the browser may not have told of the answer's words yet
  // It tells of what is marked before its next frame, and an answer may come before that: who marks by hand is looked after.
  addEventListener("mouseup", mark, true);
  for (const begin of ["mousedown", "keydown"]) addEventListener(begin, () => setTimeout(mark), true);
  document.addEventListener("selectionchange", mark);
}
