"""What readers and classes are asked: exercises and predictions, in the words of a setup's
tokens."""
