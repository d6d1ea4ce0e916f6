"""Streamlit's elements. Each is sent again, and not made anew, where nothing of it changed."""

from collections import OrderedDict
from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pyarrow as pa
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.proto.Element_pb2 import Element

from pages.shared import coloured, state
from pages.shared.drawings import kept, kept_block, refilled
from pages.shared.runtime import holds

title = kept(st.title)
header = kept(st.header)
latex = kept(st.latex)
code = kept(coloured.code)
html = kept(st.html)
plain_table = kept(st.table)


MOST_SENTENCES = 512  # ten pages' or so
_said: OrderedDict[str, None] = OrderedDict()


def _was_said(body: str) -> bool:
    """Whether this is among the latest sentences that were said, to whomever. From now on it is."""
    was_said = body in _said
    _said[body] = None
    _said.move_to_end(body)
    if len(_said) > MOST_SENTENCES:
        _said.popitem(last=False)
    return was_said


def _sentence(draw: Callable[[str], Any]) -> Callable[[str], None]:
    """A sentence. Many are the same each time, the others differ by a number only."""

    def say(data: str) -> None:
        draw(data)

    def fill(element: Element, data: str) -> None:
        message = element.text if draw is st.text else element.html if draw is st.html else element.markdown
        message.body = dedent(data).strip()

    draw_or_fill = refilled(say, fill, empty="", keeps=_was_said)
    return lambda body: draw_or_fill(data=body)


markdown = _sentence(st.markdown)
caption = _sentence(st.caption)
text = _sentence(st.text)
html_of_setup = _sentence(st.html)  # markup with a link or a number of the reader's; no styles, which go to another place

slider = kept(st.slider)
segmented_control = kept(st.segmented_control)
selectbox = kept(st.selectbox)
multiselect = kept(st.multiselect)
number_input = kept(st.number_input)
text_input = kept(st.text_input)
text_area = kept(st.text_area)
_file_uploader = kept(st.file_uploader)

_button = kept(st.button)


def button(label: str, key: str, **named: Any) -> bool:
    """Whether it was pressed just now."""
    is_pressed = bool(holds(key))
    _button(label, key=key, fresh=is_pressed, **named)
    return is_pressed


def file_uploader(label: str, key: str, **named: Any) -> bytes | None:
    """What the file holds that was chosen; None where there is none."""
    _file_uploader(label, key=key, **named)
    chosen = holds(key)
    return chosen.getvalue() if chosen else None


container = kept_block(st.container)
columns = kept_block(st.columns)
expander = kept_block(st.expander)


@kept_block
def _fold(label: str, key: str, expanded: bool, opened: bool | None) -> DeltaGenerator:
    """`opened` is what the browser holds, None where it has not been told of it yet."""
    return st.expander(label, expanded=expanded, key=key, on_change="rerun")


def fold(label: str, key: str, expanded: bool = False, stays: bool = True) -> DeltaGenerator | None:
    """A part that unfolds: where it is open, the place to draw in. What is folded away costs nothing else.

    One that `stays` is as the reader left it when its page is opened again.
    """
    if stays:
        state.leave_as_it_was(key, expanded)
    place = _fold(label, key, expanded, holds(key))
    return place if state.remember(key) else None  # asked now: one that is drawn otherwise than before begins anew


@kept
def explained(question: str, answer: str) -> None:
    """A question with its answer folded away."""
    with st.expander(question):
        st.markdown(answer)


def mounted(component: Callable[..., Any], reports: bool = False) -> Callable[..., None]:
    """A component that is given a key and bytes; `reports` says whether it sends anything back."""

    def fill(element: Element, data: bytes) -> None:
        element.bidi_component.bytes = data

    return refilled(component, fill, empty=b"", reports=reports)


def _draw_chart(spec: dict[str, Any], key: str, data: tuple[pa.Table, str]) -> None:
    st.vega_lite_chart(data[0], spec, key=key, alt=data[1])


def _fill_chart(element: Element, data: tuple[pa.Table, str]) -> None:
    element.vega_lite_chart.data.data, element.vega_lite_chart.alt = _arrow(data[0]), data[1]


_chart = refilled(_draw_chart, _fill_chart, empty=(pa.table({}), ""))


def chart(table: pa.Table, spec: dict[str, Any], key: str, alt: str) -> None:
    """A chart of a table, as a specification says."""
    _chart(spec, key, data=(table, alt))


def _draw_table(height: int | str, columns: dict[str, Any], data: tuple[pa.Table, str]) -> None:
    st.dataframe(data[0], hide_index=True, height=height, column_config=columns, alt=data[1])


def _fill_table(element: Element, data: tuple[pa.Table, str]) -> None:
    element.dataframe.arrow_data.data, element.dataframe.alt = _arrow(data[0]), data[1]


_table = refilled(_draw_table, _fill_table, empty=(pa.table({}), ""))


def table(table: pa.Table, columns: dict[str, Any], alt: str, height: int | str = "auto") -> None:
    """A table that can be sorted and searched."""
    _table(height, columns, data=(table, alt))


def _arrow(table: pa.Table) -> bytes:
    """As Streamlit sends it."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()
