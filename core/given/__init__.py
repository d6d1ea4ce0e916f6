"""Numbers that people bring: read from text, held exactly, and checked as a teacher checks them."""
