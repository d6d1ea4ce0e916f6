// View: a step on paper. Its matrices as tables with cells left blank, to be filled in by pencil, and below them, on a sheet of
// its own, the same with the answers.

function drawWorksheet(host, data) {
  host.replaceChildren();
  const [task, answers] = ["ab-task", "ab-answers"].map((kind) => make("div", { class: kind }, host));
  for (const matrix of data.given.map(read)) paperTable(task, matrix, () => false);
  for (const matrix of data.asked.map(read)) paperTable(task, matrix, isBlank(matrix), true);
  make("h2", {}, answers, "Answers");
  for (const matrix of data.asked.map(read)) paperTable(answers, matrix, isBlank(matrix), false);
}

// From a matrix's rows and columns, the last ones not among them.
const isBlank = ({ frame: [i0, i1, j0, j1] }) => (i, j) => i >= i0 && i < i1 && j >= j0 && j < j1;

function paperTable(parent, matrix, isAsked, blank) {
  const frame = make("div", { class: "ab-paper" }, parent);
  const table = make("table", { style: `--columns: ${matrix.m + 1}` }, frame);
  tableOf(table, matrix, `${matrix.title}, ${matrix.shape}`, (line, i, j) => {
    const asked = isAsked(i, j);
    make("td", asked ? { class: "ab-asked" } : {}, line, asked && blank ? "" : inFull(matrix, i, j));
  });
}
