// The board: every matrix in the explorer is drawn here, in the reader's browser.
//
// The server sends the numbers once (float32, exact); hovering, the terms of a product and
// moving about by keyboard cost no message. A click, or Enter, is an act that address.js writes into the
// link. Text from the reader reaches the page through textContent alone.
//
// This file is sent until a browser has it, and begins once. The boards themselves are mounted with a short module
// that calls window.attentionBoard, so that a rerun does not send this file again.

const SVG = "http://www.w3.org/2000/svg";
const LABEL_FONT = 12;
const GAP = 14;
const TITLE = 34;
const views = {};

// ---------- numbers and colours ----------

function decode(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

// The rule is written down in core/written.py, which prints the same numbers beside the boards: four decimals, halves
// away from zero (as toFixed does), powers of ten for what is tiny or huge, a real minus sign and none for zero.
function exact(v) {
  return signed(v, (size) => (size && (size < 0.0001 || size >= 1e15) ? size.toExponential(1).replace("+", "").replace("-", "−") : size.toFixed(4)));
}

// For a cell's own picture: three digits, as many of them decimals as fit.
function brief(v) {
  return signed(v, (size) => (size < 1e15 ? size.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0) : exact(size)));
}

function signed(v, write) {
  if (Number.isNaN(v)) return "–";
  const text = Number.isFinite(v) ? write(Math.abs(v)) : "∞";
  return v < 0 && /[1-9∞]/.test(text) ? `−${text}` : text;
}

function parseColour(text) {
  const value = text.trim();
  if (value.startsWith("#")) {
    const hex = value.length === 4 ? [...value.slice(1)].map((c) => c + c).join("") : value.slice(1);
    return [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16));
  }
  return (value.match(/[\d.]+/g) || [0, 0, 0]).slice(0, 3).map(Number);
}

function palette(element) {
  const style = getComputedStyle(element);
  const list = (name) => style.getPropertyValue(name).match(/#[0-9a-fA-F]+|rgba?\([^)]*\)/g) || ["#fff", "#888"];
  return {
    diverging: list("--st-chart-diverging-colors").map(parseColour),
    sequential: list("--st-chart-sequential-colors").map(parseColour),
    background: parseColour(style.getPropertyValue("--st-background-color")),
    gray: parseColour(style.getPropertyValue("--st-gray-color")),
  };
}

function blend(stops, t) {
  const place = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(place), stops.length - 2);
  return stops[low].map((c, k) => Math.round(c + (stops[low + 1][k] - c) * (place - low)));
}

// Ten colours, two of them the background at zero: each side is a scale of its own that starts there.
// The power makes small values visible beside large ones.
function colourOf(v, matrix, colours) {
  if (!Number.isFinite(v)) return colours.background;
  if (matrix.scale === "plain") return blend([colours.background, colours.gray], v / matrix.top); // neither sign nor share
  if (matrix.scale === "sequential") return blend(colours.sequential, v / matrix.top);
  const size = (Math.abs(v) / matrix.top) ** 0.7;
  return blend(v < 0 ? colours.diverging.slice(0, 5).reverse() : colours.diverging.slice(5), size);
}

function inkOn([r, g, b]) {
  const linear = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  // Black and white both have a contrast of 4.58 where this is 0.179: on either side the better one has more.
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] > 0.179 ? "#000000" : "#ffffff";
}

// ---------- drawing ----------

function node(name, attributes, parent, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.appendChild(made);
  return made;
}

// Text is measured in the font that it is drawn in, which `drawToFit` finds out.
const measure = document.createElement("canvas").getContext("2d");
let family = "sans-serif";
function textWidth(text, size = LABEL_FONT, weight = 400) {
  measure.font = `${weight} ${size}px ${family}`;
  return measure.measureText(text).width;
}
const titleWidth = ({ title, bare }, shape) => textWidth(title, 13, 700) + (bare ? 0 : 8 + textWidth(shape, 11.5));
const widest = (labels) => Math.max(0, ...labels.map((label) => textWidth(label)));

// Text for which there is less room than it takes is drawn narrower: every letter stays.
function fitted(text, width, room) {
  if (width > room) for (const [name, value] of [["textLength", room], ["lengthAdjust", "spacingAndGlyphs"]]) text.setAttribute(name, value);
  return text;
}

// A word that is written from right to left would turn what stands around it, “scores[first, second]” into
// “scores[second, first]”: it is set apart by characters that cannot be seen. The same in words.py.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const isolated = (word) => (RIGHT_TO_LEFT.test(word) ? `\u2068${word}\u2069` : word);

// Shares of 1 for small pictures come as whole numbers up to 65,535: half the bytes.
function decodeShares(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return Float32Array.from(new Uint16Array(bytes.buffer), (v) => v / 65535);
}

function read(matrix) {
  const values = matrix.shares ? decodeShares(matrix.values) : decode(matrix.values);
  const finite = values.reduce((top, v) => (Number.isFinite(v) ? Math.max(top, Math.abs(v)) : top), 0);
  return { ...matrix, values, top: matrix.top || finite || 1, at: (i, j) => values[i * matrix.m + j] };
}

// One matrix: its cells as a picture with one pixel a cell, numbers on top where they fit.
function drawCells(svg, matrix, x, y, uw, uh, colours) {
  const group = node("g", { class: "ab-matrix", "data-name": matrix.name }, svg);
  const canvas = document.createElement("canvas");
  canvas.width = matrix.m;
  canvas.height = matrix.n;
  const context = canvas.getContext("2d");
  const pixels = context.createImageData(matrix.m, matrix.n);
  const showNumbers = uw >= 29 && uh >= 15 && matrix.n * matrix.m <= 1600;
  const texts = showNumbers ? node("g", { class: "ab-numbers" }) : null;
  for (let i = 0; i < matrix.n; i++) {
    for (let j = 0; j < matrix.m; j++) {
      const rgb = colourOf(matrix.at(i, j), matrix, colours);
      pixels.data.set([...rgb, 255], 4 * (i * matrix.m + j));
      if (texts) {
        node("text", { x: x + (j + 0.5) * uw, y: y + (i + 0.5) * uh, fill: inkOn(rgb) }, texts,
          matrix.whole ? String(matrix.at(i, j)) : brief(matrix.at(i, j)));
      }
    }
  }
  context.putImageData(pixels, 0, 0);
  node("image", { href: canvas.toDataURL(), x, y, width: matrix.m * uw, height: matrix.n * uh,
    preserveAspectRatio: "none", class: "ab-cells",
    "data-rows": matrix.n, "data-columns": matrix.m }, group);
  grid(group, matrix, x, y, uw, uh);
  if (texts) group.appendChild(texts);
  node("rect", { x, y, width: matrix.m * uw, height: matrix.n * uh, class: `ab-frame ab-${matrix.role}` }, group);
  return { matrix, x, y, uw, uh, w: matrix.m * uw, h: matrix.n * uh, group };
}

