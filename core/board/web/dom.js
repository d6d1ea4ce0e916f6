// Creates elements and appends them to their parent. Text typed by a user is always set as
// textContent, never as markup.

export const SVG = "http://www.w3.org/2000/svg";

export function fill(made, attributes, parent, text) {
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
}

// An HTML element.
export function make(name, attributes, parent, text) {
    return fill(document.createElement(name), attributes, parent, text);
}

// An SVG element.
export function node(name, attributes, parent, text) {
    return fill(document.createElementNS(SVG, name), attributes, parent, text);
}

// A text of an SVG drawing, of a class, at a point.
export function drawText(parent, text, x, y, kind, attributes = {}) {
    return node("text", { x, y, class: kind, ...attributes }, parent, text);
}

// Sets only the attributes and text that changed: the rest costs the browser nothing.
export function updateElement(element, attributes, text) {
    for (const [key, value] of Object.entries(attributes)) {
        if (element.getAttribute(key) !== `${value}`) element.setAttribute(key, value);
    }
    if (text !== undefined && element.textContent !== text) element.textContent = text;
}

// A button with its click handler.
export function makeButton(parent, text, act, attributes = {}) {
    const made = make("button", { type: "button", ...attributes }, parent, text);
    made.addEventListener("click", act);
    return made;
}

// Offers a file for download.
export function download(name, blob) {
    const link = make("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000); // the download has started by then
}

// Listens until the drawing is redrawn.
export function listen(svg, kind, act) {
    svg.drawn ??= new AbortController();
    svg.addEventListener(kind, act, { signal: svg.drawn.signal });
}

// Stops a handled key event, so that it does not also turn the page.
export function consumeEvent(event) {
    event.preventDefault();
    event.stopPropagation();
}
