"""The same tensors by PyTorch's own functions, and how far ours are from them."""