function grid(group, matrix, x, y, uw, uh) {
  let lines = "";
  if (uw >= 8) for (let j = 1; j < matrix.m; j++) lines += `M${x + j * uw} ${y}v${matrix.n * uh}`;
  if (uh >= 8) for (let i = 1; i < matrix.n; i++) lines += `M${x} ${y + i * uh}h${matrix.m * uw}`;
  if (lines) node("path", { d: lines, class: "ab-grid" }, group);
  for (const block of matrix.blocks || []) {
    node("path", { d: `M${x + block * uw} ${y - 4}v${matrix.n * uh + 8}`, class: "ab-block" }, group);
  }
}

function rowLabels(svg, matrix, x, y, uh, room) {
  if (uh < 11) return ticks(svg, matrix.n, (k) => [x - 6, y + (k - 0.5) * uh], "end");
  matrix.rows.forEach((label, i) => {
    const made = node("text", { x: x - 6, y: y + (i + 0.5) * uh, class: "ab-label", "text-anchor": "end", "data-row": i }, svg, label);
    fitted(made, textWidth(label), room);
  });
}

// Words that do not fit are turned; numbers that do not fit become ticks.
const turns = (matrix, uw) => widest(matrix.cols) + 4 > uw && uw >= 15 && !matrix.cols.every((label) => /^\d+$/.test(label));

function columnLabels(svg, matrix, x, y, uw) {
  const long = widest(matrix.cols);
  if (long + 4 <= uw || turns(matrix, uw)) {
    const turned = turns(matrix, uw);
    matrix.cols.forEach((label, j) => {
      const cx = x + (j + 0.5) * uw;
      const place = turned ? { transform: `translate(${cx + 3},${y - 5}) rotate(-50)`, "text-anchor": "start" }
        : { x: cx, y: y - 9, "text-anchor": "middle" };
      node("text", { ...place, class: "ab-label", "data-column": j }, svg, label);
    });
    return;
  }
  ticks(svg, matrix.m, (k) => [x + (k - 0.5) * uw, y - 9], "middle");
}

const columnLabelHeight = (matrix, uw) => {
  return turns(matrix, uw) ? Math.ceil(widest(matrix.cols) * 0.77) + 12 : 18;
};

// How far turned words stand out at the right of their matrix.
function overhang(matrix, uw) {
  if (matrix.hideColumns || !turns(matrix, uw)) return 0;
  return Math.max(...matrix.cols.map((label, j) => (j + 0.5 - matrix.m) * uw + 3 + textWidth(label) * 0.65 + 6));
}

// A dimension's numbers are too many to print: first, every eighth, last.
function ticks(svg, count, place, anchor) {
  for (let k = 1; k <= count; k++) {
    if (k !== 1 && k !== count && (k % 8 || count - k < 5)) continue;
    const [x, y] = place(k);
    node("text", { x, y, class: "ab-tick", "text-anchor": anchor }, svg, k);
  }
}

function caption(svg, matrix, x, y) {
  const title = node("text", { x, y, class: "ab-title" }, svg);
  node("tspan", { class: `ab-symbol ab-${matrix.role}` }, title, matrix.title);
  if (!matrix.bare) node("tspan", { class: "ab-shape", dx: 8 }, title, matrix.shape);
}

function outline(svg, place, i0, i1, j0, j1, kind) {
  return node("rect", { x: place.x + j0 * place.uw - 1, y: place.y + i0 * place.uh - 1,
    width: (j1 - j0) * place.uw + 2, height: (i1 - i0) * place.uh + 2, class: `ab-${kind}` }, svg);
}

function start(host, width, height, data, colours, room) {
  host.replaceChildren();
  const svg = node("svg", { width: width * room.scale, height: height * room.scale, viewBox: `0 0 ${width} ${height}`,
    tabindex: 0, role: "application", "aria-label": data.alt, class: "ab-svg" }, host);
  const said = document.createElement("div");
  said.className = "ab-said";
  said.setAttribute("aria-live", "polite");
  host.appendChild(said);
  const foot = document.createElement("div");
  foot.className = "ab-foot";
  if (colours) foot.appendChild(legend(data, colours));
  const matrices = (data.matrices || []).filter((matrix) => !matrix.bare);
  if (matrices.length) foot.appendChild(realTables(host, matrices));
  host.appendChild(foot);
  return [svg, said];
}

// The same numbers as real tables: for screen readers, for copying. Built when they are opened.
function realTables(host, matrices) {
  const folded = document.createElement("details");
  folded.className = "ab-tables";
  const make = (name, parent, text, attributes = {}) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    parent.appendChild(made);
    return made;
  };
  make("summary", folded, matrices.length > 1 ? "As tables" : "As a table");
  const fill = () => {
    for (const matrix of matrices.map(read)) {
      const name = `${matrix.title}, ${matrix.shape}`;
      const frame = make("div", folded, undefined, { class: "ab-table", role: "region", tabindex: 0, "aria-label": name });
      const table = make("table", frame);
      make("caption", table, name);
      const head = make("tr", make("thead", table));
      make("td", head);
      for (const label of matrix.cols) make("th", head, label, { scope: "col" });
      const body = make("tbody", table);
      matrix.rows.forEach((label, i) => {
        const line = make("tr", body);
        make("th", line, label, { scope: "row" });
        for (let j = 0; j < matrix.m; j++) make("td", line, matrix.whole ? String(matrix.at(i, j)) : exact(matrix.at(i, j)));
      });
    }
  };
  folded.open = Boolean(host.tablesOpen); // a rerun draws the board anew; what was open stays open
  if (folded.open) fill();
  folded.addEventListener("toggle", () => {
    host.tablesOpen = folded.open;
    if (folded.open && folded.children.length === 1) fill();
  });
  return folded;
}

// What the colours mean: every matrix runs to its own largest number, unless it says otherwise.
function legend(data, colours) {
  const line = document.createElement("div");
  line.className = "ab-legend";
  // Whole numbers stand in their cells; their colour only helps to tell them apart.
  const coloured = (data.matrices || []).filter((matrix) => !matrix.whole);
  const kinds = new Set(coloured.map((matrix) => matrix.scale || "diverging"));
  const bar = (stops, texts) => {
    const [before, after] = texts;
    const part = document.createElement("span");
    const strip = document.createElement("i");
    strip.style.background = `linear-gradient(to right, ${stops.map((c) => `rgb(${c})`)})`;
    part.append(before, strip, after);
    line.appendChild(part);
  };
  if (kinds.has("diverging")) bar(colours.diverging, ["below 0", "above 0"]);
  if (kinds.has("plain")) bar([colours.background, colours.gray], ["0", brief(read(coloured.find((matrix) => matrix.scale === "plain")).top)]);
  if (kinds.has("sequential")) bar(colours.sequential, ["0", "1"]);
  return line;
}

