"""The steps: pure functions of tensors."""
