// A press that outlasts what was pressed. An answer may draw a part of the page anew while the reader's finger is down; then
// the browser gives no click at the release, or gives it to the page, and an act would be lost. What stands there by then gets
// it, if it is of the same kind on the same page; for the space bar, what has the focus by then. Where nothing like it stands
// there any more, a link is followed all the same: it says by itself where it leads. A finger on glass needs none of this: its
// press and its click come at its release.

const CLICKED = "a[href], button, summary, svg";
const BY_SPACE = "button, summary";
const STILL = 8; // pixels: a hand that goes further lets go elsewhere on purpose

function followGone(link) {
  const copy = document.body.appendChild(link.cloneNode());
  copy.click();
  copy.remove();
}

function beginPressing() {
  const kind = (target) => {
    const part = target.closest?.(CLICKED);
    return part && [location.pathname, part.tagName, part.getAttribute("class"), part.dataset.sets].join();
  };
  let pressed = null;
  const press = ({ target, clientX, clientY }) => {
    pressed = { target, kind: kind(target), link: target.closest?.("a[href]"), x: clientX, y: clientY };
  };
  const release = ({ target, clientX, clientY }) => {
    if (!pressed?.kind || pressed.target.checkVisibility()) return;
    const mine = pressed, again = kind(target) === mine.kind;
    const stayed = Math.hypot(clientX - mine.x, clientY - mine.y) < STILL;
    setTimeout(() => { // the browser's own click, if there is one, comes first
      if (pressed !== mine) return;
      pressed = null;
      if (again) target.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, clientX, clientY }));
      else if (mine.link && stayed) followGone(mine.link);
    });
  };
  const heard = { // by the event that begins or ends a press
    pointerdown: (event) => (event.button || event.pointerType === "touch" ? (pressed = null) : press(event)),
    pointerup: release,
    keydown: (event) => event.key === " " && !event.repeat && event.target.matches?.(BY_SPACE) && press(event),
    keyup: (event) => event.key === " " && release(event),
    click: ({ target }) => { if (kind(target) === pressed?.kind) pressed = null; },
  };
  for (const [name, hear] of Object.entries(heard)) addEventListener(name, hear, true);
}
