// Links to copy, and the code of the chosen one. Whatever a link holds is set as text.

const SVG = "http://www.w3.org/2000/svg";

function make(name, parent, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.appendChild(made);
  return made;
}

// Without a secure address a page may not write to the clipboard: then the link is selected, to be copied by hand.
async function copy(link, field, said) {
  try {
    await navigator.clipboard.writeText(link);
    said.textContent = "Copied.";
  } catch {
    field.select();
    said.textContent = document.execCommand("copy") ? "Copied." : "Selected: copy it with Ctrl + C.";
  }
}

function draw(place, { name, link, code }) {
  place.replaceChildren();
  if (!code) {
    make("p", place, "This link is too long for a code: a shorter sentence fits.");
    return;
  }
  const size = Math.max(...code.match(/M\d+/g).map((x) => Number(x.slice(1)))) + 1;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `-4 -4 ${size + 8} ${size + 8}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `A QR code of the link: ${name}`);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", code);
  svg.appendChild(path);
  place.appendChild(svg);
}

export default function ({ data, parentElement }) {
  parentElement.querySelector(".links")?.remove();
  const all = make("div", parentElement, undefined, { class: "links" });
  const list = make("div", all, undefined, { class: "list" });
  const place = make("div", all, undefined, { class: "code" });
  const said = make("p", list, "", { role: "status" });
  data.forEach((entry, k) => {
    const row = make("div", list, undefined, { class: "row" });
    list.insertBefore(row, said);
    const choose = make("button", row, entry.name, { class: "name", type: "button", "aria-pressed": String(k === 0) });
    const field = make("input", row, undefined, { readonly: "", "aria-label": `Link: ${entry.name}` });
    field.value = entry.link;
    const button = make("button", row, "Copy", { type: "button", "aria-label": `Copy link: ${entry.name}` });
    button.addEventListener("click", () => copy(entry.link, field, said));
    choose.addEventListener("click", () => {
      for (const other of list.querySelectorAll(".name")) other.setAttribute("aria-pressed", String(other === choose));
      draw(place, entry);
    });
  });
  draw(place, data[0]);
}
