"""What the context's page says of a mixture. No Streamlit here."""

from torch import Tensor

from pages.shared.words import number


def mixture(column: int, values: Tensor, context: Tensor) -> str:
    """Where one column of the context lies, beside the values (key,) it is mixed from; `column` counts from 1."""
    low, high = values.min().item(), values.max().item()
    leaves = context.min().item() < low or context.max().item() > high
    but = ", up to rounding" if leaves else ""
    if low == high:
        return (
            f"In column {column} all values are {number(low)}, so every word's context is {number(low)} there too{but}: a mixture of "
            "equal numbers is that number."
        )
    return (
        f"A mixture lies between the smallest and the largest of what is mixed: in column {column} the values go from {number(low)} "
        f"to {number(high)}, and every word's context lies between them{but}."
    )
