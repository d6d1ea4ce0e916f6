// Motion of rows that add up: one after the other comes down to the sum's place, and what stands there is the sum so far.

// `places` are the rows, and below them their sum, a matrix of one row.
function rowsMotion(drawn, { chosen: [, column] }) {
  const [{ matrix: parts }, { matrix: sum }] = drawn.places;
  const sums = [Array(parts.m).fill(0)];
  for (let i = 0; i < parts.n; i++) sums.push(sums[i].map((before, j) => before + parts.at(i, j)));
  const stations = [{ phase: "first", from: 0, to: 1, lasts: 2500 }];
  if (parts.n > 1) stations.push({ phase: "next", from: 1, to: 2, lasts: 3000 });
  if (parts.n > 2) stations.push({ phase: "rest", from: 2, to: parts.n, lasts: within(2000, 1300 * (parts.n - 2), 9000) });
  const said = saidRows(parts, sum, sums, column);
  return {
    count: stations.length,
    says: (k) => said[stations[k].phase],
    lasts: (k) => stations[k].lasts,
    enter: (layer, k) => enterRows(layer, drawn, sums, column, stations[k]),
    reached: () => null,
  };
}

function saidRows(parts, sum, sums, j) {
  const label = (i) => `“${parts.rows[i]}”`;
  const inColumn = `in column ${sum.cols[j]},`;
  const whole = `the sum is ${sum.title}, ${inColumn} ${exact(sum.at(0, j))}`;
  const others = parts.n - 2;
  return {
    first: `The row ${label(0)} comes to the place of the sum: ${parts.n === 1 ? whole : `${inColumn} ${exact(parts.at(0, j))}`}.`,
    next: parts.n > 1 && `${label(1)} is added to it, number by number: ${inColumn} ${plus(parts.at(0, j), parts.at(1, j))} = ${exact(sums[2][j])}.` +
      (parts.n === 2 ? ` T${whole.slice(1)}.` : ""),
    rest: `So ${others === 1 ? "is the last row" : `are the other ${others} rows`}; ${whole}.`,
  };
}

const plus = (a, b) => `${exact(a)} ${b < 0 ? "−" : "+"} ${exact(Math.abs(b))}`;

function enterRows(layer, { places: [onParts, onSum], colours }, sums, column, { from, to }) {
  const { matrix: parts } = onParts;
  const soFar = node("g", {}, layer);
  const copies = Array.from({ length: to - from }, (_, k) => drawFallingRow(layer, onParts, onSum, from + k, colours));
  let written = -1;
  return (t) => {
    const reached = from + (to - from) * t;
    copies.forEach((move, k) => move(within(0, (reached - from - k) / 0.85, 1)));
    const count = Math.floor(reached + 0.15);
    if (count === written) return;
    written = count;
    soFar.replaceChildren();
    if (count < parts.n) drawSoFar(soFar, onSum, sums[count], count, colours);
    outline(soFar, onSum, 0, 1, column, column + 1, "chosen");
  };
}

// In the sum's place: nothing yet, or as many rows as there are.
function drawSoFar(group, { matrix, x, y, uw, uh }, values, count, colours) {
  const box = { x, y, width: matrix.m * uw, height: uh };
  node("rect", { ...box, class: "ab-veil" }, group);
  if (count) drawCells(group, { ...matrix, values, at: (_, j) => values[j], edited: null, marks: null }, x, y, uw, uh, colours);
  else node("rect", { ...box, class: `ab-frame ab-${matrix.role}` }, group);
}

// One row in its colours, on its way down. It is gone where it arrives: the sum has it.
function drawFallingRow(layer, { matrix, x, y, uw, uh }, onSum, i, colours) {
  const cells = Array.from({ length: matrix.m }, (_, j) => colourOf(matrix.at(i, j), matrix, colours));
  const box = { x, width: matrix.m * uw, height: uh };
  const group = node("g", {}, layer);
  node("image", { ...box, href: picture({ n: 1, m: matrix.m }, cells).toDataURL(), preserveAspectRatio: "none", class: "ab-cells" }, group);
  node("rect", { ...box, class: "ab-chosen" }, group);
  return (share) => {
    shown(group, share > 0 && share < 1);
    for (const part of group.children) part.setAttribute("y", y + i * uh + (onSum.y - y - i * uh) * share);
  };
}
