"""Self-attention, step by step, with every intermediate number kept by name.

Nothing here knows how it is shown: torch and the standard library only, until a real model is read.
Nothing here touches torch's settings either, its threads least of all: those belong to whoever
imports this.
"""
