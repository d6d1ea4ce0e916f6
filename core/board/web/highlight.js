// For the cell under the pointer, highlights its symbol in the formula and its line in the code,
// with the CSS Custom Highlight API, which changes no element. Without that API nothing is
// highlighted.

/** @import { Place } from "./types.d.ts" */

const LIT = "attention-lit"; // as in canvas.css
let lit = null; // the matrix whose symbol and code are highlighted

/** @param {Place} place */
export function lightFormula(place) {
    const matrix = place?.matrix ?? null;
    if (matrix === lit || !window.CSS?.highlights) return;
    lit = matrix;
    CSS.highlights.delete(LIT);
    if (!matrix || !document.querySelector(".st-key-formula")) return;
    const role = getComputedStyle(place.group.querySelector(".ab-frame")).stroke;
    const ranges = [...listSymbols(matrix.title, role), ...findCodeLines(matrix.made ?? "")];
    if (ranges.length) CSS.highlights.set(LIT, new Highlight(...ranges));
}

// A symbol's letter in lower case with its primes: what q, Q and a title such as “ω′, scaled”
// share.
const getFirstLetter = (text) =>
    text[0].toLowerCase() +
    (text.match(/^[^\s,]*/)[0].match(/[′″]/g) ?? []).join("").replaceAll("″", "′′");

function listSymbols(title, colour) {
    const coloured = [...document.querySelectorAll('.st-key-formula .katex-html [style*="color"]')];
    const whole = coloured.filter((part) =>
        !part.parentElement.closest('[style*="color"]') && part.textContent
    );
    return whole.filter((part) =>
        getComputedStyle(part).color === colour &&
        getFirstLetter(part.textContent) === getFirstLetter(title)
    ).map((part) => makeRange(part));
}

// The body of the named function, without its docstring.
function findCodeLines(made) {
    const name = made.match(/(\w+)\(/)?.[1];
    return [...document.querySelectorAll(".st-key-formula .ab-code code")].flatMap((code) => {
        const text = code.textContent, start = name ? text.search(`def ${name}\\b`) : -1;
        if (start < 0) return [];
        const end = text.indexOf("\n\ndef ", start);
        const body = text.slice(start, end < 0 ? undefined : end).trimEnd();
        const does = body.lastIndexOf('"""') + 3;
        return [makeRange(code, start + does + body.slice(does).search(/\S/), start + body.length)];
    });
}

// A range over an element's text, or over the characters from `from` to `to`.
function makeRange(element, from = 0, to = Infinity) {
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