// ---------- pointing: mouse, finger and keyboard, the same for every view ----------

function cellUnder(places, px, py) {
  for (const place of places) {
    const j = Math.floor((px - place.x) / place.uw);
    const i = Math.floor((py - place.y) / place.uh);
    if (i >= 0 && j >= 0 && i < place.matrix.n && j < place.matrix.m) return { place, i, j };
  }
  return null;
}

// One cell further; past a matrix's edge, on into the nearest one that way, so that every matrix is within reach.
function neighbour(places, { place, i, j }, [down, right]) {
  const { n, m } = place.matrix;
  if (i + down >= 0 && i + down < n && j + right >= 0 && j + right < m) return { place, i: i + down, j: j + right };
  const middle = (on, row, column) => [on.x + (column + 0.5) * on.uw, on.y + (row + 0.5) * on.uh];
  const nearest = (offset, size, count) => Math.min(Math.max(Math.floor(offset / size), 0), count - 1);
  const [x, y] = middle(place, i, j);
  let best = { place, i, j, far: Infinity };
  for (const other of places) {
    if (other === place) continue;
    const row = nearest(y - other.y, other.uh, other.matrix.n);
    const column = nearest(x - other.x, other.uw, other.matrix.m);
    const [toX, toY] = middle(other, row, column);
    const along = right ? (toX - x) * right : (toY - y) * down;
    const across = right ? Math.abs(toY - y) : Math.abs(toX - x);
    if (along > 0 && along + 3 * across < best.far) best = { place: other, i: row, j: column, far: along + 3 * across };
  }
  return { place: best.place, i: best.i, j: best.j };
}

