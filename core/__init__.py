"""Self-attention, step by step, with every intermediate number kept by name.

Nothing here knows how it is shown: torch and the standard library only.
"""

import os

# One thread for the mathematics. The tensors are tiny, and a server answers every reader in a
# new thread, where OpenMP and MKL would each time set up a crew of helpers: 1 to 30 ms for a tenth
# of a millisecond of work. Both read these names when torch is first imported; torch's own call
# alone does not reach threads that start later.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

import torch

torch.set_num_threads(1)
