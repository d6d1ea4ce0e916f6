"""Streamlit's elements, each sent again as it was where nothing of it changed."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared.runtime import kept, kept_block

title = kept(st.title)
header = kept(st.header)
markdown = kept(st.markdown)
caption = kept(st.caption)
text = kept(st.text)
latex = kept(st.latex)
code = kept(st.code)
html = kept(st.html)

slider = kept(st.slider)
segmented_control = kept(st.segmented_control)
selectbox = kept(st.selectbox)
multiselect = kept(st.multiselect)
number_input = kept(st.number_input)
text_input = kept(st.text_input)
text_area = kept(st.text_area)

container = kept_block(st.container)
expander = kept_block(st.expander)


@kept_block
def _fold(label: str, key: str, expanded: bool, opened: bool | None) -> DeltaGenerator:
    """`opened` is what the browser holds, None where it has not been told of it yet."""
    return st.expander(label, expanded=expanded, key=key, on_change="rerun")


def fold(label: str, key: str, expanded: bool = False) -> DeltaGenerator | None:
    """A part that unfolds: where it is open, the place to draw in. What is folded away costs nothing else."""
    place = _fold(label, key, expanded, st.session_state.get(key))
    return place if st.session_state[key] else None


@kept
def explained(question: str, answer: str) -> None:
    """A question with its answer folded away."""
    with st.expander(question):
        st.markdown(answer)
