"""Exercises and predictions, worded with the setup's tokens."""