function pointing(svg, places, main, start, show, choose) {
  let cursor = start ? { place: main, ...start } : null;
  const at = (event) => {
    const box = svg.getBoundingClientRect();
    const ratio = svg.viewBox.baseVal.width / box.width;
    return cellUnder(places, (event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio);
  };
  svg.addEventListener("pointermove", (event) => {
    const cell = at(event);
    svg.style.cursor = cell && cell.place.matrix.clickable ? "pointer" : "default";
    show(cell || cursor, true);
  });
  svg.addEventListener("pointerleave", () => show(cursor, false));
  svg.addEventListener("click", (event) => {
    const cell = at(event);
    if (cell && cell.place.matrix.clickable) choose(cell);
  });
  // In a lecture the arrow keys belong to the beats: a click does not take them for the matrix, only Tab does.
  if (document.querySelector(".st-key-lecturing")) svg.addEventListener("mousedown", (event) => event.preventDefault());
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (step) {
      cursor = cursor || { place: main, i: 0, j: 0 };
      cursor = neighbour(places, cursor, step);
      show(cursor, true);
    } else if ((event.key === "Enter" || event.key === " ") && cursor && cursor.place.matrix.clickable) {
      choose(cursor);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  show(cursor, false);
}

const nameOf = (matrix, i, j) => `${matrix.name}[${isolated(matrix.rows[i])}, ${isolated(matrix.cols[j])}]`;

// ---------- view: left · right = result, the result where its row and its column cross ----------

function unit(axis, count, width, room) {
  const [low, high] = axis === "words" ? [12, room.fit ? 72 : 52] : [3, count <= 8 ? 44 : 20];
  return Math.min(high, Math.max(low, Math.floor(width / count)));
}

views.product = (host, data, send, colours, room) => {
  const [left, right, result] = data.matrices.map(read);
  const labelWidth = Math.min(widest(left.rows), 120) + 12;
  const [n, inner, m] = [left.n, left.m, right.m];
  const across = room.w - labelWidth - GAP - 8 - (data.axes[1] === "words" ? widest(right.rows) + 10 : 0);
  const shares = [inner, m].map((count, k) => count * (data.axes[k + 1] === "words" || (room.fit && count <= 8) ? (room.fit ? 5 : 3) : 1));
  const captions = Math.max(...[right, result].map((matrix) => titleWidth(matrix, matrix.shape)));
  const [innerWidth, ideal] = [inner, m].map((count, k) => { // the titles at the right need their room too
    const share = (across * shares[k]) / (shares[0] + shares[1]);
    return unit(data.axes[k + 1], count, k ? share : Math.min(share, across - captions), room);
  });
  const cornerWidth = Math.max(inner * innerWidth, Math.min(190, across / 2));
  const columnWidth = Math.max(data.axes[2] === "words" ? 12 : 3, Math.min(ideal, Math.floor((across - cornerWidth) / m)));
  const top = columnLabelHeight(right, columnWidth) + TITLE - 14;
  const wordsInside = data.axes[1] === "words";
  const leftLabels = wordsInside ? columnLabelHeight(left, innerWidth) : 18;
  // Where all must fit on one screen, the rows of both matrices share what titles and labels leave of it.
  const free = Math.max(room.h - top - GAP - TITLE - leftLabels - 20, 60);
  const few = inner <= 8; // rows high enough for numbers
  const shareInside = wordsInside || few ? inner / (inner + n) : 0.3;
  const high = (most, share, count) => {
    const ideal = Math.min(most, free * share) / count;
    return ideal >= 4 ? Math.floor(ideal) : ideal;
  };
  const rowHeight = Math.max(room.fit ? 15 : 18, Math.min(30, high(520, 1 - shareInside, n)));
  const innerHeight = wordsInside ? Math.max(room.fit ? 12 : 16, Math.min(30, high(520, shareInside, inner)))
    : Math.max(room.fit ? 1 : 5, Math.min(few ? 24 : 14, high(420, shareInside, inner)));
  const rightHeight = Math.max(inner * innerHeight, 54);
  const x0 = labelWidth + cornerWidth - inner * innerWidth;
  const x1 = labelWidth + cornerWidth + GAP;
  const y1 = top + rightHeight + GAP + TITLE + leftLabels - 2;
  const rightLabels = data.axes[1] === "words" && innerHeight >= 11 ? widest(right.rows) + 10 : 0;
  const width = Math.max(x1 + Math.max(m * columnWidth + Math.max(rightLabels, overhang(right, columnWidth)), captions) + 8, 240);
  const height = y1 + n * rowHeight + 22;
  const [svg, said] = start(host, width, height, data, colours, room);

  const places = [
    drawCells(svg, result, x1, y1, columnWidth, rowHeight, colours),
    drawCells(svg, left, x0, y1, innerWidth, rowHeight, colours),
    drawCells(svg, right, x1, top + rightHeight - inner * innerHeight, columnWidth, innerHeight, colours),
  ];
  const [onResult, onLeft, onRight] = places;
  if (data.only === "row") { // the lecture's beat before the whole matrix: the other rows are still to come
    const hide = (from, to) => node("rect", { x: x1, y: y1 + from * rowHeight, width: m * columnWidth,
      height: (to - from) * rowHeight, class: "ab-veil" }, onResult.group);
    hide(0, data.chosen[0]);
    hide(data.chosen[0] + 1, n);
    onResult.group.appendChild(onResult.group.querySelector(".ab-frame")); // the frame stays, on top
  }
  caption(svg, right, x1, 12);
  caption(svg, left, x0, y1 - leftLabels - 4);
  caption(svg, result, x1, y1 + n * rowHeight + 17);
  rowLabels(svg, left, x0, y1, rowHeight, labelWidth - 8);
  if (rightLabels) {
    right.rows.forEach((label, p) => node("text", { x: x1 + m * columnWidth + 8, y: onRight.y + (p + 0.5) * innerHeight,
      class: "ab-label" }, svg, label));
  }
  columnLabels(svg, right, x1, onRight.y, columnWidth);
  columnLabels(svg, left, x0, y1, innerWidth);
  const over = node("g", { class: "ab-over" }, svg);
  const corner = { x: 0, y: onRight.y, w: labelWidth + cornerWidth, rowHeight: innerHeight,
    words: data.axes[1] === "words" };

  const show = (cell, pointed) => {
    over.replaceChildren();
    if (!cell) return;
    const on = cell.place;
    const row = on === onRight ? null : cell.i;
    const column = on === onLeft ? null : cell.j;
    if (row !== null) {
      outline(over, onLeft, row, row + 1, 0, inner, "hot");
      outline(over, onResult, row, row + 1, 0, m, column === null ? "hot" : "warm");
    }
    if (column !== null) {
      outline(over, onRight, 0, inner, column, column + 1, "hot");
      outline(over, onResult, 0, n, column, column + 1, row === null ? "hot" : "warm");
    }
    if (on === onResult) outline(over, onResult, row, row + 1, column, column + 1, "chosen");
    if (on === onLeft) outline(over, onLeft, row, row + 1, cell.j, cell.j + 1, "chosen");
    if (on === onRight) outline(over, onRight, cell.i, cell.i + 1, column, column + 1, "chosen");
    const value = exact(on.matrix.at(cell.i, cell.j));
    said.textContent = `${nameOf(on.matrix, cell.i, cell.j)} = ${value}` +
      (on === onResult ? `, the sum of ${inner + (data.bias ? 1 : 0)} ${inner + (data.bias ? 1 : 0) === 1 ? "term" : "terms"}` : "");
    if (on === onResult) terms(over, corner, left, right, result, data, row, column, colours);
  };
  const chosen = data.chosen && { i: data.chosen[0], j: data.chosen[1] };
  pointing(svg, places, onResult, chosen, show, ({ place, i, j }) => send({ matrix: place.matrix.name, row: i, column: j }));
};

// The terms of one cell of a product, each on the line of the right matrix's row it uses.
function terms(over, corner, left, right, result, data, row, column, colours) {
  const products = Array.from({ length: left.m }, (_, p) => Math.fround(left.at(row, p) * right.at(p, column)));
  const top = Math.max(...products.map(Math.abs), 1e-12);
  const numbers = corner.rowHeight >= 11;
  const middle = corner.w * (numbers ? 0.78 : 0.5);
  const reach = Math.min(corner.w - middle - 12, 90);
  node("path", { d: `M${middle} ${corner.y - 2}v${left.m * corner.rowHeight + 4}`, class: "ab-axis" }, over);
  products.forEach((product, p) => {
    const y = corner.y + p * corner.rowHeight;
    const length = (Math.abs(product) / top) * reach;
    node("rect", { x: product < 0 ? middle - length : middle, y: y + 1, width: Math.max(length, 0.5),
      height: Math.max(corner.rowHeight - 2, 1), fill: `rgb(${colours.diverging[product < 0 ? 1 : 8]})` }, over);
    if (numbers) {
      const label = corner.words ? `${isolated(right.rows[p])}  ` : "";
      const factors = `${exact(left.at(row, p))} × ${exact(right.at(p, column))}`;
      const text = corner.w >= 330 ? `${label}${factors} = ${exact(product)}` : corner.words ? `${label}${exact(product)}` : factors;
      const made = node("text", { x: middle - reach - 4, y: y + corner.rowHeight / 2, class: "ab-term" }, over, text);
      fitted(made, 1.04 * textWidth(text, 10.5), middle - reach - 6);
    }
  });
  const bias = data.bias ? decode(data.bias)[column] : 0;
  const sum = exact(result.at(row, column));
  node("text", { x: corner.w - 8, y: corner.y + left.m * corner.rowHeight + 14, class: "ab-sum" }, over,
    data.bias ? `sum + bias ${exact(bias)} = ${sum}` : `${data.sign || ""}sum = ${sum}`);
}

// ---------- view: matrices side by side or one under the other, lit together ----------

views.matrices = (host, data, send, colours, room) => {
  if (data.nothing) { // there is no matrix, and that is what there is to see
    const note = document.createElement("div");
    note.className = "ab-nothing";
    note.textContent = data.nothing;
    host.replaceChildren(note);
    return;
  }
  const matrices = data.matrices.map(read);
  const stacked = data.layout === "stack";
  const wide = Math.max(room.w - 8, 240);
  const small = data.high && data.high < 11; // no room for a label on each row: ticks
  const bare = matrices.every((matrix) => matrix.bare); // small pictures in a line, without labels
  const labelWidth = bare ? 2 : small ? 26 : Math.min(Math.max(...matrices.map((matrix) => widest(matrix.rows))), 150) + 12;
  const sums = matrices.some((matrix) => matrix.sums) ? 64 : 0;
  const titles = Math.max(...matrices.map((matrix) => titleWidth(matrix, matrix.shape)));
  const perRow = stacked ? 1 : Math.min(data.across || 1, Math.max(1, Math.floor(wide / (labelWidth + GAP + sums + Math.max(100, titles)))));
  // Where all must fit on one screen, each line of matrices gets its share of the height.
  const lines = stacked ? matrices.length : Math.ceil(matrices.length / perRow);
  const rowsInAll = stacked ? matrices.reduce((sum, matrix) => sum + matrix.n, 0) : Math.max(...matrices.map((matrix) => matrix.n)) * lines;
  const around = (matrix) => (matrix.title ? 36 : 20) + (matrix.hideColumns ? 0 : 18) - (matrix.close ? 10 : 0);
  const taken = stacked ? matrices.reduce((sum, matrix) => sum + around(matrix), 0) : lines * 62;
  const fitting = (room.h - taken) / rowsInAll;
  const sizesWithin = (width) => matrices.map((matrix) => {
    if (bare) { // a line of the grid stays a line, down to pictures of two pixels a cell
      const cell = Math.max(2, Math.min(data.cell, Math.floor((wide / data.across - labelWidth - GAP) / matrix.m)));
      return { uw: cell, uh: cell };
    }
    const share = (width - perRow * (labelWidth + GAP + sums)) / perRow;
    const few = matrix.m <= 8 ? 44 : 20;
    const [low, high] = matrix.wide ? [data.smallest || 1, few] : [data.smallest || 9, data.largest || 52];
    const ideal = share / matrix.m;
    return { uw: Math.min(high, Math.max(low, ideal >= 4 ? Math.floor(ideal) : ideal)),
      uh: room.fit ? Math.max(data.low || 12, Math.min(data.high || 30, Math.floor(fitting))) : matrix.tall ? Math.max(4, Math.min(14, Math.floor(420 / matrix.n))) : Math.max(data.low || 14, Math.min(data.high || 26, Math.floor(460 / matrix.n))) };
  });
  // The last word of the last matrix may stand out at the right: then all cells are a little narrower.
  const beyond = (sizes) => Math.max(0, ...matrices.map((matrix, k) => overhang(matrix, sizes[k].uw) - (matrix.sums ? 64 : 0) - GAP));
  const first = sizesWithin(wide);
  const sizes = beyond(first) ? sizesWithin(wide - beyond(first)) : first;
  const places = [];
  let [x, y, line, right] = [0, 0, 0, 0];
  // Where “row sum” stands on the title's line, it stands behind the longest title.
  const beside = matrices.filter((matrix) => matrix.sums && matrix.hideColumns && matrix.close).map((matrix) => titleWidth(matrix, matrix.shape));
  const sumsAt = (matrix, k) => Math.max(matrix.m * sizes[k].uw + 58, ...beside.map((title) => title + 12 + textWidth("row sum", 11.5)));
  const labelsHigh = (matrix, k) => (matrix.hideColumns ? 0 : columnLabelHeight(matrix, sizes[k].uw));
  const highest = Math.max(...matrices.map(labelsHigh)); // side by side, cells begin on one line
  const plan = matrices.map((matrix, k) => {
    const head = (matrix.title ? 20 : 4) + (stacked ? labelsHigh(matrix, k) : highest);
    const titled = matrix.title ? titleWidth(matrix, matrix.shape) + 8 : 0;
    const w = labelWidth + Math.max(matrix.sums ? sumsAt(matrix, k) + 6 : matrix.m * sizes[k].uw, stacked ? 0 : titled) + GAP;
    const h = head + matrix.n * sizes[k].uh + 16;
    if (!stacked && x > 0 && (x + w > wide || (bare && k % data.across === 0))) [x, y, line] = [0, y + line, 0];
    const spot = { x: x + labelWidth, y: y + head, top: y };
    if (stacked) y += h - (matrix.close ? 10 : 0);
    else { x += w; line = Math.max(line, h); }
    right = Math.max(right, spot.x + w - labelWidth, spot.x + titled, spot.x + matrix.m * sizes[k].uw + overhang(matrix, sizes[k].uw));
    return spot;
  });
  const [svg, said] = start(host, Math.ceil(right), Math.ceil(stacked ? y : y + line), data, colours, room);
  matrices.forEach((matrix, k) => {
    const { uw, uh } = sizes[k];
    if (matrix.title) caption(svg, matrix, plan[k].x, plan[k].top + 12);
    places.push(drawCells(svg, matrix, plan[k].x, plan[k].y, uw, uh, colours));
    if (!bare) rowLabels(svg, matrix, plan[k].x, plan[k].y, uh, labelWidth - 8);
    if (!matrix.hideColumns) columnLabels(svg, matrix, plan[k].x, plan[k].y, uw);
    if (matrix.sums) {
      const [sums, end] = [decode(matrix.sums), plan[k].x + sumsAt(matrix, k)];
      if (!matrix.hideColumns || matrix.close) node("text", { x: end, y: plan[k].y - 9, class: "ab-tick", "text-anchor": "end" }, svg, "row sum");
      sums.forEach((v, i) => node("text", { x: end, y: plan[k].y + (i + 0.5) * uh, class: "ab-rowsum" }, svg, brief(v)));
    }
    for (const mark of matrix.marks || []) outline(svg, places[k], mark[0], mark[1], mark[2], mark[3], "mark");
  });
  const over = node("g", { class: "ab-over" }, svg);
  const show = (cell) => {
    over.replaceChildren();
    if (!cell) { said.textContent = ""; return; }
    const lit = data.linked ? places : [cell.place];
    for (const place of lit) {
      if (data.linked === "row" && cell.i < place.matrix.n && place.matrix.m === cell.place.matrix.m) outline(over, place, cell.i, cell.i + 1, 0, place.matrix.m, "warm");
      const i = data.linked === "column" ? 0 : cell.i;
      const last = data.linked === "column" ? place.matrix.n : cell.i + 1;
      if (i < place.matrix.n && cell.j < place.matrix.m) outline(over, place, i, Math.min(last, place.matrix.n), cell.j, cell.j + 1, place === cell.place && data.linked !== "column" ? "chosen" : "hot");
    }
    const matrix = cell.place.matrix;
    if (data.addUp) {
      const [parts, sum] = matrices;
      const column = Array.from({ length: parts.n }, (_, k) => exact(parts.at(k, cell.j)));
      said.textContent = `${column.slice(0, 8).join(" + ").replaceAll("+ −", "− ")}${parts.n > 8 ? " + …" : ""} = ${exact(sum.at(0, cell.j))}   (column ${sum.cols[cell.j]})`;
      return;
    }
    said.textContent = data.linked === "column"
      ? matrices.map((other) => (cell.j < other.m ? `${other.name}${other.n > 1 ? `[${isolated(other.rows[Math.min(cell.i, other.n - 1)])}]` : ""} ${exact(other.at(Math.min(cell.i, other.n - 1), cell.j))}` : "")).filter(Boolean).join("   →   ") + `   (${isolated(matrix.cols[cell.j])})`
      : `${nameOf(matrix, cell.i, cell.j)} = ${matrix.whole ? matrix.at(cell.i, cell.j) : exact(matrix.at(cell.i, cell.j))}`;
  };
  const main = places[data.main || 0];
  const chosen = data.chosen && { i: data.chosen[0], j: data.chosen[1] };
  pointing(svg, places, main, chosen, show, ({ place, i, j }) => send({ matrix: place.matrix.name, row: i, column: j }));
};

// ---------- view: one cell's terms, factor under factor, as one would write them by hand ----------

views.terms = (host, data, send, colours, room) => {
  const matrices = data.matrices.map(read);
  const count = matrices[0].m;
  const named = (matrix) => textWidth(matrix.sign, 13) + textWidth(matrix.title, 13, 700);
  const labelWidth = Math.min(Math.max(...matrices.map(named)), 190) + 14;
  const lines = Math.ceil(count / Math.max(1, Math.floor((room.w - labelWidth - 8) / 48)));
  const perLine = Math.ceil(count / lines);
  const uw = Math.max(10, Math.min(72, Math.floor((room.w - labelWidth - 8) / perLine)));
  const [top, foot] = [20, 34];
  const uh = Math.max(17, Math.min(30, Math.floor((room.h - foot - lines * (top + 10)) / (lines * data.of))));
  const block = top + data.of * uh + 10;
  const [svg, said] = start(host, labelWidth + Math.max(perLine * uw, 1.04 * textWidth(data.sum || "", 16, 600)) + 8, lines * block + foot, data, colours, room);
  const places = [];
  for (let line = 0; line < lines; line++) {
    const [from, to] = [line * perLine, Math.min((line + 1) * perLine, count)];
    matrices.forEach((matrix, k) => {
      const y = line * block + top + k * uh;
      const values = matrix.values.slice(from, to);
      const part = { ...matrix, m: to - from, values, cols: matrix.cols.slice(from, to), from, at: (_, j) => values[j] };
      if (k === 0) columnLabels(svg, part, labelWidth, y, uw);
      const label = node("text", { x: labelWidth - 8, y: y + uh / 2, class: "ab-term-name" }, svg);
      if (matrix.sign) node("tspan", {}, label, matrix.sign);
      node("tspan", { class: `ab-symbol ab-${matrix.role}` }, label, matrix.title);
      fitted(label, named(matrix), labelWidth - 10);
      places.push(drawCells(svg, part, labelWidth, y, uw, uh, colours));
    });
  }
  if (data.sum) node("text", { x: labelWidth, y: lines * block + 12, class: "ab-result-line" }, svg, data.sum);
  const over = node("g", { class: "ab-over" }, svg);
  const show = (cell) => {
    over.replaceChildren();
    if (!cell) return;
    const column = places.filter((place) => place.matrix.from === cell.place.matrix.from);
    for (const place of column) outline(over, place, 0, 1, cell.j, cell.j + 1, place === cell.place ? "chosen" : "hot");
    const parts = column.map((place) => exact(place.matrix.at(0, cell.j)));
    said.textContent = `${isolated(cell.place.matrix.cols[cell.j])}:   ${parts.slice(0, 2).join(" × ")}${parts[2] ? ` = ${parts[2]}` : ""}`;
  };
  pointing(svg, places, places[0], null, show, () => {});
};

// ---------- view: one word's vector on its way through a block ----------

// The stream runs down the left. A branch stands to the right of it; an arrow brings what it found back.
views.stream = (host, data, send, colours, room) => {
  const matrices = data.matrices.map(read);
  const indent = room.w < 560 ? 22 : 64;
  const uw = Math.min(44, Math.max(2, (Math.max(room.w - 8, 240) - 24 - indent) / matrices[0].m));
  const cell = uw >= 4 ? Math.floor(uw) : uw;
  const [uh, step] = room.fit ? [20, Math.max(42, Math.min(66, Math.floor((room.h - 40) / matrices.length)))] : [24, 66];
  const longest = Math.max(...matrices.map((matrix) => titleWidth(matrix, matrix.note)));
  const width = Math.ceil(24 + indent + Math.max(matrices[0].m * cell, longest) + 12);
  const [svg, said] = start(host, width, matrices.length * step + 8, data, colours, room);
  const line = node("g", { class: "ab-stream" }, svg);
  const places = matrices.map((matrix, k) => {
    const x = 24 + (matrix.branch ? indent : 0);
    const y = k * step + 24;
    const title = node("text", { x, y: y - 9, class: "ab-title" }, svg);
    node("tspan", { class: `ab-symbol ab-${matrix.role}` }, title, matrix.title);
    node("tspan", { class: "ab-shape", dx: 8 }, title, matrix.note);
    const middle = y + uh / 2;
    if (matrix.branch) {
      // Out of the stream above, into the branch, and back into the stream below.
      if (!matrix.onward) node("path", { d: `M12 ${y - step + uh / 2 + 14}C12 ${middle} 12 ${middle} ${x - 6} ${middle}`, class: "ab-flow" }, line);
      else node("path", { d: `M${x + 6} ${y - step + uh + 2}V${y - 22}`, class: "ab-flow" }, line);
      if (matrix.joins) node("path", { d: `M${x - 6} ${middle + 6}C12 ${middle + 8} 12 ${middle + 8} 12 ${y + step - 4}`, class: "ab-flow" }, line);
    } else node("circle", { cx: 12, cy: middle, r: 4, class: "ab-knot" }, line);
    return drawCells(svg, matrix, x, y, cell, uh, colours);
  });
  const own = places.filter((place) => !place.matrix.branch);
  node("path", { d: `M12 ${own[0].y + uh / 2}V${own[own.length - 1].y + uh / 2}`, class: "ab-trunk" }, line);
  const over = node("g", { class: "ab-over" }, svg);
  const show = (at) => {
    over.replaceChildren();
    if (!at) return;
    for (const place of places) outline(over, place, 0, 1, at.j, at.j + 1, place === at.place ? "chosen" : "hot");
    said.textContent = `column ${at.j + 1}:   ` + matrices.map((matrix) => `${matrix.title.split(",")[0]} ${exact(matrix.at(0, at.j))}`).join("   →   ");
  };
  const main = places[data.main];
  pointing(svg, places, main, { i: 0, j: data.chosen[1] }, show, ({ place, j }) => send({ matrix: place.matrix.name, row: 0, column: j }));
};

// ---------- view: who looks at whom, a line from each word to each, as thick as its weight ----------

views.flow = (host, data, send, colours, room) => {
  const weights = read(data.matrices[0]);
  const n = weights.n;
  const uh = Math.max(17, Math.min(34, Math.floor(Math.min(520, room.h - 40) / n)));
  const size = uh >= 26 ? 15 : 12;
  const width = Math.max(Math.min(room.w - 8, room.fit ? 620 : 460), 240);
  const wordWidth = (label) => textWidth(label, size, 700); // as wide as it gets: what is followed is bold
  const most = Math.min(150, (width - 44 - 40) / 2 - 10); // between the words there is room for lines
  const side = Math.max(Math.min(Math.max(...weights.rows.map(wordWidth)), most), textWidth("asks", 11.5)) + 10;
  const [from, to, top] = [side, width - side - 44, 26];
  const [svg, said] = start(host, width, top + n * uh + 6, data, null, room);
  const y = (k) => top + (k + 0.5) * uh;
  node("text", { x: from - 6, y: 12, class: "ab-tick", "text-anchor": "end" }, svg, "asks");
  node("text", { x: to + 6, y: 12, class: "ab-tick" }, svg, "is asked");
  const lines = node("g", {}, svg);
  const words = [0, 1].map((right) => weights.rows.map((label, k) => {
    const group = node("g", { class: "ab-flow-word" }, svg);
    node("rect", { x: right ? to : 0, y: y(k) - uh / 2, width: right ? width - to : from, height: uh, fill: "transparent" }, group);
    const text = node("text", { x: right ? to + 6 : from - 6, y: y(k), class: right ? "" : "ab-asks", "font-size": size }, group, label);
    fitted(text, wordWidth(label), side - 8);
    return group;
  }));
  const shares = weights.rows.map((_, k) => node("text", { x: width - 2, y: y(k), class: "ab-share" }, svg));
  const light = (asks, asked) => {
    lines.replaceChildren();
    for (let pass = 0; pass < 2; pass++) { // what is followed lies on top
      for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) {
        const share = weights.at(i, j);
        const followed = asked === null ? i === asks : j === asked;
        if (followed !== Boolean(pass) || share < 0.005) continue;
        const middle = (from + to) / 2;
        node("path", { d: `M${from} ${y(i)}C${middle} ${y(i)} ${middle} ${y(j)} ${to} ${y(j)}`, class: followed ? "ab-line ab-line-hot" : "ab-line",
          "stroke-width": 1 + share * Math.min(12, uh * 0.5), opacity: followed ? 0.35 + 0.65 * share : 0.08 + 0.17 * share }, lines);
      }
    }
    words[0].forEach((group, k) => group.classList.toggle("ab-followed-word", asked === null ? k === asks : weights.at(k, asked) >= 0.05));
    words[1].forEach((group, k) => group.classList.toggle("ab-followed-word", asked === null ? Math.round(100 * weights.at(asks, k)) >= 5 : k === asked));
    shares.forEach((label, k) => {
      label.textContent = asked === null ? `${Math.round(100 * weights.at(asks, k))}%` : "";
    });
    said.textContent = asked === null ? data.says[asks] : `“${isolated(weights.rows[asked])}” gets: ` +
      weights.rows.map((label, k) => [weights.at(k, asked), label]).filter(([share]) => share >= 0.005)
        .sort((a, b) => b[0] - a[0]).slice(0, 3).map(([share, label]) => `${Math.round(100 * share)}% of “${isolated(label)}”`).join(", ");
  };
  let at = data.chosen[0];
  words[0].forEach((group, k) => {
    group.addEventListener("pointerenter", () => light(k, null));
    group.addEventListener("click", () => send({ matrix: "flow", row: k, column: 0 }));
  });
  words[1].forEach((group, k) => group.addEventListener("pointerenter", () => light(null, k)));
  svg.addEventListener("pointerleave", () => light(data.chosen[0], null));
  svg.addEventListener("keydown", (event) => {
    const move = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (move) { at = Math.min(Math.max(at + move, 0), n - 1); light(at, null); }
    else if (event.key === "Enter" || event.key === " ") send({ matrix: "flow", row: at, column: 0 });
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  light(data.chosen[0], null);
};

// ---------- view: the sentence, the followed words in the colours of their roles ----------

views.words = (host, data) => {
  const line = document.createElement("div");
  line.className = "ab-sentence";
  data.words.forEach((word, k) => {
    const made = document.createElement("span");
    made.textContent = word;
    if (k === data.query) made.className = "ab-q";
    else if (k === data.key) made.className = "ab-k";
    line.appendChild(made);
  });
  const said = document.createElement("div");
  said.className = "ab-followed";
  said.textContent = data.said;
  host.replaceChildren(line, said);
};

// ---------- view: positions above, vocabulary below, a line from each token to its word ----------

views.vocabulary = (host, data, send, colours, room) => {
  const across = Math.max(room.w - 8, 240);
  const rows = [data.tokens, data.words];
  const step = Math.max(...rows.map((row) => Math.max(...row.map((label) => Math.max(textWidth(label, 15) + 26, 44)))));
  const perLine = Math.max(1, Math.floor(across / step));
  const single = Math.max(data.tokens.length, data.words.length) <= perLine;
  const width = single ? Math.min(across, Math.max(...rows.map((row) => row.length)) * Math.max(step, Math.min(130, across / Math.max(data.tokens.length, data.words.length)))) : across;
  const lines = rows.map((row) => (single ? 1 : Math.ceil(row.length / perLine)));
  const lineHeight = 68;
  const bottomY = lines[0] * lineHeight + (room.fit || !single ? 62 : 120);
  const spot = (row, index) => {
    const count = single ? rows[row].length : perLine;
    const w = width / count;
    return { x: (index % count) * w + w / 2, y: (row ? bottomY : 34) + Math.floor(index / count) * lineHeight, w: Math.min(w - 8, step) };
  };
  const [svg, said] = start(host, Math.ceil(width), bottomY + lines[1] * lineHeight, data, null, room);
  const links = node("g", {}, svg);
  const draw = (row, label, index, extra) => {
    const { x, y, w } = spot(row, index);
    const group = node("g", { class: `ab-chip ${extra}`, "data-index": index, "data-row": row }, svg);
    node("rect", { x: x - w / 2, y: y - 17, width: w, height: 34, rx: 8 }, group);
    node("text", { x, y: y + 1, class: "ab-word" }, group, label);
    node("text", { x, y: row ? y + 31 : y - 26, class: "ab-tick", "text-anchor": "middle" }, group, row ? `id ${index}` : index + 1);
    return group;
  };
  const tokens = data.tokens.map((label, t) => draw(0, label, t, t === data.chosen ? "ab-chip-chosen" : ""));
  const words = data.words.map((label, id) => draw(1, label, id, ""));
  const light = (t) => {
    links.replaceChildren();
    const id = data.ids[t];
    data.tokens.forEach((_, other) => {
      if (!single) return; // over several lines a link would run behind other words: outlines alone can be followed
      const [a, b] = [spot(0, other), spot(1, data.ids[other])];
      node("path", { d: `M${a.x} ${a.y + 17}C${a.x} ${a.y + 70} ${b.x} ${b.y - 70} ${b.x} ${b.y - 17}`,
        class: data.ids[other] === id ? "ab-link-hot" : "ab-link" }, links);
    });
    tokens.forEach((group, other) => group.classList.toggle("ab-chip-hot", data.ids[other] === id));
    words.forEach((group, other) => group.classList.toggle("ab-chip-hot", other === id));
    const places = data.ids.flatMap((other, k) => (other === id ? [k + 1] : []));
    said.textContent = `“${isolated(data.words[id])}” has id ${id} and stands at position${places.length > 1 ? "s" : ""} ${places.join(" and ")}`;
  };
  let at = data.chosen;
  tokens.forEach((group, t) => {
    group.addEventListener("pointerenter", () => light(t));
    group.addEventListener("click", () => send({ matrix: "tokens", row: t, column: 0 }));
  });
  words.forEach((group, id) => group.addEventListener("pointerenter", () => light(data.ids.indexOf(id))));
  svg.addEventListener("pointerleave", () => light(data.chosen));
  svg.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (move) { at = Math.min(Math.max(at + move, 0), tokens.length - 1); light(at); }
    else if (event.key === "Enter" || event.key === " ") send({ matrix: "tokens", row: at, column: 0 });
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  light(data.chosen);
};

// ---------- view: the whole computation, each part a link to its page ----------

views.map = (host, data, _, colours) => {
  host.replaceChildren();
  const map = document.createElement("div");
  map.className = "ab-map";
  for (const stage of data.stages) {
    const link = document.createElement("a");
    link.className = "ab-stage";
    link.href = stage.href;
    const element = (name, className, text, parent) => {
      const made = document.createElement(name);
      made.className = className;
      made.textContent = text;
      parent.appendChild(made);
      return made;
    };
    element("span", "ab-stage-title", stage.title, link);
    const pictures = element("span", "ab-stage-pictures", "", link);
    for (const given of stage.matrices) {
      const figure = element("span", "ab-stage-figure", "", pictures);
      if (given.words) {
        const list = element("span", "ab-stage-words", "", figure);
        given.words.forEach((word) => element("span", "ab-stage-word", word, list));
      } else {
        const matrix = read(given);
        const canvas = document.createElement("canvas");
        canvas.width = matrix.m;
        canvas.height = matrix.n;
        const context = canvas.getContext("2d");
        const pixels = context.createImageData(matrix.m, matrix.n);
        matrix.values.forEach((v, k) => pixels.data.set([...colourOf(v, matrix, colours), 255], 4 * k));
        context.putImageData(pixels, 0, 0);
        canvas.className = `ab-thumb ab-${given.role}`;
        const high = (stage.matrices.length > 1 ? 34 : 110) * (data.lecture ? 0.6 : 1);
        const size = Math.min(170 / matrix.m, high / matrix.n, 16);
        canvas.style.width = `${Math.max(matrix.m * size, 8)}px`;
        canvas.style.height = `${Math.max(matrix.n * size, 8)}px`;
        figure.appendChild(canvas);
      }
      const name = element("span", "ab-stage-name", "", figure);
      element("b", `ab-symbol ab-${given.role}`, given.title, name);
      element("span", "ab-shape", ` ${given.shape}`, name);
    }
    element("span", "ab-stage-text", stage.text, link);
    map.appendChild(link);
  }
  host.appendChild(map);
};

// ---------- the bar: the overview, the seven steps and what comes after, always in view ----------

// Streamlit's own menu stands in the sidebar, which a phone folds away. The bar repeats it; drawn here, it costs no
// message. Drawn once: a link that is replaced between a press and its release would miss the click.
function drawBar(parent, pages) {
  const bar = document.createElement("nav");
  bar.className = "ab-bar";
  bar.setAttribute("aria-label", "Steps");
  const steps = pages.filter((page) => page.numbered);
  for (const page of pages) {
    const item = document.createElement("a");
    item.textContent = page.menu;
    item.dataset.page = page.path;
    if (pages[pages.indexOf(page) - 1] === steps.at(-1)) item.className = "ab-bar-next"; // what comes after is a section of its own
    bar.appendChild(item);
  }
  parent.appendChild(bar);
  const mark = () => {
    const here = window.attentionAddress.here();
    for (const item of bar.children) {
      item.href = window.attentionAddress.of(item.dataset.page);
      if (item.dataset.page === here.page) item.setAttribute("aria-current", "page");
      else item.removeAttribute("aria-current");
    }
  };
  mark();
  window.addEventListener("attention-moved", mark);
}

// ---------- mounting ----------

// Streamlit gives the theme's colours to components only; the style sheet needs some of them for the whole page.
// Only what differs: each change makes the browser go over all of the page's styles.
function shareTheme(element) {
  const style = getComputedStyle(element), shared = document.documentElement.style;
  for (const name of ["text", "gray-text", "blue-text", "red-text", "green-text", "violet-text", "orange-text", "border", "primary"]) {
    const colour = style.getPropertyValue(`--st-${name}-color`);
    if (shared.getPropertyValue(`--ab-${name}`) !== colour) shared.setProperty(`--ab-${name}`, colour);
  }
}

// For a lecture everything is drawn larger: as large as the projected screen has room for.
function drawToFit(host, data, send) {
  const colours = palette(host);
  family = getComputedStyle(host).getPropertyValue("--st-font") || "sans-serif";
  host.drawing = data;
  if (!document.fonts.check(`12px ${family}`)) { // measured in another font until it is here
    document.fonts.load(`12px ${family}`).then(() => host.isConnected && host.drawing === data && drawToFit(host, data, send));
  }
  if (!data.lecture) { // nothing to fit into, so nothing is measured: that would make the browser lay the page out at once
    views[data.view](host, data, send, colours, { w: host.clientWidth, h: Infinity, fit: false, scale: 1 });
    return;
  }
  const high = Math.max(window.innerHeight * data.lecture, 300);
  for (const scale of [1.75, 1.6, 1.5, 1.4, 1.3, 1.15, 1].filter((s) => s <= (data.most || 2))) {
    const room = { w: host.clientWidth / scale, h: (high - 58) / scale, fit: true, scale };
    views[data.view](host, data, send, colours, room);
    if (host.scrollHeight <= high && host.scrollWidth <= host.clientWidth + 1) return;
  }
}

window.attentionBoard = ({ data: bytes, parentElement }) => {
  const data = JSON.parse(new TextDecoder().decode(bytes));
  let host = parentElement.querySelector(":scope > .ab-host");
  if (!host) {
    host = document.createElement("div");
    host.className = "ab-host";
    parentElement.appendChild(host);
  }
  let drawn = 0;
  const render = () => {
    if (!host.isConnected) return; // on its way out: it has no theme any more
    const focused = host.contains(document.activeElement);
    drawn = host.clientWidth;
    shareTheme(host);
    drawToFit(host, data, (what) => window.attentionAddress.choose(data.chooses, what));
    if (focused) host.querySelector("svg")?.focus({ preventScroll: true });
  };
  host.stopWatching?.();
  const watcher = new ResizeObserver(() => {
    if (Math.abs(host.clientWidth - drawn) > 1) render();
  });
  watcher.observe(host);
  host.stopWatching = () => watcher.disconnect();
  render();
  return host.stopWatching;
};
Object.assign(window.attentionBoard, { exact, brief, isolated }); // a test holds them against the same rule in Python
let constants = null; // pages, defaults, presets: the same for all visitors

window.attentionBar = ({ parentElement }) => {
  shareTheme(parentElement);
  if (!parentElement.querySelector(".ab-bar")) drawBar(parentElement, constants.pages);
};

// Once in a window: what is begun here stays, whatever becomes of the element that brought it.
export default ({ data: bytes }) => {
  if (constants) return;
  constants = JSON.parse(new TextDecoder().decode(bytes));
  const style = document.createElement("style");
  style.textContent = STYLES;
  document.head.appendChild(style);
  window.attentionAddress.begin(constants);
  window.attentionReady = true;
  window.dispatchEvent(new Event("attention-ready"));
};
