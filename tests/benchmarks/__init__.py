"""Measurements of the running app. No test: see README.md here."""
