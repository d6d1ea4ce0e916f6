// The entry point: all scripts are sent as one script, once, and start here. Boards and the bar are
// mounted by a short module that calls window.attentionBoard, so that a rerun does not send the
// scripts again.

import { address } from "../../../core/board/web/address.js";
import { beginNavigation } from "./base/navigation.js";
import { beginEmbedded } from "../../../core/board/web/embed.js";
import { beginBar } from "./bar.js";
import { beginDrops } from "./drop.js";
import { beginConnection } from "./connection.js";
import { beginCopying } from "./copy.js";
import { beginGlossary } from "./glossary.js";
import { beginOnboarding } from "./onboarding.js";
import { beginFocusRestore } from "../../../core/board/web/focus_restore.js";
import { beginClicks } from "./clicks.js";
import { beginPrinting } from "./print.js";
import { beginExercises } from "./questions/exercises.js";
import { beginPrediction } from "./questions/predict.js";
import { beginLecture } from "./lecture/lecture.js";
import { beginPanel } from "./panel/panel.js";
import { beginRoomBar } from "./classroom/bar.js";
import { beginRooms } from "./classroom/socket.js";
import { beginHiding } from "./classroom/hide_answers.js";
import { beginBoards, drawBoard } from "../../../core/board/web/board.js";
import { make } from "../../../core/board/web/dom.js";
import { writeBrief, writeExact } from "../../../core/board/web/numbers.js";
import { isolate } from "../../../core/board/web/text.js";
import { showTip } from "../../../core/board/web/tooltip.js";

let begun = false;

// Runs once per window, even if the element that loaded it is removed.
export default ({ data: bytes }) => {
    if (begun) return;
    begun = true;
    // the same for all users: pages, defaults, presets
    const constants = JSON.parse(new TextDecoder().decode(bytes));
    make("style", {}, document.head, STYLES);
    // for tests: acts, rounding and isolating as in Python, and the tooltip
    window.attentionBoard = Object.assign(drawBoard, {
        address,
        exact: writeExact,
        brief: writeBrief,
        isolated: isolate,
        showTip,
    });
    beginExercises();
    window.attentionPrediction = beginPrediction;
    window.attentionLecture = beginLecture;
    beginNavigation(constants);
    beginOnboarding();
    beginBoards();
    beginPanel(constants);
    beginBar(constants);
    beginEmbedded();
    beginGlossary(constants);
    beginDrops();
    beginConnection();
    beginCopying();
    beginClicks();
    beginFocusRestore();
    beginPrinting();
    beginHiding();
    beginRooms();
    beginRoomBar();
    window.attentionReady = true;
    window.dispatchEvent(new Event("attention-ready"));
};
