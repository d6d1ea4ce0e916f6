"""Import what the app imports and freeze it, once in a process, as the app does."""

import gc

import streamlit  # noqa: F401
import torch  # noqa: F401

gc.collect()
gc.freeze()
