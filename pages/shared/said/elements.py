"""Streamlit's elements. A sentence or a component is made once, and sent again with other data."""

import html as markup
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared.said import coloured, tables
from pages.shared.said.tables import Columns
from pages.shared.server import run
from pages.shared.server.inside import fill_component, fill_markdown, refill

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


def fold(
    label: str, key: str, opened: bool = False, closes: str = ""
) -> AbstractContextManager | None:
    """Draw a part that unfolds; where it is open, return the place to draw in. What is folded away
    costs nothing else.

    Which are open stands in the link, by `key`. One that is `opened` by another field of the link
    is closed with the one that it `closes`; where none is named it stands open.
    """
    is_open = opened or key in run.focus().open
    closing = f' data-closes="{closes}"' if closes else " disabled" if opened else ""
    html(
        f'<button class="ab-fold" id="fold-{key}" type="button" data-fold="{key}"{closing}'
        f' aria-expanded="{str(is_open).lower()}">{markup.escape(label)}</button>'
    )
    return container(border=True, key=f"fold_{key}") if is_open else None


def draw_question(question: str, answer: str) -> None:
    """Draw a question with its answer folded away."""
    with st.expander(question):
        st.markdown(answer)


def component(
    name: str, begins: str = "", js: str = "", css: str | None = None
) -> Callable[..., None]:
    """Draw a component of ours that is given a key and bytes. What draws it is a function of the
    explorer's scripts, which `begins`, or a script of its own. None says anything to the server:
    its acts are written into the address."""

    script = js or MOUNT.replace("%s", begins)

    def draw(key: str, data: bytes) -> None:
        # Registered where it is drawn: Streamlit 1.65 has a list of components for each test, not
        # for the process.
        st.components.v2.component(name, js=script, css=css, isolate_styles=False)(
            key=key, data=data
        )

    return refill(draw, fill_component)


# The scripts go to a browser once, as a component of their own; until they are there a component
# waits for them.
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
    """Draw a chart of these columns, as one of `charts` says."""
    st.vega_lite_chart(tables.frame(columns), spec, key=key, alt=alt)


def plain_table(columns: Columns) -> None:
    """Draw a small table, whose cells may be markdown."""
    st.table(tables.frame(columns), hide_index=True)


def table(
    columns: "Columns | pd.DataFrame",
    config: dict[str, Any] | None = None,
    *,
    alt: str,
    hide_index: bool = True,
) -> None:
    """Draw a table that can be sorted and searched."""
    st.dataframe(tables.frame(columns), hide_index=hide_index, column_config=config, alt=alt)
