// A window's line to its class, over a socket that the test holds the other end of.
import assert from "node:assert/strict";
import { window } from "./page.js";
import { beginRooms, doIt, room } from "../../pages/shared/room/line.js";

class Line {
  static OPEN = 1;
  readyState = 1;
  sent = [];
  constructor() { Line.last = this; }
  send(text) { this.sent.push(JSON.parse(text)); }
  close() {}
  hear(message) { this.onmessage({ data: JSON.stringify(message) }); }
  get answers() { return this.sent.filter((each) => each.do === "answer").map((each) => each.answer); }
}

// In a class that is asked, after these answers, made one right after the other.
let code = 1000; // of another class each time
function answering(...answers) {
  code += 1;
  Object.assign(globalThis, { WebSocket: Line, setInterval: () => 0 });
  const later = [];
  globalThis.setTimeout = (act) => later.push(act);
  globalThis.clearTimeout = () => {};
  Object.assign(window, { attentionReady: true, attentionAddress: {
    here: () => ({ page: "", link: "" }), room: () => String(code), root: () => "http://here", enter() {}, follow() {} } });
  beginRooms();
  const line = Line.last;
  line.onopen();
  const comes = () => line.hear({ is: "room", room: String(code), id: "1", leads: false, page: "", link: "", asked: { number: 1, vote: "1.1", shown: false } });
  comes();
  for (const answer of answers) doIt({ do: "answer", vote: "1.1", answer });
  const wait = () => { for (const act of later.splice(0)) act(); };
  return { line, wait, comes };
}
const counted = (answer) => ({ is: "answered", vote: "1.1", counted: true, answer });
const tooQuick = { is: "answered", vote: "1.1", counted: false, later: true };

Deno.test("a second answer within a second is given again, though the first was counted meanwhile", () => {
  const { line, wait } = answering("1", "2");
  line.hear(counted("1"));
  line.hear(tooQuick);
  wait();
  assert.deepEqual(line.answers, ["1", "2", "2"]);
  line.hear(counted("2"));
  assert.equal(room.mine.answer, "2");
});

Deno.test("an answer that came too quick is not given again over a later one", () => {
  const { line, wait } = answering("1", "2", "3");
  for (const reply of [counted("1"), tooQuick]) line.hear(reply);
  line.hear(counted("3"));
  wait();
  assert.deepEqual(line.answers, ["1", "2", "3"]);
  assert.equal(room.mine.answer, "3");
});

Deno.test("what was not replied to is said again on the next line", () => {
  const { line, comes } = answering("1", "2");
  line.hear(counted("1"));
  comes();
  assert.deepEqual(line.answers, ["1", "2", "2"]);
});
