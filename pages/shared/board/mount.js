// Mounting: all scripts of this component are one script, sent until a browser has it, and what is
// to begin in it begins here, once. The boards and the bar are mounted with a short module that
// calls window.attentionBoard, so that a rerun does not send all this again.

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

// Once in a window: what is begun here stays, whatever becomes of the element that brought it.
export default ({ data: bytes }) => {
    if (begun) return;
    begun = true;
    // pages, defaults, presets: the same for all visitors
    const constants = JSON.parse(new TextDecoder().decode(bytes));
    make("style", {}, document.head, STYLES);
    // for tests: the same rule as in Python, and every corner
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
