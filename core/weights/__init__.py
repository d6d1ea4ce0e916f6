"""The weights of a trace: drawn, trained, the user's or a real model's, then edited."""
