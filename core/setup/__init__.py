"""Every choice that decides a number, with presets, constraints and edits."""
