// In a page that was saved as a file: each board is drawn of the numbers that the file holds, again where its colours change.
{
  const boards = JSON.parse(document.getElementById("boards").textContent);
  const drawAll = () => document.querySelectorAll("figure.board, figure.sum").forEach((figure, k) => {
    const draw = figure.matches(".board") ? window.attentionBoard : window.attentionRunningSum;
    draw({ data: new TextEncoder().encode(boards[k]), parentElement: figure });
  });
  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
}
