// After a change of the setup, the cells of each matrix that keeps its labels and shape fade from
// the old colours to the new ones. The printed numbers change at once.

import { prefersLessMotion } from "./preferences.js";

const BLEND = 300; // milliseconds

// The image elements of the cells in the drawing of these data, by matrix and labels.
export function findCells(host, { matrices = [] } = {}) {
    const labels = Object.fromEntries(
        matrices.map(({ name, rows, columns }) => [name, `${rows} × ${columns}`]),
    );
    const called = ({ dataset: { name } }, k) => `${k} ${name} ${labels[name]}`;
    const groups = [...host.querySelectorAll(".ab-matrix")];
    return new Map(groups.map((group, k) => [called(group, k), group.querySelector(".ab-cells")]));
}

// Puts the old image over the new one and fades it out; skips matrices that did not change.
export function blendFrom(before, host) {
    if (!before.size || prefersLessMotion()) return;
    for (const [matrix, image] of findCells(host, host.drawing)) {
        const old = before.get(matrix)?.getAttribute("href");
        if (!old || old === image.getAttribute("href")) continue;
        const fading = image.cloneNode();
        fading.setAttribute("href", old);
        fading.setAttribute("class", "ab-before");
        image.after(fading);
        fading.animate([{ opacity: 1 }, { opacity: 0 }], BLEND).onfinish = () => fading.remove();
    }
}
