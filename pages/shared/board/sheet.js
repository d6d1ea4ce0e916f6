// The sheet that a view draws on: the drawing, a line that says what is pointed at, below them what the colours mean, and in
// the corner a menu (menu.js).

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
  svg.maker = null;
  if (!room.fit) cornerMenu(host, foot, svg, matrices);
  return [svg, said];
}

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
  host.classList.remove("ab-led");
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
