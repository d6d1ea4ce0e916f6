"""The yardstick: the smallest Streamlit page, in a process that has imported the same packages."""

import streamlit as st

from tests.benchmarks import same_imports  # noqa: F401

st.write("bare")
