"""Initial weights, and training by gradient descent."""
