"""Entries of a computation, their cells, and how each was made."""
