// A press counts for what it went down on. An answer may draw that part of the page anew while the
// reader's finger is down, or something above it may grow, or its panel scroll; then the browser
// gives no click at the release, or gives it to the page or to the neighbour, and an act would be
// lost or another made. A part that moved under a hand that stayed is clicked where it was pressed.
// Where it was drawn anew, what stands there by then is clicked, if it is of the same kind on the
// same page; for the space bar, what has the focus by then. Where nothing like it stands there any
// more, a link is followed all the same: it says by itself where it leads. A finger on glass needs
// none of this: its press and its click come at its release.

const CLICKED = "a[href], button, label, summary, svg";
const BY_SPACE = "button, summary";
const STILL = 8; // pixels: a hand that goes further lets go elsewhere on purpose

function followGone(link) {
    const copy = document.body.appendChild(link.cloneNode());
    copy.click();
    copy.remove();
}

const clickAt = (target, clientX, clientY) =>
    target.dispatchEvent(
        new MouseEvent("click", { bubbles: true, cancelable: true, clientX, clientY }),
    );

// How far a pressed part has gone since, if that makes a difference: within a picture it does for
// every cell.
function wentAway({ part, from }, releasedOn) {
    const to = part.getBoundingClientRect(), x = to.x - from.x, y = to.y - from.y;
    const elsewhere = part.localName === "svg" || !part.contains(releasedOn);
    return elsewhere && Math.hypot(x, y) >= 1 ? { x, y } : null;
}

export function beginPressing() {
    const kind = (target) => {
        const part = target.closest?.(CLICKED);
        return part &&
            [location.pathname, part.tagName, part.getAttribute("class"), part.dataset.sets].join();
    };
    let pressed = null;
    const press = ({ target, clientX: x, clientY: y }) => {
        const part = target.closest?.(CLICKED);
        pressed = part &&
            { target, part, kind: kind(part), x, y, from: part.getBoundingClientRect() };
    };
    const release = ({ target, clientX, clientY }) => {
        if (!pressed) return;
        const mine = pressed,
            stands = mine.target.checkVisibility(),
            again = kind(target) === mine.kind;
        const stayed = Math.hypot(clientX - mine.x, clientY - mine.y) < STILL;
        mine.went = stands && stayed && wentAway(mine, target);
        if (stands && !mine.went) return;
        setTimeout(() => { // the browser's own click, if there is one, comes first
            if (pressed !== mine) return;
            pressed = null;
            if (mine.went) clickAt(mine.target, clientX + mine.went.x, clientY + mine.went.y);
            else if (again) clickAt(target, clientX, clientY);
            else if (mine.part.href && stayed) followGone(mine.part);
        });
    };
    const click = (event) => {
        if (pressed?.went && event.isTrusted) { // at what it was not meant for
            event.preventDefault();
            event.stopImmediatePropagation();
        } else if (pressed && kind(event.target) === pressed.kind) pressed = null;
    };
    const heard = { // by the event that begins or ends a press
        pointerdown: (
            event,
        ) => (event.button || event.pointerType === "touch" ? (pressed = null) : press(event)),
        pointerup: release,
        keydown: (event) =>
            event.key === " " && !event.repeat && event.target.matches?.(BY_SPACE) && press(event),
        keyup: (event) => event.key === " " && release(event),
        click,
    };
    for (const [name, hear] of Object.entries(heard)) {
        addEventListener(name, /** @type {EventListener} */ (hear), true);
    }
}
