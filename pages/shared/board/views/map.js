// View: the whole computation, each part a link to its page.

function drawMap(host, data, send, colours) {
  host.replaceChildren();
  const map = make("div", { class: "ab-map" }, host);
  for (const stage of data.stages) {
    const link = make("a", { class: "ab-stage", href: stage.href }, map);
    make("span", { class: "ab-stage-title" }, link, stage.title);
    const pictures = make("span", { class: "ab-stage-pictures" }, link);
    const high = (stage.matrices.length > 1 ? 34 : 110) * (data.lecture ? 0.6 : 1);
    for (const given of stage.matrices) drawFigure(pictures, given, high, colours);
    make("span", { class: "ab-stage-text" }, link, stage.text);
  }
}

// A matrix as a small picture, or a list of words, with its name and shape below.
function drawFigure(pictures, given, high, colours) {
  const figure = make("span", { class: "ab-stage-figure" }, pictures);
  if (given.words) {
    const list = make("span", { class: "ab-stage-words" }, figure);
    given.words.forEach((word) => make("span", { class: "ab-stage-word" }, list, word));
  } else {
    figure.appendChild(thumbnail(read(given), high, colours));
  }
  const name = make("span", { class: "ab-stage-name" }, figure);
  make("b", { class: `ab-symbol ab-${given.role}` }, name, given.title);
  make("span", { class: "ab-shape" }, name, ` ${given.shape}`);
}

function thumbnail(matrix, high, colours) {
  const canvas = picture(matrix, coloursOf(matrix, colours));
  const size = Math.min(170 / matrix.m, high / matrix.n, 16);
  canvas.className = `ab-thumb ab-${matrix.role}`;
  canvas.style.width = `${Math.max(matrix.m * size, 8)}px`;
  canvas.style.height = `${Math.max(matrix.n * size, 8)}px`;
  return canvas;
}
