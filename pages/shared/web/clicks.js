// A click goes to the element under pointerdown. Between press and release a rerun may redraw that
// element, or a change above it may move it; the browser then sends no click, or sends it to a
// neighbour. An element that moved under a still pointer is clicked where it was pressed. If it was
// redrawn, the element there now is clicked if it is of the same kind on the same page (for Space:
// the focused one). If there is none, a pressed link is followed anyway. Touch needs none of this:
// press and click both come at the release.

const CLICKED = "a[href], button, label, summary, svg";
const BY_SPACE = "button, summary";
const STILL = 8; // pixels: a longer move is a drag

function followRemovedLink(link) {
    const copy = document.body.appendChild(link.cloneNode());
    copy.click();
    copy.remove();
}

const clickAt = (target, clientX, clientY) =>
    target.dispatchEvent(
        new MouseEvent("click", { bubbles: true, cancelable: true, clientX, clientY }),
    );

// How far a pressed element has moved, if that matters: in a picture always, since every cell
// counts.
function hasMovedAway({ part, from }, releasedOn) {
    const to = part.getBoundingClientRect(), x = to.x - from.x, y = to.y - from.y;
    const elsewhere = part.localName === "svg" || !part.contains(releasedOn);
    return elsewhere && Math.hypot(x, y) >= 1 ? { x, y } : null;
}

export function beginClicks() {
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
        mine.went = stands && stayed && hasMovedAway(mine, target);
        if (stands && !mine.went) return;
        setTimeout(() => { // after the browser's own click, if any
            if (pressed !== mine) return;
            pressed = null;
            if (mine.went) clickAt(mine.target, clientX + mine.went.x, clientY + mine.went.y);
            else if (again) clickAt(target, clientX, clientY);
            else if (mine.part.href && stayed) followRemovedLink(mine.part);
        });
    };
    const click = (event) => {
        if (pressed?.went && event.isTrusted) { // a click on the wrong element
            event.preventDefault();
            event.stopImmediatePropagation();
        } else if (pressed && kind(event.target) === pressed.kind) pressed = null;
    };
    const heard = { // by the event that starts or ends a press
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
