// How a class answered: a bar for each answer, the second vote beside the first, each slip with what it is and where its number
// stands; and the same as a table and as a picture, to take home.

const answerOf = (group) => group.answer || group.says;
const bold = (group) => (group.right ? 700 : 400);

// The groups of all votes, each with its counts in order: [group, [in the first, in the second]].
function countsOf(tallies) {
  const all = new Map();
  for (const [k, { groups }] of tallies.entries()) {
    for (const group of groups) {
      const key = JSON.stringify([group.answer, group.says]);
      if (!all.has(key)) all.set(key, [group, tallies.map(() => 0)]);
      all.get(key)[1][k] = group.count;
    }
  }
  return [...all.values()];
}

// Where a slip's number stands is a place that the lecturer may take the class to.
function drawPlace(parent, { opens }) {
  if (!opens) return;
  const fields = Object.entries(opens.fields).map(([name, value]) => [name, String(value)]);
  button(parent, "See it", () => window.attentionAddress.act(Object.fromEntries(fields), opens.path), { class: "ab-room-see" });
}

// What is said of a group: the slip, or what was given where none explains it. Of a prediction's options one sentence stands below.
function toldOf({ answer, right, says, given }) {
  const told = given.map(([number, count]) => (count > 1 ? `${number} (${count} times)` : number)).join(", ");
  return right ? "" : answer === "other answers" ? `${says}: ${told}` : says;
}

function drawResult(card, { tallies }, tells) {
  const [last] = tallies.slice(-1), rows = countsOf(tallies), most = Math.max(1, ...rows.flatMap(([, counts]) => counts));
  const right = last.groups.filter((group) => group.right).reduce((sum, group) => sum + group.count, 0);
  if (tells) make("p", { class: "ab-room-asks" }, card, `${right} of ${last.of} right.${tallies.length > 1 ? " The pale bars are the first vote." : ""}`);
  const table = make("table", { class: "ab-room-result" }, card), computed = new Map(last.bars.map(([label, , written]) => [label, written]));
  for (const [group, counts] of rows) {
    const row = make("tr", group.right && tells ? { class: "ab-room-right" } : {}, table);
    make("th", { scope: "row" }, row, `${group.right && tells ? "✓ " : ""}${answerOf(group)}`);
    const cell = make("td", { class: "ab-room-bars" }, row);
    for (const [k, count] of counts.entries()) {
      const bar = make("div", { class: k < counts.length - 1 ? "ab-room-first" : "" }, cell);
      make("i", { style: `width:${(100 * count) / most}%` }, bar);
      make("span", {}, bar, String(count));
    }
    if (!tells) continue;
    if (computed.has(answerOf(group))) make("td", { class: "ab-room-computed" }, row, computed.get(answerOf(group)));
    drawPlace(make("td", {}, row, computed.size ? "" : toldOf(group)), group);
  }
  if (tells) make("p", {}, card, last.solution);
}

// ---------- to take home ----------

function download(name, blob) {
  const url = URL.createObjectURL(blob);
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

const saveTable = () => download(`class-${room.code}-${room.asked.number}.csv`, new Blob(["\ufeff", room.result.csv], { type: "text/csv" }));

const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

// The same bars as a drawing of its own, black on white.
function asPicture() {
  const { tallies } = room.result, rows = countsOf(tallies), votes = tallies.length, high = 34 + 14 * (votes - 1), asks = room.asked.asks.split("\n");
  const most = Math.max(1, ...rows.flatMap(([, counts]) => counts)), top = 30 + 26 * asks.length;
  const tall = top + high * rows.length + 20;
  const svg = node("svg", { xmlns: SVG, width: 1200, height: tall, viewBox: `0 0 1200 ${tall}`, "font-family": "sans-serif", "font-size": 17 });
  node("rect", { width: 1200, height: tall, fill: "#ffffff" }, svg);
  for (const [k, line] of asks.entries()) node("text", { x: 20, y: 34 + 26 * k, fill: "#10151b", "font-weight": k === asks.length - 1 ? 700 : 400 }, svg, cut(line, 125));
  for (const [r, [group, counts]] of rows.entries()) {
    const y = top + r * high;
    node("text", { x: 20, y: y + 18, fill: "#10151b", "font-weight": bold(group) }, svg, `${group.right ? "✓ " : ""}${cut(answerOf(group), 26)}`);
    for (const [k, count] of counts.entries()) {
      const fill = k < counts.length - 1 ? "#b9c4d0" : group.right ? "#1d7a4f" : "#55677a";
      node("rect", { x: 270, y: y + 5 + 15 * k, width: (300 * count) / most, height: 13, fill }, svg);
      node("text", { x: 278 + (300 * count) / most, y: y + 17 + 15 * k, "font-size": 14, fill: "#10151b" }, svg, String(count));
    }
    const told = tallies[0].bars.find(([label]) => label === group.answer)?.[2] ?? (tallies[0].bars.length ? "" : toldOf(group));
    node("text", { x: 620, y: y + 18, "font-size": 14, fill: "#39434e" }, svg, cut(told, 78));
  }
  return { svg, wide: 1200, tall };
}

function savePicture() {
  const { svg, wide, tall } = asPicture(), image = new Image(), canvas = document.createElement("canvas");
  Object.assign(canvas, { width: 2 * wide, height: 2 * tall });
  image.onload = () => {
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download(`class-${room.code}-${room.asked.number}.png`, blob));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
}
