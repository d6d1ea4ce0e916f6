"""The numbers that the notebooks publish, to the last printed digit."""

import torch

from core.notebooks import n4
from core.setup import Setup
from core.trace import run


def rounded(values: torch.Tensor) -> list[float]:
    return [round(v, 4) for v in values.tolist()]


def test_n4_single_head():
    """With the default setup, head 1 is N4's single head: x, ω₂, α₂ and z₂."""
    trace = run(Setup())
    assert rounded(trace.value("x")[0, :4]) == rounded(n4.PRINTED_X)
    assert rounded(trace.value("scores")[0, 1]) == rounded(n4.PRINTED_SCORES)
    assert rounded(trace.value("weights")[0, 1]) == rounded(n4.PRINTED_WEIGHTS)
    assert rounded(trace.value("context")[0, 1]) == rounded(n4.PRINTED_CONTEXT)


def test_n0_without_weights():
    """softmax(X Xᵀ) X on N0's printed X: its raw weights and softmax rows, as far as it printed
    them."""
    from core import attention

    x = torch.tensor(
        [
            [-0.6576, -0.0910, 0.6779, 1.7254],
            [0.7237, -0.8033, 0.9599, -1.4178],
            [-0.3415, -0.3925, -0.8440, 0.2096],
        ]
    )
    raw = attention.scores(x, attention.transpose(x))
    published = torch.tensor(
        [[3.8774, -2.1985, 0.0499], [-2.1985, 4.1004, -1.0393], [0.0499, -1.0393, 1.0270]]
    )
    assert torch.allclose(raw, published, atol=2e-4)
    weights = attention.softmax(raw)
    assert torch.allclose(weights[0], torch.tensor([0.97650, 0.0022437, 0.021252]), atol=2e-4)
    assert torch.allclose(weights[1], torch.tensor([0.0018242, 0.99236, 0.0058146]), atol=2e-4)


def test_shapes_of_the_other_notebooks():
    """N1's wide heads, N2's narrow ones and N3's layer with biases give the shapes they print."""
    five = "one two three four five"
    n1 = run(
        Setup(text=five, d_model=10, heads=20, sizes="wide", scale="fourth-root", out="d_model")
    )
    assert n1.value("output").shape == (5, 10)
    ten = " ".join("abcdefghij")
    n2 = run(Setup(text=ten, d_model=10, heads=2, sizes="narrow", bias="on", out="d_model"))
    assert n2.value("weights").shape == (2, 10, 10)
    twenty = " ".join("abcdefghijklmnopqrst")
    n3 = run(Setup(text=twenty, d_model=4, d_k=2, d_v=2, heads=1, bias="on", out="d_model"))
    assert n3.value("output").shape == (20, 4)
    assert n3.value("weights").shape == (1, 20, 20)
