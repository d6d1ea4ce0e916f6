"""What a model takes of a server's memory, in words. No Streamlit here."""

from core.pretrained.folders import LARGE
from core.pretrained.hub import MB

TENTH = MB // 10


def write_size(size: int) -> str:
    """Return a number of bytes as megabytes, or gigabytes from a thousand on.

    >>> write_size(90_868_376), write_size(1_503_300_328)
    ('90.9 MB', '1.5 GB')
    """
    if size < TENTH:
        return "less than 0.1 MB"
    megabytes = size / MB
    return f"{megabytes / 1000:.1f} GB" if megabytes >= 1000 else f"{megabytes:.1f} MB"


def explain_memory(needed: int, free: int | None) -> str:
    """Return what a large model takes of a server's memory, and whether it is there; "" for a small
    one with room.

    >>> explain_memory(1_400_000_000, 9_000_000_000)
    'takes 1.4 GB of memory; 9.0 GB are free'
    >>> explain_memory(1_400_000_000, 500_000_000)
    'takes 1.4 GB of memory, and 500.0 MB are free: it would be slow, or end the server'
    >>> explain_memory(300_000_000, 900_000_000), explain_memory(1_400_000_000, None)
    ('', 'takes 1.4 GB of memory')
    """
    is_short = free is not None and free < needed
    if needed < LARGE and not is_short:
        return ""
    takes = f"takes {write_size(needed)} of memory"
    if free is None:
        return takes
    there = f"{write_size(free)} are free"
    return (
        f"{takes}, and {there}: it would be slow, or end the server"
        if is_short
        else f"{takes}; {there}"
    )
