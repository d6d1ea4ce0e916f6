// The bar: the overview, the seven steps and what comes after, always in view.
//
// Streamlit's own menu stands in the sidebar, which a phone folds away. The bar repeats it; drawn here, it costs no
// message. Drawn once: a link that is replaced between a press and its release would miss the click.

function drawBar(parent, pages) {
  const bar = make("nav", { class: "ab-bar", "aria-label": "Steps" }, parent);
  const steps = pages.filter((page) => page.numbered);
  for (const page of pages) {
    const item = make("a", { "data-page": page.path }, bar, page.menu);
    if (pages[pages.indexOf(page) - 1] === steps.at(-1)) item.className = "ab-bar-next"; // what comes after is a section of its own
  }
  const mark = () => {
    const here = window.attentionAddress.here();
    for (const item of bar.children) {
      item.href = window.attentionAddress.of(item.dataset.page);
      if (item.dataset.page === here.page) item.setAttribute("aria-current", "page");
      else item.removeAttribute("aria-current");
    }
  };
  mark();
  window.addEventListener("attention-moved", mark);
}
