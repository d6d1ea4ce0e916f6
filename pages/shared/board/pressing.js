// A press that outlasts what was pressed. An answer may draw a part of the page anew while the reader's finger is down; then
// the browser gives no click at the release, and an act would be lost. What stands there by then gets it, if it is of the same
// kind on the same page; for the space bar, what has the focus by then. A finger on glass needs none of this: its press and its
// click come at its release.

const CLICKED = "a[href], button, summary, svg";
const BY_SPACE = "button, summary";

function beginPressing() {
  const kind = (target) => {
    const part = target.closest?.(CLICKED);
    return part && [location.pathname, part.tagName, part.getAttribute("class"), part.dataset.sets].join();
  };
  let pressed = null;
  const press = (target) => { pressed = { target, kind: kind(target) }; };
  const release = ({ target, clientX, clientY }) => {
    if (!pressed?.kind || pressed.target.isConnected || kind(target) !== pressed.kind) return;
    const mine = pressed;
    setTimeout(() => { // the browser's own click, if there is one, comes first
      if (pressed === mine) target.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, clientX, clientY }));
    });
  };
  const heard = { // by the event that begins or ends a press
    pointerdown: (event) => (event.button || event.pointerType === "touch" ? (pressed = null) : press(event.target)),
    pointerup: release,
    keydown: ({ key, repeat, target }) => key === " " && !repeat && target.matches?.(BY_SPACE) && press(target),
    keyup: (event) => event.key === " " && release(event),
    click: () => { pressed = null; },
  };
  for (const [name, hear] of Object.entries(heard)) addEventListener(name, hear, true);
}
