"""The browser's side of the link: a script that writes the address and sends it, and the presets, which are links too."""

import json
from pathlib import Path
from typing import Any

import streamlit as st

from core import setup as core_setup
from core.edits import DECIMALS, LARGEST, MOST_EDITS
from pages.shared import edits, elements, glossary, link, state
from pages.shared.beats import route
from pages.shared.focus import CHOICES
from pages.shared.runtime import holds, sent_last
from pages.shared.steps import STEPS

SCRIPT = (Path(__file__).parent / "address.js").read_text(encoding="utf-8")
MOUNT = """
export default function (component) {
  if (window.attentionReady) return void window.attentionAddress.mount(component);
  const begin = () => window.attentionAddress.mount(component);
  window.addEventListener("attention-ready", begin, { once: true });
  return () => window.removeEventListener("attention-ready", begin);
}
"""
_address = elements.mounted(st.components.v2.component("attention_link", js=MOUNT, isolate_styles=False), reports=True)


def constants() -> dict[str, Any]:
    """What the script needs to know of pages and fields: the same for all visitors, so it is sent once."""
    return {
        "pages": [
            {
                "path": step.path,
                "menu": step.menu,
                "numbered": step.menu != step.title,
                "beats": {kind: route(step.path, kind) for kind in CHOICES["route"]},
            }
            for step in STEPS
        ],
        "defaults": link.DEFAULT_PARAMETERS,
        "presets": {name: link.preset_changes(name) for name in link.PRESETS},
        "edits": {"most": MOST_EDITS, "largest": LARGEST, "decimals": DECIMALS},
        "setup": list(core_setup.DEFAULTS),
        "glossary": glossary.as_data(),
        "reset": dict.fromkeys((*core_setup.DEFAULTS, *link.PLACES)),
    }


def starts() -> None:
    """The presets, the way back to the defaults and the edits, in the sidebar. The same component brings the script its answer."""
    setup = state.setup()
    data = state.answer() | {"preset": link.preset_of(setup)} | ({"edits": edits.listed(setup)} if setup.changes else {})
    is_first = holds("link") is None
    # Last: when the script hears of an act's answer, all of it is on screen, and widgets hold what it wrote into them. Its
    # place has a container, so that it is there before what comes after it.
    with elements.container(key="link_place"), sent_last():
        _address(key="link", data=json.dumps(data).encode())
    if is_first:
        state.rerun_for_new_message()
