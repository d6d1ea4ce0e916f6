"""Layer norm and RMS norm. Leading axes are kept."""

import torch
from torch import Tensor

EPSILON = 1e-5


def layer_norm(x: Tensor, epsilon: float = EPSILON) -> Tensor:
    """Normalise each token's row to mean 0 and standard deviation 1: (token, d_model).

    A trained model then applies a gain and a shift for each column, initially 1 and 0. Ba, Kiros
    and Hinton 2016.

    >>> layer_norm(torch.tensor([[1., 3.]])).round(decimals=3).tolist()
    [[-1.0, 1.0]]
    """
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    # ε avoids division by 0 when all are equal
    return centred / torch.sqrt(variance + epsilon)


def layer_norm_with_gain(
    x: Tensor, gain: Tensor, shift: Tensor, epsilon: float = EPSILON
) -> Tensor:
    """Apply layer norm, then each column's gain and shift: (token, d_model), (d_model,) twice →
    (token, d_model).

    Ba, Kiros and Hinton 2016, section 3.

    >>> layer_norm_with_gain(
    ...     torch.tensor([[1.0, 3.0]]), torch.tensor([2.0, 2.0]), torch.tensor([0.0, 5.0])
    ... ).round(decimals=3).tolist()
    [[-2.0, 7.0]]
    """
    return layer_norm(x, epsilon) * gain + shift


def rms_norm(x: Tensor, epsilon: float = EPSILON) -> Tensor:
    """Divide each token's row by its root mean square: (token, d_model). The mean is not
    subtracted.

    A trained model then applies a gain for each column, initially 1. Zhang and Sennrich 2019,
    equation 4.

    >>> rms_norm(torch.tensor([[1., 7.]])).double().round(decimals=3).tolist()
    [[0.2, 1.4]]
    """
    mean_square = x.square().mean(dim=-1, keepdim=True)
    return x / torch.sqrt(mean_square + epsilon)


def rms_norm_with_gain(x: Tensor, gain: Tensor, epsilon: float = EPSILON) -> Tensor:
    """Apply RMS norm, then each column's gain: (token, d_model), (d_model,) → (token, d_model).
    Zhang and Sennrich 2019, equation 4.

    >>> rms_norm_with_gain(torch.tensor([[1.0, 7.0]]), torch.tensor([1.0, 10.0])).double().round(
    ...     decimals=3
    ... ).tolist()
    [[0.2, 14.0]]
    """
    return rms_norm(x, epsilon) * gain
