// Editing one weight of a matrix by hand, in a line under its board, and the list of all edits in
// the panel. navigation.js writes each edit into the link.

import { address } from "./address.js";
import { consumeEvent, make, makeButton } from "./dom.js";
import { findColumnInWhole, findRowInWhole, findSeenCell } from "./decode.js";
import { isolate } from "./text.js";
/** @import { Place } from "./types.d.ts" */

let editor = null; // the open line, its board and cell; `held` is that cell's number

// ---------- the name of a cell, in the link and for a user ----------

const rowNumber = (matrix, i) => matrix.editable.first + findRowInWhole(matrix, i) + 1;
const columnNumber = (matrix, j) => findColumnInWhole(matrix, j) + 1;

function nameTarget(matrix, i, j) {
    const { target, vector } = matrix.editable;
    return [target, ...(vector ? [] : [rowNumber(matrix, i)]), columnNumber(matrix, j)].join(".");
}

export function nameEdit(matrix, i, j) {
    const { title, vector, behind, first } = matrix.editable;
    const row = first ? rowNumber(matrix, i) : isolate(matrix.rows[i]);
    return `${title}[${vector ? "" : `${row}, `}${matrix.columns[j]}]${behind}`;
}

// The row, the column and the whole visible matrix of a cell, each as [button label, target, new
// value].
export function listWholeTargets(matrix, i, j) {
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

// Whether an edit's target includes this cell: w_q.1.*.5 and w_q.1.2-4 include w_q.1.3.5.
export function covers(target, cell) {
    const places = cell.split(".");
    return target.split(".").every((part, k) => {
        const [first, last] = part.split("-").map(Number);
        return part === "*" || part === places[k] || (first <= places[k] && places[k] <= last);
    });
}

// The edit that decides a cell's number: the last one whose target includes it.
const findEdit = (cell) => address.edits().findLast(([target]) => covers(target, cell));

// A number as written in a link: clamped and rounded.
function clampNumber(number) {
    const { largest, decimals } = address.limits();
    return String(Number(Math.min(Math.max(number, -largest), largest).toFixed(decimals)));
}

// ---------- the line ----------

export const isEditing = () => Boolean(editor?.line.isConnected);

// With `takesKeys` the input gets the focus at once, and the board gets it back on closing.
export function openEditor(svg, cell, takesKeys) {
    if (editor?.line.isConnected) sendTyped();
    editor?.line.remove();
    const { place: { matrix }, i, j } = cell,
        title = nameEdit(matrix, i, j),
        target = nameTarget(matrix, i, j);
    const line = make("form", {
        class: "ab-editing",
        "aria-label": `Edit ${title}`,
        novalidate: "",
    });
    const label = make("label", {}, line, `${title} = `);
    const input = make("input", { type: "number", step: "any", inputmode: "decimal" }, label);
    make("button", {}, line, "set");
    for (const [name, all, value] of listWholeTargets(matrix, i, j)) {
        makeButton(line, name, () => sendEdit(all, value));
    }
    const undo = makeButton(line, "undo", () => sendEdit(findEdit(target)[0], ""));
    makeButton(line, "close", leaveEditor);
    const said = make("span", { role: "status" }, line);
    svg.editedAt = locateCell(cell);
    editor = { svg, cell, at: svg.editedAt, target, takesKeys, line, input, undo, said, held: "" };
    listenToLine(line, input, takesKeys);
    svg.parentElement.after(line);
    if (takesKeys) input.focus({ preventScroll: true });
    showNumber();
}

function listenToLine(line, input, takesKeys) {
    line.addEventListener("submit", (event) => {
        event.preventDefault();
        sendTyped();
        if (takesKeys) input.select();
        else input.blur(); // in a lecture the next key belongs to the beats
    });
    line.addEventListener("keydown", (event) => {
        const by = { ArrowUp: 0.1, ArrowDown: -0.1 }[event.key];
        if (event.key === "Escape") leaveEditor();
        else if (event.target === input && by) {
            input.value = clampNumber(Number(input.value) + by * (event.shiftKey ? 10 : 1));
        } else return;
        consumeEvent(event);
    });
    // A typed number is applied when the focus leaves the line; not when it moves to one of its
    // buttons.
    input.addEventListener("focusout", (event) => {
        if (editor?.input === input && !line.contains(event.relatedTarget)) sendTyped();
    });
}

// While the line is open and no input has the focus (as after a click in a lecture), a digit goes
// into the line and Esc closes it.
export function beginEditing() {
    document.addEventListener("keydown", (event) => {
        if (!isEditing() || event.ctrlKey || event.metaKey || event.altKey) return;
        if (document.activeElement.closest("input, textarea, select, [contenteditable]")) return;
        if (event.key === "Escape") {
            leaveEditor();
            consumeEvent(event);
        } else if (/^[-0-9.,]$/.test(event.key)) {
            editor.input.focus({ preventScroll: true });
            editor.input.select();
        }
    }, true);
    // While a rerun is pending, the number on screen may be older than the edit.
    window.addEventListener("attention-answered", () => {
        if (editor && address.isAnswered()) showNumber();
    });
}

// Shows the cell's current number, unless the user is typing another; the next key replaces it.
function showNumber() {
    const { cell: { place: { matrix }, i, j }, input, held, target, undo } = editor;
    editor.held = clampNumber(matrix.at(i, j));
    if (input.value === held && held !== editor.held) {
        input.value = editor.held;
        if (document.activeElement === input) input.select();
    }
    undo.hidden = !findEdit(target);
}

function sendTyped() {
    const { input, held, said, target } = editor;
    if (input.value === held) return;
    const { largest } = address.limits();
    if (!input.value || Math.abs(input.value) > largest) {
        said.textContent = `A number from −${largest} to ${largest}, please.`;
    } else sendEdit(target, clampNumber(Number(input.value)));
}

// Changes weights; an empty value undoes an edit. The line stays open and shows the cell's new
// number after the rerun.
function sendEdit(target, value) {
    const { input, said, undo } = editor, { most } = address.limits();
    const isDone = address.edit([[target, value]]);
    said.textContent = isDone
        ? ""
        : `There are ${most} edits already, and there can be no more: undo one first.`;
    if (isDone) editor.held = input.value;
    undo.hidden = !findEdit(editor.target);
}

// Closes the line without a change.
function leaveEditor() {
    const { svg, line, takesKeys } = editor;
    editor = null;
    line.remove();
    if (takesKeys) svg.focus({ preventScroll: true });
    svg.dispatchEvent(new Event("left-editor"));
}

// ---------- called by the board ----------

// After a redraw, keeps the line open on its cell if that still exists.
/** @param {Place[]} places */
export function refreshEditor(svg, places) {
    if (editor?.svg !== svg) return;
    const cell = findSeenCell(places.filter(({ matrix }) => matrix.editable), editor.at);
    if (cell && nameTarget(cell.place.matrix, cell.i, cell.j) === editor.target) editor.cell = cell;
    else leaveEditor();
}

export const locateCell = ({ place: { matrix }, i, j }) => ({
    name: matrix.name,
    i: findRowInWhole(matrix, i),
    j: findColumnInWhole(matrix, j),
});

// The cell that is edited by keyboard, so that a redraw does not move the keyboard elsewhere.
/** @param {Place[]} places */
export function findEditedCell(svg, places) {
    if (!svg.editedAt || document.activeElement !== svg) return null;
    return findSeenCell(places, svg.editedAt);
}

// ---------- the list ----------

// All edits, each with its value, its target, a button to undo it, and why it does not apply yet.
export function drawEdits(parent) {
    const { edit, edits } = address;
    const undo = (targets) => edit(targets.map((target) => [target, ""]));
    const group = make("div", {
        class: "ab-edits st-key-edits",
        role: "group",
        "aria-label": "Edits",
    }, parent);
    const list = make("ul", {}, group);
    const all = makeButton(group, "Undo all", () => undo(edits().map(([target]) => target)));
    function show(shown) {
        group.hidden = !shown.length;
        if (list.drawn === JSON.stringify(shown)) return;
        list.drawn = JSON.stringify(shown);
        const isHere = list.contains(document.activeElement);
        list.replaceChildren();
        for (const { target, says, waits } of shown) {
            const item = make("li", {}, list), text = make("span", {}, item, says);
            if (waits) make("small", {}, text, `waits: ${waits}`);
            makeButton(item, "undo", () => undo([target]), { "aria-label": `undo ${says}` });
        }
        if (isHere) all.focus();
    }
    return { group, show };
}
