"""The whole computation: from a setup to its traces."""
