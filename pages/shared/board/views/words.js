// View: the sentence, the followed words in the colours of their roles.

function drawWords(host, data) {
  host.replaceChildren();
  const line = make("div", { class: "ab-sentence" }, host);
  data.words.forEach((word, k) => {
    make("span", k === data.query ? { class: "ab-q" } : k === data.key ? { class: "ab-k" } : {}, line, word);
  });
  make("div", { class: "ab-followed" }, host, data.said);
}
