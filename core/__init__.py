"""Self-attention, step by step, with every intermediate number kept by name.

Nothing here knows how it is shown: torch and the standard library only.
"""

import torch

# The tensors are tiny: a second thread costs more to wake than it saves, and a server
# with many readers needs its cores for them.
torch.set_num_threads(1)
