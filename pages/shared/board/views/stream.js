// View: one word's vector on its way through a block. The stream runs down the left. A branch stands to the right of it;
// an arrow brings what it found back.

const TRUNK = 12; // where the stream runs, from the left

function drawStream(host, data, send, colours, room) {
  const matrices = data.matrices.map(read);
  const layout = streamLayout(matrices, room);
  const [svg, said] = sheet(host, layout.width, matrices.length * layout.step + 8, data, colours, room);
  const line = node("g", { class: "ab-stream" }, svg);
  const places = matrices.map((matrix, k) => drawStage(svg, line, matrix, k, layout, colours));
  const own = places.filter((place) => !place.matrix.branch);
  const middle = (place) => place.y + layout.uh / 2;
  node("path", { d: `M${TRUNK} ${middle(own[0])}V${middle(own.at(-1))}`, class: "ab-trunk" }, line);
  const over = node("g", { class: "ab-over" }, svg);
  const show = (cell) => {
    over.replaceChildren();
    if (!cell) return;
    const { place: on, j } = cell;
    for (const place of places) outline(over, place, 0, 1, j, j + 1, place === on ? "chosen" : "hot");
    const values = matrices.map((matrix) => `${matrix.title.split(",")[0]} ${exact(matrix.at(0, j))}`);
    said.textContent = `column ${j + 1}:   ${values.join("   →   ")}`;
  };
  pointing(svg, places, places[data.main], [0, data.chosen[1]], show, send);
  playable(host, svg, send, (asked) => blockMotion({ data, places, colours, layout }, asked));
}

function streamLayout(matrices, room) {
  const left = 24;
  const indent = room.w < 560 ? 22 : 64; // of a branch
  const ideal = Math.min(44, Math.max(2, (Math.max(room.w - 8, 240) - left - indent) / matrices[0].m));
  const uw = ideal >= 4 ? Math.floor(ideal) : ideal;
  const [uh, step] = room.fit ? [20, Math.max(42, Math.min(66, Math.floor((room.h - 40) / matrices.length)))] : [24, 66];
  const longest = Math.max(...matrices.map((matrix) => titleWidth(matrix, matrix.note)));
  return { left, indent, uw, uh, step, width: Math.ceil(left + indent + Math.max(matrices[0].m * uw, longest) + 12) };
}

function drawStage(svg, line, matrix, k, { left, indent, uw, uh, step }, colours) {
  const x = left + (matrix.branch ? indent : 0);
  const y = k * step + 24;
  caption(svg, matrix, x, y - 9, matrix.note);
  if (matrix.branch) drawBranch(line, matrix, x, y, uh, step);
  else node("circle", { cx: TRUNK, cy: y + uh / 2, r: 4, class: "ab-knot" }, line);
  return drawCells(svg, matrix, x, y, uw, uh, colours);
}

// Out of the stream above, into the branch (or on in it), and back into the stream below.
function drawBranch(line, { onward, joins }, x, y, uh, step) {
  const middle = y + uh / 2;
  const into = `M${TRUNK} ${middle - step + 14}C${TRUNK} ${middle} ${TRUNK} ${middle} ${x - 6} ${middle}`;
  const on = `M${x + 6} ${y - step + uh + 2}V${y - 22}`;
  const back = `M${x - 6} ${middle + 6}C${TRUNK} ${middle + 8} ${TRUNK} ${middle + 8} ${TRUNK} ${y + step - 4}`;
  node("path", { d: onward ? on : into, class: "ab-flow" }, line);
  if (joins) node("path", { d: back, class: "ab-flow" }, line);
}
