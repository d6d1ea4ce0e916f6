// Editing: a line under a board, in which one weight of a matrix is changed by hand. Each change is
// an act, written into the link by address.js. And the list of all changes, in the panel.

import { make, press, used } from "./dom.js";
import { columnInWhole, rowInWhole, seenCell } from "./read.js";
import { isolated } from "./text.js";
/** @import { Place } from "./types.d.ts" */

let editor = null; // the line that is open, its board and its cell; `held` is that cell's number

// ---------- what the link calls a cell, and a reader ----------

const rowNumber = (matrix, i) => matrix.editable.first + rowInWhole(matrix, i) + 1;
const columnNumber = (matrix, j) => columnInWhole(matrix, j) + 1;

function targetOf(matrix, i, j) {
    const { target, vector } = matrix.editable;
    return [target, ...(vector ? [] : [rowNumber(matrix, i)]), columnNumber(matrix, j)].join(".");
}

export function titleOf(matrix, i, j) {
    const { title, vector, behind, first } = matrix.editable;
    const row = first ? rowNumber(matrix, i) : isolated(matrix.rows[i]);
    return `${title}[${vector ? "" : `${row}, `}${matrix.columns[j]}]${behind}`;
}

// Rows, columns, and all that is shown of the matrix: what the button says, what it changes, and to
// what.
export function wholeOnes(matrix, i, j) {
    const { target, rows, vector } = matrix.editable,
        [n, m] = matrix.cut?.size ?? [matrix.n, matrix.m],
        all = rows === "*" ? target : `${target}.${rows}`;
    if (vector) return [["all = 0", target, "0"]];
    return [
        ["row = 0", `${target}.${rowNumber(matrix, i)}`, "0"],
        ["column = 0", `${target}.${rows}.${columnNumber(matrix, j)}`, "0"],
        ["all = 0", all, "0"],
        ...(n === m ? [["identity", all, "identity"]] : []),
    ];
}

// Whether what an edit changes has this cell in it: w_q.1.*.5 and w_q.1.2-4 have w_q.1.3.5.
export function covers(target, cell) {
    const places = cell.split(".");
    return target.split(".").every((part, k) => {
        const [first, last] = part.split("-").map(Number);
        return part === "*" || part === places[k] || (first <= places[k] && places[k] <= last);
    });
}

// The edit of the link that a cell shows: the last one that is about it.
const editOf = (cell) =>
    window.attentionAddress.edits().findLast(([target]) => covers(target, cell));

// What a number becomes in a link.
function limited(number) {
    const { largest, decimals } = window.attentionAddress.limits();
    return String(Number(Math.min(Math.max(number, -largest), largest).toFixed(decimals)));
}

// ---------- the line ----------

export const isEditing = () => Boolean(editor?.line.isConnected);

// `takesKeys`: what is typed goes into the line at once, and when it closes, back to the board.
export function openEditor(svg, cell, takesKeys) {
    if (editor?.line.isConnected) putTyped();
    editor?.line.remove();
    const { place: { matrix }, i, j } = cell,
        title = titleOf(matrix, i, j),
        target = targetOf(matrix, i, j);
    const line = make("form", {
        class: "ab-editing",
        "aria-label": `Edit ${title}`,
        novalidate: "",
    });
    const label = make("label", {}, line, `${title} = `);
    const input = make("input", { type: "number", step: "any", inputmode: "decimal" }, label);
    make("button", {}, line, "set");
    for (const [name, all, value] of wholeOnes(matrix, i, j)) {
        press(line, name, () => put(all, value));
    }
    const undo = press(line, "undo", () => put(editOf(target)[0], ""));
    press(line, "close", leaveEditor);
    const said = make("span", { role: "status" }, line);
    svg.editedAt = placeOf(cell);
    editor = { svg, cell, at: svg.editedAt, target, takesKeys, line, input, undo, said, held: "" };
    listenToLine(line, input, takesKeys);
    svg.parentElement.after(line);
    if (takesKeys) input.focus({ preventScroll: true });
    showNumber();
}

function listenToLine(line, input, takesKeys) {
    line.addEventListener("submit", (event) => {
        event.preventDefault();
        putTyped();
        if (takesKeys) input.select();
        else input.blur(); // in a lecture the next key is for the beats
    });
    line.addEventListener("keydown", (event) => {
        const by = { ArrowUp: 0.1, ArrowDown: -0.1 }[event.key];
        if (event.key === "Escape") leaveEditor();
        else if (event.target === input && by) {
            input.value = limited(Number(input.value) + by * (event.shiftKey ? 10 : 1));
        } else return;
        used(event);
    });
    // What was typed counts, also where its reader goes on to something else; not where a button of
    // the line takes its place.
    input.addEventListener("focusout", (event) => {
        if (editor?.input === input && !line.contains(event.relatedTarget)) putTyped();
    });
}

