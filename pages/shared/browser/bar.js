// The bar: the machine once more, small, as the way from page to page. The station of the present page is lit; wires lead from
// one to the next, and where the computation branches, they do.
//
// Streamlit's own menu stands in the sidebar, which a phone folds away. The bar repeats it; drawn here, it costs no
// message. Drawn once: a link that is replaced between a press and its release would miss the click.

import { shareTheme } from "../board/colours.js";
import { fill, make, node } from "../board/dom.js";

// What stands for each page, on 30 × 22: rectangles (left, top, width, height, role) and, where that does not do, a line. In those that
// are matrices with a row for each word, `rows` of them, the followed word's is lit.
const GLYPHS = {
  "": { boxes: [[2, 8, 5, 6, "x"], [10, 2, 5, 5, "q"], [10, 8.5, 5, 5, "k"], [10, 15, 5, 5, "v"], [18, 8, 5, 6, "weights"], [25, 8, 4, 6, "output"]] },
  vocabulary: { boxes: [[6, 4, 11, 3, "x"], [6, 9.5, 18, 3, "x"], [6, 15, 14, 3, "x"]] },
  embedding: { rows: 1, boxes: [[10, 3, 10, 16, "x"]], line: "M10 7h10M10 11h10M10 15h10" },
  projection: { rows: 1, boxes: [[11, 1, 8, 6, "q"], [11, 8, 8, 6, "k"], [11, 15, 8, 6, "v"]] },
  scores: { rows: 1, boxes: [[7.5, 3.5, 15, 15, "scores"]], line: "M12.5 3.5v15M17.5 3.5v15M7.5 8.5h15M7.5 13.5h15" },
  weights: { rows: 1, boxes: [[7.5, 3.5, 15, 15, "weights"]], line: "M12.5 3.5v15M17.5 3.5v15M7.5 8.5h15M7.5 13.5h15" },
  context: { rows: 1, boxes: [[10, 3, 10, 16, "output"]], line: "M10 7h10M10 11h10M10 15h10" },
  heads: { rows: 3, boxes: [[4, 3, 6, 16, "output"], [12, 3, 6, 16, "output"], [20, 3, 6, 16, "output"]] },
  masks: { rows: 1, boxes: [[7.5, 3.5, 15, 15, "weights"]], line: "M7.5 3.5L22.5 18.5M12.5 3.5l10 10M17.5 3.5l5 5" },
  block: { boxes: [[12, 2, 12, 7, "x"], [12, 13, 12, 7, "x"]], line: "M6 0v22M6 5.5h6M6 16.5h6" },
  encoder: { boxes: [[7, 1.5, 16, 5, "x"], [7, 8.5, 16, 5, "x"], [7, 15.5, 16, 5, "x"]] },
  next: { boxes: [[3, 12, 4, 7, "output"], [9, 3, 4, 16, "output"], [15, 9, 4, 10, "output"]], line: "M22 11h6M25.5 8.5L28 11l-2.5 2.5" },
  classifier: { boxes: [[5, 12, 5, 7, "output"], [12.5, 3, 5, 16, "output"], [20, 9, 5, 10, "output"]] },
  training: { boxes: [], line: "M5 3C8 17 13 17 26 18M5 3v16h21" },
  model: { boxes: [[4, 2, 6, 5, "weights"], [12, 2, 6, 5, "weights"], [20, 2, 6, 5, "weights"], [4, 8.5, 6, 5, "weights"], [12, 8.5, 6, 5, "weights"], [20, 8.5, 6, 5, "weights"], [4, 15, 6, 5, "weights"], [12, 15, 6, 5, "weights"], [20, 15, 6, 5, "weights"]] },
  notebooks: { boxes: [[8, 2, 14, 18, "x"]], line: "M11 7h8M11 11h8M11 15h5" },
};
// Where the wire of the values runs: it leaves below, passes scores and weights, and comes up to the context.
const BELOW = { projection: "from", scores: "past", weights: "past", context: "to" };

export function beginBar({ pages }) {
  window.attentionBar = ({ parentElement }) => {
    shareTheme(parentElement);
    if (!parentElement.querySelector(".ab-bar")) drawBar(parentElement, pages);
  };
}

function drawBar(parent, pages) {
  const bar = make("nav", { class: "ab-bar", "aria-label": "Steps" }, parent);
  for (const page of pages) drawStop(bar, page, pages);
  const mark = () => {
    const here = window.attentionAddress.here();
    for (const item of bar.children) {
      item.href = window.attentionAddress.of(item.dataset.page);
      if (item.dataset.page !== here.page) item.removeAttribute("aria-current");
      else if (!item.hasAttribute("aria-current")) {
        item.setAttribute("aria-current", "page");
        requestAnimationFrame(() => bring(bar, item));
      }
    }
  };
  mark();
  window.addEventListener("attention-moved", mark);
  const fade = () => {
    const most = bar.scrollWidth - bar.clientWidth;
    bar.classList.toggle("ab-more-left", bar.scrollLeft > 2);
    bar.classList.toggle("ab-more-right", bar.scrollLeft < most - 2);
  };
  bar.addEventListener("scroll", fade, { passive: true });
  new ResizeObserver(fade).observe(bar);
}

// A page: its glyph on the wire, its name below.
function drawStop(bar, page, pages) {
  const item = make("a", { "data-page": page.path, class: page.numbered ? "ab-on-wire" : "" }, bar);
  const before = pages[pages.indexOf(page) - 1];
  if (before?.numbered && !page.numbered) item.classList.add("ab-bar-next"); // what comes after is a section of its own
  if (BELOW[page.path]) item.classList.add(`ab-below-${BELOW[page.path]}`);
  const { boxes, line, rows = 0 } = GLYPHS[page.path] ?? { boxes: [[8, 4, 14, 14, "x"]] };
  const glyph = node("svg", { viewBox: "0 0 30 22", width: 30, height: 22, "aria-hidden": "true" }, item);
  for (const [x, y, width, height, role] of boxes) node("rect", { x, y, width, height, rx: 1.5, class: `ab-${role}` }, glyph);
  if (line) node("path", { d: line }, glyph);
  if (rows) item.classList.add("ab-with-rows");
  for (const [x, , width, , role] of boxes.slice(0, rows)) node("rect", { x, width, class: `ab-followed-row ab-${role}` }, glyph);
  make("span", {}, item, page.menu);
}

// The followed word's row in every small matrix, as far down as it stands in the large one: it is `at` of so many, from 1.
export function followRow(at, of) {
  for (const row of document.querySelectorAll(".ab-followed-row")) {
    const boxes = [...row.parentNode.querySelectorAll("rect:not(.ab-followed-row)")];
    const box = boxes.find((each) => each.getAttribute("x") === row.getAttribute("x"));
    const [top, high] = ["y", "height"].map((name) => Number(box.getAttribute(name)));
    const height = Math.max(high / of, 2);
    fill(row, { y: top + Math.min(((Math.min(at, of) - 1) * high) / of, high - height), height });
  }
}

// On a narrow screen the bar is one row that scrolls sideways: the present page's station stands in its middle.
function bring(bar, item) {
  if (bar.scrollWidth > bar.clientWidth) bar.scrollLeft = item.offsetLeft - (bar.clientWidth - item.offsetWidth) / 2;
}
