// As much of a browser's page as modules ask for that draw nothing: import this before them.

export const window = Object.assign(globalThis, { window: globalThis });

const listening = () => ({ addEventListener() {}, removeEventListener() {} });

// Text has a width without a font: six tenths of its size for each letter.
const context = {
  font: "",
  measureText(text) { return { width: 0.6 * Number(this.font.match(/([\d.]+)px/)[1]) * [...text].length }; },
};

window.document = { ...listening(), createElement: () => ({ getContext: () => context }), querySelector: () => null };
