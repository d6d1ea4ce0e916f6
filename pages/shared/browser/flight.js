// Turning a page: its small matrix in the bar grows to the large one on the stage. What flies lies
// over the page, takes no press and is waited for by nothing; where the board comes late or never,
// nothing flies.

import { make } from "../board/dom.js";
import { lessMotion } from "../board/screen.js";

const FLIGHT = 400; // milliseconds: how long it takes
const LATEST = 3000; // and how late a board may come
// the page that was turned to, the board of its figure, and until when that is expected
let turned = null;

export function beginFlights() {
    let { page } = window.attentionAddress.here();
    window.addEventListener("attention-moved", () => {
        const now = window.attentionAddress.here().page;
        if (now !== page) {
            const { figure } = window.attentionAddress.row();
            turned = figure && !lessMotion()
                ? { page: now, figure, until: performance.now() + LATEST }
                : null;
        }
        page = now;
    });
}

// What a board asks that was just drawn.
export function landOn(host) {
    if (!turned || !host.closest(`.st-key-${turned.figure}`)) return;
    const { page, until } = turned;
    turned = null;
    if (performance.now() < until) requestAnimationFrame(() => fly(page, host));
}

function fly(page, host) {
    const { view, matrices, main = 0, chosen: [row] } = host.drawing;
    const { name, role, n } = matrices[view === "product" ? 2 : main];
    const small = document.querySelector(`.ab-bar [data-page=${page}]`)?.querySelectorAll("rect");
    const large = host.querySelector(`[data-name="${CSS.escape(name)}"] .ab-cells`);
    if (!small?.length || !large || !host.isConnected) return;
    const [from, lit, to] = [small[0], [...small].at(-1), large].map((part) =>
        part.getBoundingClientRect()
    );
    if (!from.width) return; // in a lecture there is no bar
    const flying = make(
        "div",
        { class: `ab-flight ab-${role}`, "aria-hidden": "true" },
        document.body,
    );
    const box = ({ left, top, width, height }) => ({
        left: `${left}px`,
        top: `${top}px`,
        width: `${width}px`,
        height: `${height}px`,
    });
    const rows = (top, height) => ({ top: `${100 * top}%`, height: `${100 * height}%` });
    make("i", {}, flying).animate([
        rows((lit.top - from.top) / from.height, lit.height / from.height),
        rows(row / n, 1 / n),
    ], FLIGHT);
    const ends = () => flying.remove();
    flying.animate(
        [box(from), { ...box(to), opacity: 1, offset: 0.8 }, { ...box(to), opacity: 0 }],
        { duration: FLIGHT, easing: "ease-out" },
    )
        .finished.then(ends, ends);
}
