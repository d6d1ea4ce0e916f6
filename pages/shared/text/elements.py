"""Streamlit's elements. A sentence or component is built once, then resent with other data."""

import html as markup
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from pages.shared.server import run
from pages.shared.server.streamlit_internals import fill_component, fill_markdown, refill
from pages.shared.text import coloured, tables
from pages.shared.text.tables import Columns

if TYPE_CHECKING:
    import pandas as pd

title, header, latex, text, html = st.title, st.header, st.latex, st.text, st.html
container, columns = st.container, st.columns
code = coloured.code


def _sentence(draw: Callable[[str], Any]) -> Callable[[str], None]:
    def say(data: str) -> None:
        draw(data)

    draw_or_fill = refill(say, fill_markdown)
    return lambda body: draw_or_fill(data=body)


markdown, caption = _sentence(st.markdown), _sentence(st.caption)


def fold(label: str, key: str) -> AbstractContextManager | None:
    """Draw a folded part; return its container if it is open, or else None: draw nothing then. The
    link stores the open parts by `key`."""
    is_open = key in run.focus().open
    html(
        f'<button class="ab-fold" id="fold-{key}" type="button" data-fold="{key}"'
        f' aria-expanded="{str(is_open).lower()}">{markup.escape(label)}</button>'
    )
    return container(border=True, key=f"fold_{key}") if is_open else None


def draw_question(question: str, answer: str) -> None:
    """Draw a question with its answer folded."""
    with st.expander(question):
        st.markdown(answer)


def component(
    name: str, begins: str = "", js: str = "", css: str | None = None
) -> Callable[..., None]:
    """Return a function that draws a component with a key and bytes. The function `begins` of the
    explorer's scripts, or the script `js`, draws it; actions go to the address, not the server."""

    script = js or MOUNT.replace("%s", begins)

    def draw(key: str, data: bytes) -> None:
        # Registered on drawing: Streamlit 1.65 lists components by test, not by process.
        st.components.v2.component(name, js=script, css=css, isolate_styles=False)(
            key=key, data=data
        )

    return refill(draw, fill_component)


# The scripts are sent once as a component of their own; a component waits for them.
MOUNT = """
export default function (component) {
  if (window.attentionReady) return window.%s(component);
  let clean = null;
  const begin = () => { clean = window.%s(component); };
  window.addEventListener("attention-ready", begin, { once: true });
  return () => { window.removeEventListener("attention-ready", begin); if (clean) clean(); };
}
"""


def chart(columns: Columns, spec: dict[str, Any], key: str, alt: str) -> None:
    """Draw a chart of these columns with a specification from `charts`."""
    st.vega_lite_chart(tables.frame(columns), spec, key=key, alt=alt)


def plain_table(columns: Columns) -> None:
    """Draw a small table; its cells may be markdown."""
    st.table(tables.frame(columns), hide_index=True)


def table(
    columns: "Columns | pd.DataFrame",
    config: dict[str, Any] | None = None,
    *,
    alt: str,
    hide_index: bool = True,
) -> None:
    """Draw a sortable, searchable table. What is copied of its numbers are the numbers. Up to 20
    rows it is whole, so that the wheel over it turns the page."""
    rows = tables.frame(columns)
    shown = tables.write_numbers(rows)
    height: Literal["content", "auto"] = "content" if len(rows) <= 20 else "auto"
    st.dataframe(shown, height=height, hide_index=hide_index, column_config=config, alt=alt)
