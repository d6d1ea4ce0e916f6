"""Exercises and questions, and the judgement of an answer."""
