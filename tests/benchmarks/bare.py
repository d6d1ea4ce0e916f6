"""The yardstick: the smallest Streamlit page, in a process that has imported and frozen what the
app imports."""

import gc
import sys

import streamlit as st

if "torch" not in sys.modules:  # once in a process
    import pyarrow  # noqa: F401
    import torch  # noqa: F401

    gc.collect()
    gc.freeze()
st.write("bare")
