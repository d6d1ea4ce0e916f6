// Editing one weight of a matrix by hand, in a popover beside its cell, and the list of all edits
// in the panel. navigation.js writes each edit into the link.

import { address } from "./address.js";
import { consumeEvent, make, makeButton } from "./dom.js";
import { findColumnInWhole, findRowInWhole, findSeenCell } from "./decode.js";
import { drawOutline } from "./matrix.js";
import { writeExact } from "./numbers.js";
import { isolate } from "./text.js";
import { placeBeside } from "./tooltip.js";
/** @import { Place } from "./types.d.ts" */

let editor = null; // the open popover, its board and cell; `held` is that cell's number

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

// The edits of a cell; the last one decides its number.
const findEdits = (cell) => address.edits().filter(([target]) => covers(target, cell));

// A number as written in a link: clamped and rounded.
function clampNumber(number) {
    const { largest, decimals } = address.limits();
    return String(Number(Math.min(Math.max(number, -largest), largest).toFixed(decimals)));
}

// ---------- the popover ----------

// With `takesKeys` the input gets the focus, and the board gets it back on closing.
export function openEditor(svg, cell, takesKeys) {
    const { place: { matrix }, i, j } = cell,
        title = nameEdit(matrix, i, j),
        target = nameTarget(matrix, i, j);
    const form = make("form", {
        class: "ab-editing",
        "aria-label": `Edit ${title}`,
        method: "dialog", // is sent nowhere
        novalidate: "",
        popover: "auto", // closes at a click elsewhere, and when another opens
        tabindex: -1,
    });
    const label = make("label", {}, form, `${title} = `);
    const input = make("input", { type: "number", step: 0.1 }, label);
    make("button", {}, form, "set");
    for (const [text, name, value] of listWholeTargets(matrix, i, j)) {
        make("button", { name, value }, form, text);
    }
    const undo = make("button", {}, form);
    const said = make("span", { role: "status" }, form);
    svg.parentElement.after(form);
    form.showPopover();
    listenToForm(form, input);
    svg.editedAt = locateCell(cell);
    editor = { svg, at: svg.editedAt, target, takesKeys, form, input, undo, said, held: "" };
    markCell(cell);
    showNumber();
    takeFocus();
    new ResizeObserver(followCell).observe(form);
}

function markCell(cell) {
    const { place, i, j } = editor.cell = cell;
    editor.outline = drawOutline(editor.svg, place, i, i + 1, j, j + 1, "chosen");
}

// While a rerun is pending, the number on screen may be older than the edit.
function followCell() {
    if (!editor?.form.isConnected) return;
    if (address.isAnswered()) showNumber();
    placeBeside(editor.form, editor.outline.getBoundingClientRect(), 2);
}

function listenToForm(form, input) {
    form.addEventListener("submit", ({ submitter: { name, value } }) => {
        takeFocus(); // before a button without an edit hides
        if (name) sendEdit(name, value);
        else sendTyped();
    });
    form.addEventListener("keydown", (event) => {
        input.step = event.shiftKey ? "any" : 0.1; // of an arrow: any is 1
        if (event.key === "Escape") {
            leaveEditor();
            consumeEvent(event);
        } else if (event.target === form && /^[-0-9.,]$/.test(event.key)) {
            input.focus();
            input.select();
        }
    });
    // A tap on the cell's number leaves it to be replaced, as a key does.
    input.addEventListener("click", () => {
        if (input.value === editor?.held) input.select();
    });
    // It closes when the focus leaves, but not when the whole window loses it.
    form.addEventListener("focusout", ({ relatedTarget }) => {
        if (editor?.form !== form) return;
        if (!form.contains(relatedTarget ?? document.activeElement)) form.hidePopover();
    });
    form.addEventListener("beforetoggle", () => {
        sendTyped();
        leaveEditor();
    });
}

// Without `takesKeys` the popover itself gets the focus: a digit goes into its input, but in a
// lecture an arrow goes to the beats, and a phone shows no keyboard.
function takeFocus() {
    const { takesKeys, form, input } = editor;
    (takesKeys ? input : form).focus({ preventScroll: true });
    if (takesKeys) input.select();
}

// The popover follows its cell over the window.
export function beginEditing() {
    for (const kind of ["attention-answered", "attention-drawn", "resize", "scroll"]) {
        window.addEventListener(kind, followCell, true);
    }
}

// Shows the cell's current number, unless the user is typing another; the next key replaces it.
function showNumber() {
    const { cell: { place: { matrix }, i, j }, input, held } = editor;
    editor.held = clampNumber(matrix.at(i, j));
    if (input.value === held && held !== editor.held) {
        input.value = editor.held;
        if (document.activeElement === input) input.select();
    }
    showUndo();
}

// The button says the number before all edits if it goes back to that one.
function showUndo() {
    const { cell: { place: { matrix }, i, j }, target, undo } = editor, edits = findEdits(target);
    const isOnly = edits.length === 1 && edits[0][0] === target;
    undo.name = edits.at(-1)?.[0];
    undo.textContent = isOnly ? `back to ${writeExact(matrix.beforeEdits(i, j))}` : "undo";
    undo.hidden = !edits.length;
}

function sendTyped() {
    const { input, held, target } = editor, { largest } = address.limits();
    if (!input.value || input.value === held) return;
    const isTooLarge = Math.abs(Number(input.value)) > largest;
    const note = isTooLarge ? `It can be −${largest} to ${largest}.` : "";
    sendEdit(target, clampNumber(Number(input.value)), note);
}

// Changes weights; an empty value undoes an edit. The popover stays open and shows the cell's new
// number after the rerun, and the note on it.
function sendEdit(target, value, note = "") {
    const { input, said } = editor, { most } = address.limits();
    const isDone = address.edit([[target, value]]);
    said.textContent = isDone
        ? note
        : `There are ${most} edits already, and there can be no more: undo one first.`;
    if (isDone) editor.held = input.value;
    showUndo();
}

// Closes the popover without a change.
function leaveEditor() {
    const { svg, form, outline, takesKeys } = editor;
    editor = null;
    if (takesKeys && form.contains(document.activeElement)) svg.focus({ preventScroll: true });
    form.remove();
    outline.remove();
}

// ---------- called by the board ----------

// After a redraw, keeps the popover open at its cell if that still exists.
/** @param {Place[]} places */
export function refreshEditor(svg, places) {
    if (editor?.svg !== svg) return;
    const cell = findSeenCell(places.filter(({ matrix }) => matrix.editable), editor.at);
    if (cell && nameTarget(cell.place.matrix, cell.i, cell.j) === editor.target) markCell(cell);
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
