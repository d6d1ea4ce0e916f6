"""What a model of BERT's family is used for: vectors of sentences."""

import torch  # noqa: F401 (the worked examples use it)
from torch import Tensor

from ..forward import batch, encoder
from ..ops import classes
from ..pretrained import Pretrained
from ..setup.setup import Setup
from ..weights import weights


def model_of(setup: Setup) -> Pretrained:
    """Return the model whose weights the setup uses. Raises ValueError if there is none."""
    if setup.real is None:
        raise ValueError(f"init={setup.init!r}: expected 'real'")
    return setup.real


def unit(vectors: Tensor) -> Tensor:
    """Return each row divided by its length: (sentence, d_model) both.

    >>> unit(torch.tensor([[3., 4.]])).tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    return vectors / vectors.norm(dim=-1, keepdim=True)


def cosines(vectors: Tensor) -> Tensor:
    """Return the cosine similarity of each pair of rows: (sentence, d_model) → (sentence,
    sentence).

    >>> cosines(torch.tensor([[2., 0.], [0., 3.], [5., 0.]])).tolist()
    [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
    """
    of_length_1 = unit(vectors)
    return of_length_1 @ of_length_1.transpose(-2, -1)


def sentence_vectors(setup: Setup) -> Tensor:
    """Return the mean of the last layer's output over each sentence's pieces: (sentence, d_model).
    Reimers and Gurevych 2019, section 3."""
    embedded_batch = batch.embed(setup)
    x = embedded_batch.trace.value("x")
    out = encoder.result(setup, weights.layers(setup), x, embedded_batch.may_attend)
    return classes.mean_over_words(model_of(setup).top(out), embedded_batch.is_word)
