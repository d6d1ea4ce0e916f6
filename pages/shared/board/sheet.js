// The sheet that a view draws on: the drawing, a line that says what is pointed at, and below them what the colours mean
// and the same numbers as tables.

// An empty sheet: its drawing and its line. Without colours there is no legend.
function sheet(host, width, height, data, colours, room) {
  const svg = fill(emptied(host), { width: width * room.scale, height: height * room.scale, viewBox: `0 0 ${width} ${height}`,
    tabindex: 0, role: "application", "aria-label": data.alt, class: "ab-svg" });
  if (!room.fit && width * room.scale > room.w + 1) goesOn(svg, width * room.scale, height * room.scale);
  const said = make("div", { class: "ab-readout", "aria-live": "polite" }, host);
  const foot = make("div", { class: "ab-foot" }, host);
  if (colours) legend(foot, data.matrices || [], colours);
  editingLegend(foot, data.matrices || []);
  const matrices = data.matrices || [];
  const numbered = matrices.filter((matrix) => !matrix.bare);
  if (numbered.length) foldedTables(foot, host, numbered);
  svg.maker = null;
  if (!room.fit) {
    foldedPicture(foot, host, svg);
    const long = matrices.some((matrix) => madeOf(matrix).length > 60); // two lines on a phone
    if (matrices.length) svg.maker = make("span", { class: long ? "ab-made ab-made-long" : "ab-made" }, foot, madeOf(matrices[0]));
  }
  return [svg, said];
}

// What made a matrix's numbers: its function and where that stands, for whoever wants to read it.
const madeOf = (matrix) => (matrix.made ? `${matrix.symbol ?? matrix.title.split(",")[0]}: ${matrix.made}` : "");

// A drawing wider than the screen fades at the right, until a reader has moved it to its end: there this stands behind it.
function goesOn(svg, width, height) {
  const edge = make("div", { class: "ab-goes-on", "aria-hidden": "true" });
  make("i", {}, edge, "→");
  svg.after(edge);
  Object.assign(edge.style, { width: `${width + 30}px`, height: `${height}px`, marginTop: `${-height}px` });
}

// The drawing that is there is used again: it keeps the focus. To give that to a new one makes the browser lay the page out.
function emptied(host) {
  const svg = host.querySelector(":scope > svg");
  if (!svg) {
    host.replaceChildren();
    return node("svg", {}, host);
  }
  while (svg.nextSibling) svg.nextSibling.remove();
  host.querySelector(":scope > .ab-lead")?.remove();
  svg.replaceChildren();
  svg.drawn?.abort(); // nothing listens to what was drawn before
  svg.drawn = null;
  return svg;
}

// What the colours mean: every matrix runs to its own largest number, unless it says otherwise.
function legend(foot, matrices, colours) {
  const line = make("div", { class: "ab-legend" }, foot);
  // Whole numbers stand in their cells; their colour only helps to tell them apart.
  const coloured = matrices.filter((matrix) => !matrix.whole);
  const ofScale = (scale) => coloured.find((matrix) => (matrix.scale || "diverging") === scale);
  const range = (stops, before, after) => {
    const part = make("span", {}, line);
    const strip = document.createElement("i");
    strip.style.background = `linear-gradient(to right, ${stops.map((c) => `rgb(${c})`)})`;
    part.append(before, strip, after);
  };
  if (ofScale("diverging")) range(colours.diverging, "below 0", "above 0");
  if (ofScale("plain")) range([colours.background, colours.gray], "0", brief(read(ofScale("plain")).top));
  if (ofScale("sequential")) range(colours.sequential, "0", "1");
}

// Which numbers can be changed by hand, and what the mark on those means that were.
function editingLegend(foot, matrices) {
  const editable = matrices.find((matrix) => matrix.editable);
  if (editable) make("span", {}, foot, `${editable.editable.title}: click a number to change it`);
  const marked = matrices.find((matrix) => matrix.edited);
  if (marked) make("span", {}, foot, `◥ ${marked.marked || "edited"}`);
}

// The same numbers as real tables: for screen readers, for copying.
function foldedTables(foot, host, matrices) {
  const title = matrices.length > 1 ? "As tables" : "As a table";
  foldAway(foot, host, "ab-tables", title, (folded) => matrices.map(read).forEach((matrix) => drawTable(folded, matrix)));
}

// Folded away, and built when it is opened. An answer draws the board anew; what was open stays open.
function foldAway(foot, host, kind, title, build) {
  const folded = make("details", { class: kind }, foot);
  make("summary", {}, folded, title);
  host.opened ??= new Set();
  folded.open = host.opened.has(kind);
  if (folded.open) build(folded);
  folded.addEventListener("toggle", () => {
    host.opened[folded.open ? "add" : "delete"](kind);
    if (folded.open && folded.children.length === 1) build(folded);
  });
}

function drawTable(folded, matrix) {
  const name = `${matrix.title}, ${matrix.shape}`;
  const frame = make("div", { class: "ab-table", role: "region", tabindex: 0, "aria-label": name }, folded);
  const edited = (i, j) => (matrix.isEdited(i, j) ? ` ${matrix.marked || "edited"}` : "");
  tableOf(make("table", {}, frame), matrix, name, (line, i, j) => make("td", {}, line, inFull(matrix, i, j) + edited(i, j)));
}

// A matrix's labels, and a cell for each of its numbers: `cell(line, i, j)` adds it to its line.
function tableOf(table, matrix, name, cell) {
  make("caption", {}, table, name);
  const head = make("tr", {}, make("thead", {}, table));
  make("td", {}, head);
  for (const label of matrix.columns) make("th", { scope: "col" }, head, label);
  const body = make("tbody", {}, table);
  matrix.rows.forEach((label, i) => {
    const line = make("tr", {}, body);
    make("th", { scope: "row" }, line, label);
    for (let j = 0; j < matrix.m; j++) cell(line, i, j);
  });
}
