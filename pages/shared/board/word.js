// A place in the sentence as a list of its words. The link holds the place's number, as where a cell is clicked.

window.attentionWord = ({ data: bytes, parentElement }) => {
  const { name, label, help, words, chosen } = JSON.parse(new TextDecoder().decode(bytes));
  let list = parentElement.querySelector("select");
  if (!list) {
    const field = make("label", { class: "ab-word", title: help }, parentElement);
    make("span", {}, field, label);
    list = make("select", {}, field);
    list.addEventListener("change", () => {
      window.attentionAddress.choose({ fields: { [name]: "row" }, by_matrix: {}, most: {} }, { row: list.selectedIndex });
    });
  }
  if (`${[...list.options].map((option) => option.text)}` !== `${words}`) {
    list.replaceChildren();
    words.forEach((word) => make("option", {}, list, word));
  }
  // An answer may be older than the last choice, which stands in the link.
  const place = Number(new URLSearchParams(location.search).get(name)) || chosen;
  list.selectedIndex = Math.min(Math.max(place, 1), words.length) - 1;
};
