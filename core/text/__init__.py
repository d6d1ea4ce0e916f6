"""Sentences as tokens, and numbers as text."""