// Where the line is open and nothing else takes what is typed, as after a click in a lecture, a
// digit goes into it, and Esc closes it.
export function beginEditing() {
    document.addEventListener("keydown", (event) => {
        if (!isEditing() || event.ctrlKey || event.metaKey || event.altKey) return;
        if (document.activeElement.closest("input, textarea, select, [contenteditable]")) return;
        if (event.key === "Escape") {
            leaveEditor();
            used(event);
        } else if (/^[-0-9.,]$/.test(event.key)) {
            editor.input.focus({ preventScroll: true });
            editor.input.select();
        }
    }, true);
    // While an answer is on its way, the number on screen may be older than what was just put in.
    window.addEventListener("attention-answered", () => {
        if (editor && window.attentionAddress.isAnswered()) showNumber();
    });
}

// Let the line hold the number that the cell has, as long as nobody types another; what is typed
// next takes its place.
function showNumber() {
    const { cell: { place: { matrix }, i, j }, input, held, target, undo } = editor;
    editor.held = limited(matrix.at(i, j));
    if (input.value === held && held !== editor.held) {
        input.value = editor.held;
        if (document.activeElement === input) input.select();
    }
    undo.hidden = !editOf(target);
}

function putTyped() {
    const { input, held, said, target } = editor;
    if (input.value === held) return;
    const { largest } = window.attentionAddress.limits();
    if (!input.value || Math.abs(input.value) > largest) {
        said.textContent = `A number from −${largest} to ${largest}, please.`;
    } else put(target, limited(Number(input.value)));
}

// Change weights, or with an empty value undo that. The line stays: the board brings it the number
// that the cell has then.
function put(target, value) {
    const { input, said, undo } = editor, { most } = window.attentionAddress.limits();
    const isDone = window.attentionAddress.edit([[target, value]]);
    said.textContent = isDone
        ? ""
        : `There are ${most} edits already, and there can be no more: undo one first.`;
    if (isDone) editor.held = input.value;
    undo.hidden = !editOf(editor.target);
}

// Leave all as it is.
function leaveEditor() {
    const { svg, line, takesKeys } = editor;
    editor = null;
    line.remove();
    if (takesKeys) svg.focus({ preventScroll: true });
    svg.dispatchEvent(new Event("left-editor"));
}

// ---------- what the board asks ----------

// The board was drawn anew: the line goes on with its cell, if that is still there.
/** @param {Place[]} places */
export function refreshEditor(svg, places) {
    if (editor?.svg !== svg) return;
    const cell = seenCell(places.filter(({ matrix }) => matrix.editable), editor.at);
    if (cell && targetOf(cell.place.matrix, cell.i, cell.j) === editor.target) editor.cell = cell;
    else leaveEditor();
}

export const placeOf = ({ place: { matrix }, i, j }) => ({
    name: matrix.name,
    i: rowInWhole(matrix, i),
    j: columnInWhole(matrix, j),
});

// Where a reader who edits by keyboard is: an answer that comes meanwhile does not take the keys
// elsewhere.
/** @param {Place[]} places */
export function editedCell(svg, places) {
    if (!svg.editedAt || document.activeElement !== svg) return null;
    return seenCell(places, svg.editedAt);
}

// ---------- the list ----------

// All edits, each with a way to undo it: what it says, what it changes, and why it waits.
export function drawEdits(parent) {
    const { edit, edits } = window.attentionAddress;
    const undo = (targets) => edit(targets.map((target) => [target, ""]));
    const group = make("div", {
        class: "ab-edits st-key-edits",
        role: "group",
        "aria-label": "Edits",
    }, parent);
    const list = make("ul", {}, group);
    const all = press(group, "Undo all", () => undo(edits().map(([target]) => target)));
    function show(shown) {
        group.hidden = !shown.length;
        if (list.drawn === JSON.stringify(shown)) return;
        list.drawn = JSON.stringify(shown);
        const isHere = list.contains(document.activeElement);
        list.replaceChildren();
        for (const { target, says, waits } of shown) {
            const item = make("li", {}, list), text = make("span", {}, item, says);
            if (waits) make("small", {}, text, `waits: ${waits}`);
            press(item, "undo", () => undo([target]), { "aria-label": `undo ${says}` });
        }
        if (isHere) all.focus();
    }
    return { group, show };
}
