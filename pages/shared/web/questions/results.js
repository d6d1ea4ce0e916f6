// Results for a user or a class: the reply to an answer, the computed numbers beside a guess, and a
// bar for each answer of a class.

import { make, makeButton } from "../../../../core/board/web/dom.js";
import { roundPercents } from "./ask.js";

// Whether an answer is right, and its explanation.
export function drawReply(parent, right, says) {
    make("strong", {}, parent, right ? "✓ Right. " : "✗ No. ");
    parent.append(says);
}

// The computed numbers as bars, with the guess over each: its share, or the full width for a chosen
// option.
export function drawBars(parent, { kind, options, bars }, guess) {
    const list = make("ul", { class: "ab-predict-bars" }, parent);
    const top = kind === "shares" ? 1 : Math.max(...bars.map(([, value]) => Math.abs(value))) || 1;
    bars.forEach(([label, value, printed], k) => {
        const line = make("li", { class: "ab-predict-bar" }, list), name = make("span", {}, line);
        make("bdi", {}, name, label);
        const track = make("span", { class: "ab-predict-track", "aria-hidden": "true" }, line);
        make("i", {
            class: value < 0 ? "ab-predict-below" : "",
            style: `width: ${(100 * Math.abs(value)) / top}%`,
        }, track);
        const number = make("span", {}, line, printed);
        if (!guess || label !== options[k] || (!guess.shares && !guess.picked.includes(k))) return;
        make("b", { style: `width: ${guess.shares ? 100 * guess.shares[k] : 100}%` }, track);
        if (guess.shares) make("small", {}, number, ` (you: ${roundPercents(guess.shares)[k]})`);
        else make("small", {}, name, " (your guess)");
    });
}

// ---------- of a class ----------

const nameGroup = ({ answer, right }) => `${right ? "✓ " : ""}${answer}`;

// The explanation of a group of answers: the usual mistake, or, if none explains it, the answers.
function explainGroup({ answer, right, says, given }) {
    const told = given.map(([number, count]) => (count > 1 ? `${number} (${count} times)` : number))
        .join(", ");
    return right ? "" : answer === "other answers" ? `${says}: ${told}` : says;
}

// A row for each answer, with the option's number if it has one and one sentence below, else with
// its explanation. `see` leads to the place that has a usual mistake's number.
export function drawResult(parent, { of, groups, solution, bars }, see) {
    const most = Math.max(1, ...groups.map(({ count }) => count)),
        computed = new Map(bars.map(([label, , written]) => [label, written]));
    const right = groups.filter((group) => group.right)
        .reduce((sum, group) => sum + group.count, 0);
    make("p", { class: "ab-room-asks" }, parent, `${right} of ${of} right.`);
    const table = make("table", { class: "ab-room-result" }, parent);
    for (const group of groups) {
        const row = make("tr", group.right ? { class: "ab-room-right" } : {}, table);
        make("th", { scope: "row" }, row, nameGroup(group));
        const bar = make("div", {}, make("td", { class: "ab-room-bars" }, row));
        make("i", { style: `width:${(100 * group.count) / most}%` }, bar);
        make("span", {}, bar, String(group.count));
        if (computed.has(group.answer)) make("td", {}, row, computed.get(group.answer));
        const told = make("td", {}, row, computed.size ? "" : explainGroup(group));
        if (group.opens) {
            makeButton(told, "See it", () => see(group.opens), { class: "ab-room-see" });
        }
    }
    make("p", {}, parent, solution);
}
