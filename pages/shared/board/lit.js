// Of a cell that is pointed at, its symbol lights up in the page's formula, and in the code beside
// it what made it: by the browser's highlights, which change no element and move nothing. A browser
// without them shows none.

/** @import { Place } from "./types.d.ts" */

const LIT = "attention-lit"; // as in sheet.css
let lit = null; // the matrix whose symbol and line are lit

/** @param {Place} place */
export function lightFormula(place) {
    const matrix = place?.matrix ?? null;
    if (matrix === lit || !window.CSS?.highlights) return;
    lit = matrix;
    CSS.highlights.delete(LIT);
    if (!matrix || !document.querySelector(".st-key-formula")) return;
    const role = getComputedStyle(place.group.querySelector(".ab-frame")).stroke;
    const ranges = [...symbolsLike(matrix.title, role), ...linesThatMade(matrix.made ?? "")];
    if (ranges.length) CSS.highlights.set(LIT, new Highlight(...ranges));
}

// A symbol's letter, small or large, and its primes: what a formula's q and Q, or a title's “ω′,
// scaled”, have in common.
const letterOf = (text) =>
    text[0].toLowerCase() +
    (text.match(/^[^\s,]*/)[0].match(/[′″]/g) ?? []).join("").replaceAll("″", "′′");

function symbolsLike(title, colour) {
    const coloured = [...document.querySelectorAll('.st-key-formula .katex-html [style*="color"]')];
    const whole = coloured.filter((part) =>
        !part.parentElement.closest('[style*="color"]') && part.textContent
    );
    return whole.filter((part) =>
        getComputedStyle(part).color === colour && letterOf(part.textContent) === letterOf(title)
    ).map((part) => rangeOver(part));
}

// Of the function that is named, what it does: all behind its docstring.
function linesThatMade(made) {
    const name = made.match(/(\w+)\(/)?.[1];
    return [...document.querySelectorAll(".st-key-formula .ab-code code")].flatMap((code) => {
        const text = code.textContent, start = name ? text.search(`def ${name}\\b`) : -1;
        if (start < 0) return [];
        const end = text.indexOf("\n\ndef ", start);
        const body = text.slice(start, end < 0 ? undefined : end).trimEnd();
        const does = body.lastIndexOf('"""') + 3;
        return [rangeOver(code, start + does + body.slice(does).search(/\S/), start + body.length)];
    });
}

// Over all of an element's text, or from one letter of it to another.
function rangeOver(element, from = 0, to = Infinity) {
    const range = document.createRange();
    range.selectNodeContents(element);
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (
        let at = 0, text = texts.nextNode();
        text && Number.isFinite(to);
        at += text.nodeValue.length, text = texts.nextNode()
    ) {
        if (from >= at && from < at + text.nodeValue.length) range.setStart(text, from - at);
        if (to > at && to <= at + text.nodeValue.length) range.setEnd(text, to - at);
    }
    return range;
}
