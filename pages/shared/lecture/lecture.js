// In a lecture the setup is folded away, and two windows go together: one with the speaker's notes follows the
// projected one, and leads it, in the same browser. Keys are the address's own.

// A click with the mouse leaves no focus on a button, or the next Space would press that one again.
const onClick = (event) => event.detail > 0 && event.target.closest?.("button, .ab-steps a")?.blur();

const parametersHere = () => new URLSearchParams(window.attentionAddress.here().link);

function shared() {
  const { page } = window.attentionAddress.here();
  const parameters = parametersHere();
  const notes = parameters.get("notes") === "on";
  parameters.delete("notes");
  parameters.delete("lecture");
  parameters.sort();
  return { page, link: parameters.toString(), notes };
}

function goTogether() {
  const channel = new BroadcastChannel("attention-lecture");
  const same = (a, b) => a.page === b.page && a.link === b.link;
  let last = shared();
  const onMove = () => {
    const here = shared();
    if (same(here, last)) return;
    last = here;
    channel.postMessage(here);
  };
  window.addEventListener("attention-moved", onMove);
  channel.onmessage = ({ data }) => {
    const here = shared();
    if (data.ask) {
      if (!here.notes) channel.postMessage(here);
      return;
    }
    if (data.notes === here.notes || same(data, here)) return; // two audiences do not lead each other
    last = { ...data, notes: here.notes };
    const parameters = new URLSearchParams(data.link);
    parameters.set(here.notes ? "notes" : "lecture", "on");
    window.attentionAddress.follow(data.page, parameters.toString());
  };
  if (last.notes) channel.postMessage({ ask: true }); // the speaker's window opens where the class is
  return () => { window.removeEventListener("attention-moved", onMove); channel.close(); };
}

// Streamlit remembers that a reader unfolded the sidebar, and then heeds no page's wish: the setup is folded away here. It would
// also remember that as the reader's own act: that note goes, or the setup stayed folded after the lecture.
function foldSetup() {
  const sidebar = document.querySelector("[data-testid=stSidebar]");
  if (sidebar?.dataset.collapsed === "false") {
    document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click();
    for (const note of Object.keys(localStorage)) if (note.startsWith("stSidebarCollapsed")) localStorage.removeItem(note);
  }
  // The switch that began the lecture goes with it: it must not keep the arrow keys.
  if (sidebar?.contains(document.activeElement)) document.activeElement.blur();
}

let end = null; // a rerun may call the function below again, and the answer that ends a lecture once more

const isOn = () => ["lecture", "notes"].some((name) => parametersHere().get(name) === "on");

function begin() {
  foldSetup();
  document.addEventListener("click", onClick);
  const part = goTogether();
  document.documentElement.dataset.lecture = "listening"; // from here on a key counts
  end = () => {
    delete document.documentElement.dataset.lecture;
    document.removeEventListener("click", onClick);
    part();
    end = null;
  };
}

export default () => {
  const start = () => { if (!end && isOn()) begin(); };
  if (window.attentionReady) start();
  else window.addEventListener("attention-ready", start, { once: true });
  window.addEventListener("attention-moved", start);
  return () => {
    window.removeEventListener("attention-ready", start);
    window.removeEventListener("attention-moved", start);
    end?.();
  };
};
