// The keys of a lecture that Streamlit's buttons do not have, and two windows that go together.
//
// Right, Left and Home belong to the buttons at the foot. Space and the keys of a presenter's remote control press
// the same buttons. A window with the speaker's notes follows the projected one, and leads it, in the same browser.

const FOOT = { on: ":is(.st-key-next, .st-key-page_after)", back: ":is(.st-key-previous, .st-key-page_before)" };
const press = (way) => document.querySelector(`${FOOT[way]} button`)?.click();
const KEYS = { " ": "on", PageDown: "on", PageUp: "back" };
const inUse = (element) => element?.closest("input, textarea, select, button, a, summary, [role=slider], [role=radio], [role=application], [contenteditable]");

function onKey(event) {
  const key = KEYS[event.key];
  if (!key || event.repeat || event.ctrlKey || event.metaKey || event.altKey || inUse(document.activeElement)) return;
  event.preventDefault();
  press(key);
}

// A click with the mouse leaves no focus on a button, or the next Space would press that one again.
const onClick = (event) => event.detail > 0 && event.target.closest?.("button")?.blur();

function address() {
  const link = new URLSearchParams(location.search);
  const notes = link.get("notes") === "on";
  link.delete("notes");
  link.delete("lecture");
  link.sort();
  return { path: location.pathname, query: link.toString(), notes };
}

function goTogether() {
  const channel = new BroadcastChannel("attention-lecture");
  const same = (a, b) => a.path === b.path && a.query === b.query;
  let last = address();
  const timer = setInterval(() => {
    const here = address();
    if (same(here, last)) return;
    last = here;
    channel.postMessage(here);
  }, 150);
  channel.onmessage = ({ data }) => {
    const here = address();
    if (data.ask) {
      if (!here.notes) channel.postMessage(here);
      return;
    }
    if (data.notes === here.notes || same(data, here)) return; // two audiences do not lead each other
    last = { ...data, notes: here.notes };
    const link = new URLSearchParams(data.query);
    link.set(here.notes ? "notes" : "lecture", "on");
    history.pushState(null, "", `${data.path}?${link}`);
    window.dispatchEvent(new PopStateEvent("popstate"));
  };
  if (last.notes) channel.postMessage({ ask: true }); // the speaker's window opens where the class is
  return () => { clearInterval(timer); channel.close(); };
}

// Streamlit remembers whether a visitor had the sidebar open, and then heeds no page's wish: the setup is folded away here.
function foldSetup() {
  const sidebar = document.querySelector("[data-testid=stSidebar]");
  if (sidebar?.dataset.collapsed === "false") document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click();
  // The switch that began the lecture goes with it: it must not keep the arrow keys.
  if (sidebar?.contains(document.activeElement)) document.activeElement.blur();
}

let end = null; // a rerun may call the function below again

export default () => {
  if (!end) {
    foldSetup();
    document.addEventListener("keydown", onKey);
    document.addEventListener("click", onClick);
    const part = goTogether();
    document.documentElement.dataset.lecture = "listening"; // from here on a key counts
    end = () => {
      delete document.documentElement.dataset.lecture;
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("click", onClick);
      part();
      end = null;
    };
  }
  return end;
};
