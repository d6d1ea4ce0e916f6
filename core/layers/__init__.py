"""The forward path of one layer, kept step by step."""
