"""How a field of a setup is declared, and the kinds that hold text or matrices."""
