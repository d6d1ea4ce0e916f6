// A changed setup: where a matrix keeps its words and its shape, the colours of its cells go from
// what they were to what they are, so that the eye sees what changed. The numbers on them are the
// new ones at once.

import { lessMotion } from "./screen.js";

const BLEND = 300; // milliseconds

// The cells' pictures in the drawing of these data, by matrix and labels.
export function cellsIn(host, { matrices = [] } = {}) {
    const labels = Object.fromEntries(
        matrices.map(({ name, rows, columns }) => [name, `${rows} × ${columns}`]),
    );
    const called = ({ dataset: { name } }, k) => `${k} ${name} ${labels[name]}`;
    const groups = [...host.querySelectorAll(".ab-matrix")];
    return new Map(groups.map((group, k) => [called(group, k), group.querySelector(".ab-cells")]));
}

// What was there before lies over what is there now, and fades. Where nothing changed, nothing is
// done.
export function blendFrom(before, host) {
    if (!before.size || lessMotion()) return;
    for (const [matrix, image] of cellsIn(host, host.drawing)) {
        const old = before.get(matrix)?.getAttribute("href");
        if (!old || old === image.getAttribute("href")) continue;
        const fading = image.cloneNode();
        fading.setAttribute("href", old);
        fading.setAttribute("class", "ab-before");
        image.after(fading);
        fading.animate([{ opacity: 1 }, { opacity: 0 }], BLEND).onfinish = () => fading.remove();
    }
}
