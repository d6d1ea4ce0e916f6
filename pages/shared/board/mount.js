// The entry point: all scripts are sent as one script, once, and start here. Boards and the bar are
// mounted by a short module that calls window.attentionBoard, so that a rerun does not send the
// scripts again.

import { beginAddress } from "../browser/address.js";
import { beginAlone } from "../browser/alone.js";
import { beginBar } from "../browser/bar.js";
import { beginBringing } from "../browser/bringing.js";
import { beginCopying } from "../browser/copying.js";
import { beginGlossary } from "../browser/glossary.js";
import { beginGrowing } from "../browser/growing.js";
import { beginKeeping } from "../browser/keeping.js";
import { beginPressing } from "../browser/pressing.js";
import { beginPrinting } from "../browser/print.js";
import { beginExercises } from "../frame/questions/exercises.js";
import { beginPrediction } from "../frame/questions/predict.js";
import { beginPanel } from "../panel/panel.js";
import { beginRoomBar } from "../room/bar.js";
import { beginRooms } from "../room/line.js";
import { beginVeil } from "../room/veil.js";
import { beginBoards, drawBoard } from "./board.js";
import { make } from "./dom.js";
import { brief, exact } from "./numbers.js";
import { isolated } from "./text.js";
import { showTip } from "./tip.js";

let begun = false;

// Runs once per window, even if the element that loaded it is removed.
export default ({ data: bytes }) => {
    if (begun) return;
    begun = true;
    // the same for all users: pages, defaults, presets
    const constants = JSON.parse(new TextDecoder().decode(bytes));
    make("style", {}, document.head, STYLES);
    // for tests: rounding and isolating as in Python, and the tooltip
    window.attentionBoard = Object.assign(drawBoard, { exact, brief, isolated, showTip });
    beginExercises();
    window.attentionPrediction = beginPrediction;
    beginAddress(constants);
    beginGrowing();
    beginBoards();
    beginPanel(constants);
    beginBar(constants);
    beginAlone();
    beginGlossary(constants);
    beginBringing();
    beginCopying();
    beginPressing();
    beginKeeping();
    beginPrinting();
    beginVeil();
    beginRooms();
    beginRoomBar();
    window.attentionReady = true;
    window.dispatchEvent(new Event("attention-ready"));
};
