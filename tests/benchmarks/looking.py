"""A page that looks twice a second, by itself, whether a class has gone on: what a push to its
followers is held against."""

import streamlit as st

from tests.benchmarks import same_imports  # noqa: F401


@st.fragment(run_every=0.5)
def look() -> None:
    st.write("the class is at Scores")


look()
