// View: rows as points of a plane, each with its word. Rows that are equal are one point with several words.

function drawPoints(host, data, send, colours, room) {
  const rows = read(data.matrices[0]);
  const spots = rows.rows.map((_, k) => [rows.at(k, 0), rows.at(k, 1)]);
  const frame = planeFrame(spots, room);
  const [svg, said] = sheet(host, frame.width, frame.height, data, null, room);
  drawPlaneGrid(svg, frame, data.axes);
  const places = spots.map(([x, y]) => [frame.x(x), frame.y(y)]);
  const over = node("g", { class: "ab-over" }, svg);
  const show = (k) => {
    over.replaceChildren();
    drawDots(over, places, rows.role, () => 4, k);
    drawPlaneLabels(over, frame, labelled(places, rows.rows, rows.role, k));
    const [x, y] = spots[k];
    said.textContent = `${isolated(rows.rows[k])} stands at (${exact(x)}, ${exact(y)})`;
  };
  const under = (spot) => nearestOf(places.map(([x, y]) => Math.hypot(spot[0] - x, spot[1] - y)));
  return picking(svg, rows.n, data.chosen, under, show, (k) => send({ matrix: rows.name, row: k, column: 0 }));
}
