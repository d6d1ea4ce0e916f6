// View: a stack of layers, the lowest at the bottom, beside each the small pictures of its heads. What a layer hands on goes up
// into the next.

function drawTower(host, data, send, colours, room) {
  const matrices = data.matrices.map(read);
  const layout = towerLayout(matrices, data, room);
  const [svg, said] = sheet(host, layout.width, layout.height, data, colours, room);
  drawLayers(svg, data, layout);
  const places = matrices.map((matrix, k) => drawLook(svg, matrix, k, data, layout, colours));
  const over = node("g", { class: "ab-over" }, svg);
  const show = (cell) => {
    over.replaceChildren();
    said.textContent = cell ? saidOfLook(cell) : "";
    if (!cell) return;
    for (const place of places) outline(over, place, cell.i, cell.i + 1, 0, place.matrix.m, place === cell.place ? "hot" : "warm");
    outline(over, cell.place, cell.i, cell.i + 1, cell.j, cell.j + 1, "chosen");
  };
  return pointing(svg, places, places[data.main], data.chosen, show, send);
}

function saidOfLook({ place: { matrix }, i, j }) {
  const [layer, head] = matrix.name.split("·");
  const share = Math.round(100 * matrix.at(i, j));
  return `layer ${layer}, head ${head}: “${isolated(matrix.rows[i])}” gives ${share}% of its attention to “${isolated(matrix.cols[j])}”`;
}

// Words stand beside the first picture of each layer and over the topmost ones, where they can be read.
function towerLayout(matrices, data, room) {
  const [{ n, m }] = matrices;
  const count = matrices.length / data.across;
  const box = room.w < 560 ? 62 : 96; // of a layer
  const wide = Math.max(room.w - 8, 240);
  const long = Math.min(110, widest(matrices[0].rows)) + 10;
  const cellWithin = (before) => Math.floor(((wide - before) / data.across - GAP) / m);
  const between = room.fit ? 32 : 48;
  const high = room.fit ? Math.floor(((room.h - 60) / count - between) / n) : data.cell;
  const best = Math.min(data.cell, high, cellWithin(box + 16 + long));
  const words = best >= 11 ? long : 4;
  const cell = words > 4 ? best : Math.max(2, Math.min(data.cell, high, cellWithin(box + 20)));
  const head = cell >= 15 && !room.fit ? columnLabelHeight(matrices[0], cell) : 0;
  const pitch = Math.max(n * cell, 46) + between;
  const left = box + 16 + words;
  const tall = Math.min(46, Math.max(n * cell, 30)); // of a layer's box
  const top = Math.max(24 + head, 30 + (tall - n * cell) / 2);
  const spot = (k) => ({ x: left + (k % data.across) * (m * cell + GAP), y: top + (count - 1 - Math.floor(k / data.across)) * pitch });
  const width = left + data.across * (m * cell + GAP) + (head ? overhang(matrices[0], cell) : 0);
  return { box, tall, words, cell, head, pitch, top, count, spot, high: n * cell, width: Math.ceil(width), height: top + count * pitch + 4 };
}

// Who looks at whom in one layer and head.
function drawLook(svg, matrix, k, data, { spot, cell, words, head, count }, colours) {
  const { x, y } = spot(k);
  const isTop = k >= (count - 1) * data.across;
  caption(svg, matrix, x, y - 7 - (isTop ? head : 0));
  const place = drawCells(svg, matrix, x, y, cell, cell, colours);
  if (words > 4 && k % data.across === 0) rowLabels(svg, matrix, x, y, cell, words - 8);
  if (head && isTop) columnLabels(svg, matrix, x, y, cell);
  for (const [i0, i1, j0, j1] of matrix.marks || []) outline(svg, place, i0, i1, j0, j1, "chosen");
  return place;
}

// The layers as boxes with what goes in below and what comes out above: Xˡ, its shape once, at the bottom.
function drawLayers(svg, data, { box, tall, spot, high, pitch, count }) {
  const middle = (layer) => spot(layer * data.across).y + high / 2;
  const cx = box / 2;
  for (let layer = 0; layer < count; layer++) {
    const y = middle(layer) - tall / 2;
    const kind = layer === data.layer ? "ab-layer-box ab-layer-chosen" : "ab-layer-box";
    node("rect", { x: 1, y, width: box - 2, height: tall, rx: 8, class: kind }, svg);
    node("text", { x: cx, y: y + tall / 2, class: "ab-word" }, svg, `layer ${layer + 1}`);
    const below = layer ? middle(layer - 1) - tall / 2 - 3 : y + tall + Math.min(34, pitch / 2);
    drawWire(svg, { points: [[cx, below], [cx, y + tall + 2]] });
    drawNote(svg, { x: cx + 8, y: (below + y + tall) / 2 + 5, text: handedOn(layer), anchor: "start" });
  }
  const end = middle(count - 1) - tall / 2;
  drawWire(svg, { points: [[cx, end - 3], [cx, end - 26]] });
  drawNote(svg, { x: cx + 8, y: end - 12, text: handedOn(count), anchor: "start" });
  drawNote(svg, { x: cx, y: middle(0) + tall / 2 + Math.min(34, pitch / 2) + 14, text: data.size, shape: true });
}

const handedOn = (layer) => `X⁽${"⁰¹²³⁴⁵⁶⁷⁸⁹"[layer]}⁾`;
