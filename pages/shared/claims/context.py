"""What the context's page says of a mixture. No Streamlit here."""

from torch import Tensor

from pages.shared.words import number


def mixture(column: int, values: Tensor, context: Tensor) -> str:
    """Where one column of the context lies, beside the values (key,) it is mixed from; `column` counts from 1."""
    low, high = values.min().item(), values.max().item()
    leaves = context.min().item() < low or context.max().item() > high
    but = ", but for rounding" if leaves else ""
    if low == high:
        return (
            f"A mixture never leaves what it is mixed from: in column {column} all values are {number(low)}, and so is every "
            f"word's context{but}."
        )
    return (
        f"A mixture never leaves what it is mixed from: in column {column} the values lie between {number(low)} and "
        f"{number(high)}, and so does every word's context{but}."
    )
