// Editing: a line under a board, in which one weight of a matrix is changed by hand. Each change is
// an act, written into the link by address.js. And the list of all changes, in the sidebar.

import { make, press, used } from "./dom.js";
import { columnInWhole, rowInWhole, seenCell } from "./read.js";
import { isolated } from "./text.js";
/** @import { Place } from "./types.d.ts" */

// the line that is open: { svg, matrix, i, j, at, target, takesKeys, line, input, undo, said, held
// }
let editor = null;

// ---------- what the link calls a cell, and a reader ----------

const targetOf = (matrix, i, j, { editable } = matrix) =>
    `${editable.target}${editable.vector ? "" : `.${editable.first + rowInWhole(matrix, i) + 1}`}.${
        columnInWhole(matrix, j) + 1
    }`;
const rowOf = (
    matrix,
    i,
    { editable, rows } = matrix,
) => (editable.first ? editable.first + rowInWhole(matrix, i) + 1 : isolated(rows[i]));
export function titleOf(matrix, i, j) {
    const { title, vector, behind } = matrix.editable;
    return `${title}[${vector ? "" : `${rowOf(matrix, i)}, `}${matrix.columns[j]}]${behind}`;
}

// The edit of the link that a cell shows: the last one that is about it.
const editOf = (cell) =>
    window.attentionAddress.edits().findLast(([target]) => covers(target, cell));

// Whether what an edit changes has this cell in it: w_q.1.*.5 and w_q.1.2-4 have w_q.1.3.5.
export function covers(target, cell) {
    const places = cell.split(".");
    return target.split(".").every((part, k) => {
        const [first, last] = part.split("-").map(Number);
        return part === "*" || part === places[k] || (first <= places[k] && places[k] <= last);
    });
}

// What a number becomes in a link.
function limited(number) {
    const { largest, decimals } = window.attentionAddress.limits();
    return String(Number(Math.min(Math.max(number, -largest), largest).toFixed(decimals)));
}

// ---------- the line ----------

export const isEditing = () => Boolean(editor?.line.isConnected);

// `takesKeys`: what is typed goes into the line at once, and when it closes, back to the board.
export function openEditor(svg, { place: { matrix }, i, j }, takesKeys) {
    if (editor) closeEditor();
    const title = titleOf(matrix, i, j);
    const line = make("form", {
        class: "ab-editing",
        "aria-label": `Edit ${title}`,
        novalidate: "",
    });
    const label = make("label", {}, line, `${title} = `);
    const input = make("input", { type: "number", step: "any", inputmode: "decimal" }, label);
    make("button", {}, line, "set");
    for (const [name, target, value] of wholeOnes(matrix, i, j)) {
        press(line, name, () => put(target, value));
    }
    const undo = press(line, "undo", () => put(editOf(editor.target)[0], ""));
    press(line, "close", leaveEditor);
    const said = make("span", { role: "status" }, line);
    editor = {
        svg,
        matrix,
        i,
        j,
        at: placeOf({ place: { matrix }, i, j }),
        target: targetOf(matrix, i, j),
        takesKeys,
        line,
        input,
        undo,
        said,
        held: limited(matrix.at(i, j)),
    };
    svg.editedAt = placeOf({ place: { matrix }, i, j });
    input.value = editor.held;
    undo.hidden = !editOf(editor.target);
    listenToEditor();
    svg.parentElement.after(line);
    if (takesKeys) input.focus({ preventScroll: true });
    selectTyped();
}

// Rows, columns, and all that is shown of the matrix: what the button says, what it changes, and to
// what.
export function wholeOnes(matrix, i, j) {
    const { editable: { target, first, rows, vector } } = matrix,
        [n, m] = matrix.cut?.size ?? [matrix.n, matrix.m];
    if (vector) return [["all = 0", target, "0"]];
    const all = rows === "*" ? target : `${target}.${rows}`;
    const buttons = [["row = 0", `${target}.${first + rowInWhole(matrix, i) + 1}`, "0"], [
        "column = 0",
        `${target}.${rows}.${columnInWhole(matrix, j) + 1}`,
        "0",
    ], ["all = 0", all, "0"]];
    return n === m ? [...buttons, ["identity", all, "identity"]] : buttons;
}

function listenToEditor() {
    const { line, input } = editor;
    line.addEventListener("submit", (event) => {
        event.preventDefault();
        putTyped();
        if (editor.takesKeys) selectTyped();
        else input.blur(); // in a lecture the next key is for the beats
    });
    line.addEventListener("keydown", (event) => {
        const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
        if (event.key === "Escape") leaveEditor();
        else if (event.target === input && by) {
            input.value = limited(Number(input.value) + by * (event.shiftKey ? 1 : 0.1));
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
            selectTyped();
        }
    }, true);
    window.addEventListener("attention-answered", hold);
}

// Let the line hold the number that the cell has, as long as nobody types another. Not while an
// answer is on its way: the one that is on screen may be older than what was just put in.
function hold() {
    if (!editor || !window.attentionAddress.isAnswered()) return;
    const { input, matrix, i, j, target, undo, held } = editor;
    editor.held = limited(matrix.at(i, j));
    if (held === input.value && held !== editor.held) {
        input.value = editor.held;
        selectTyped();
    }
    undo.hidden = !editOf(target);
}

// So that what is typed next takes its place.
function selectTyped() {
    if (document.activeElement === editor.input) editor.input.select();
}

// ---------- acts ----------

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
    const { input, said, undo } = editor;
    const { most } = window.attentionAddress.limits();
    const done = window.attentionAddress.edit([[target, value]]);
    said.textContent = done
        ? ""
        : `There are ${most} edits already, and there can be no more: undo one first.`;
    if (done) editor.held = input.value;
    undo.hidden = !editOf(editor.target);
}

function closeEditor() {
    if (editor.line.isConnected) putTyped();
    editor.line.remove();
    editor = null;
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
    if (!cell || targetOf(cell.place.matrix, cell.i, cell.j) !== editor.target) {
        return void leaveEditor();
    }
    Object.assign(editor, { matrix: cell.place.matrix, i: cell.i, j: cell.j });
    hold();
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

const FEW_EDITS = 3; // more fold away

// All edits, each with a way to undo it: what it says, what it changes, and why it waits.
export function drawEdits(parent, edits = []) {
    const before = parent.querySelector(".ab-edits");
    const drawn = JSON.stringify(edits);
    if ((before?.drawn ?? "[]") === drawn) return;
    const focused = before?.contains(document.activeElement);
    before?.remove();
    if (!edits.length) return;
    const group = make("details", {
        class: "ab-edits st-key-edits",
        role: "group",
        "aria-label": "Edits",
    }, parent);
    group.drawn = drawn;
    group.open = before ? before.open : edits.length <= FEW_EDITS;
    make("summary", {}, group, `${edits.length} ${edits.length === 1 ? "edit" : "edits"}`);
    const list = make("ul", {}, group);
    for (const { target, says, waits } of edits) {
        const item = make("li", {}, list);
        const text = make("span", {}, item, says);
        if (waits) make("small", {}, text, `waits: ${waits}`);
        press(item, "undo", () => window.attentionAddress.edit([[target, ""]])).setAttribute(
            "aria-label",
            `undo ${says}`,
        );
    }
    press(
        group,
        "Undo all",
        () =>
            window.attentionAddress.edit(
                window.attentionAddress.edits().map(([target]) => [target, ""]),
            ),
    );
    if (focused) group.querySelector("button, summary").focus();
}
