// New elements at the end of their parent. Whatever a reader typed becomes part of the page here,
// as textContent: as text, never as markup.

export const SVG = "http://www.w3.org/2000/svg";

export function fill(made, attributes, parent, text) {
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
}

// An element of HTML.
export function make(name, attributes, parent, text) {
    return fill(document.createElement(name), attributes, parent, text);
}

// An element of a drawing.
export function node(name, attributes, parent, text) {
    return fill(document.createElementNS(SVG, name), attributes, parent, text);
}

// Of what is there, only what is another: what stays costs the browser nothing.
export function renew(element, attributes, text) {
    for (const [key, value] of Object.entries(attributes)) {
        if (element.getAttribute(key) !== `${value}`) element.setAttribute(key, value);
    }
    if (text !== undefined && element.textContent !== text) element.textContent = text;
}

// A button, and what a press of it does.
export function press(parent, text, act, attributes = {}) {
    const made = make("button", { type: "button", ...attributes }, parent, text);
    made.addEventListener("click", act);
    return made;
}

// A file to keep.
export function download(name, blob) {
    const link = make("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000); // by then the browser has it
}

// Until the drawing is made anew.
export function listen(svg, kind, act) {
    svg.drawn ??= new AbortController();
    svg.addEventListener(kind, act, { signal: svg.drawn.signal });
}

// What a key did here is all that it does: it turns no page.
export function used(event) {
    event.preventDefault();
    event.stopPropagation();
}
