// A minimal browser page for modules that draw nothing: import it before them. And boards' data for
// tests.

export const window = Object.assign(globalThis, {
    window: globalThis,
    location: new URL("http://here/"),
});

// Text without a font: each letter is six tenths of the font size wide.
const context = {
    font: "",
    measureText(text) {
        return { width: 0.6 * Number(this.font.match(/([\d.]+)px/)[1]) * [...text].length };
    },
};

class Element {
    children = [];
    attributes = {};
    addEventListener() {}
    getContext() {
        return context;
    }
    setAttribute(name, value) {
        this.attributes[name] = String(value);
    }
    appendChild(child) {
        this.children.push(child);
    }
}

window.document = Object.assign(new Element(), {
    createElement: () => new Element(),
    createElementNS: () => new Element(),
    querySelector: () => null,
});

const base64 = (array) => btoa(String.fromCharCode(...new Uint8Array(array.buffer)));
export const packed = (values) => base64(Float32Array.from(values));
export const packedShares = (values) =>
    base64(Uint16Array.from(values, (v) => Math.round(65535 * v)));

// A matrix of ones, unless `more` overrides it.
export function matrix(n, m, word = "word", more = {}) {
    const labels = { rows: Array(n).fill(word), columns: Array(m).fill(word) };
    return {
        name: "m",
        title: "m",
        shape: `${n} × ${m}`,
        role: "x",
        n,
        m,
        values: packed(Array(n * m).fill(1)),
        ...labels,
        ...more,
    };
}

// A place of a matrix of n rows and m columns.
export const place = (name, n, m, x, y, uw = 10, uh = 10) => ({
    matrix: { name, n, m },
    x,
    y,
    uw,
    uh,
});

export const ROOM = { w: 1000, h: 1000, fit: false, scale: 1 };
