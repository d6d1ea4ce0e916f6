"""The formulas of the pages after the seven steps, as those pages have them under this setup, but
for the shapes."""

from ..setup import Setup


def formulas(path: str, setup: Setup) -> tuple[str, ...]:
    """Return LaTeX, a line each, of the page with this address."""
    return {
        "masks": masks,
        "block": block,
        "encoder": encoder,
        "next": following,
        "classifier": classifier,
    }[path](setup)


def masks(setup: Setup) -> tuple[str, ...]:
    """Return the mask and the softmax of sentence s and head h, query i and key j."""
    dropout = (
        (r"\text{dropout: } \frac{α \cdot \text{kept}}{1 - " + f"{setup.dropout:g}" + "}",)
        if setup.dropout
        else ()
    )
    return (
        (
            r"ω''_{shij} = \begin{cases} ω'_{shij} & \text{if } i \text{ may look at } j \\ -\infty"
            r" & \text{otherwise} \end{cases}"
        ),
        r"α = \mathrm{softmax}_\text{row}(ω'')",
        *dropout,
    )


def block(setup: Setup) -> tuple[str, ...]:
    """Return the two sums under the setup's norm, and the feed-forward part."""
    norm, feed, attention = r"\mathrm{norm}", r"\mathrm{feed}", r"\mathrm{attention}"
    if setup.norm == "post":
        sums = (
            rf"N = {norm}\big(X + {attention}(X)\big)",
            rf"\text{{Out}} = {norm}\big(N + {feed}(N)\big)",
        )
    else:
        sums = (
            rf"A = X + {attention}\big({norm}(X)\big)",
            rf"\text{{Out}} = A + {feed}\big({norm}(A)\big)",
        )
    up, down = (" + b_1", " + b_2") if setup.bias == "on" else ("", "")
    if setup.activation == "swiglu":
        gate = " + b_\\text{gate}" if setup.bias == "on" else ""
        opened = rf"\mathrm{{silu}}\big(N\,W_\text{{gate}}{gate}\big) \odot \big(N\,W_1{up}\big)"
        return (*sums, rf"{feed}(N) = \Big({opened}\Big)\,W_2{down}")
    return (*sums, rf"{feed}(N) = \mathrm{{{setup.activation}}}\big(N\,W_1{up}\big)\,W_2{down}")


def encoder(setup: Setup) -> tuple[str, ...]:
    """Return how layer stands upon layer."""
    return (
        (
            r"X^{(0)} = X \qquad X^{(l)} = \mathrm{block}_l\big(X^{(l-1)}\big) \qquad l ="
            rf" 1 \dots {setup.layers}"
        ),
    )


def following(setup: Setup) -> tuple[str, ...]:
    """Return the shares of the words, and the logit as a sum."""
    u = "U" if setup.unembedding == "own" else r"E^\top"
    return (
        rf"p = \mathrm{{softmax}}\big(z_n\,{u} / {setup.word_temperature:g}\big)",
        (
            r"\text{logit} = \sum_{\text{layer, head, } j} α_{nj}\, v_j\, W_o\, c +"
            r" \text{feed-forward parts} + \text{the rest}"
        ),
    )


def at_mask(setup: Setup) -> tuple[str, ...]:
    """Return the row at [MASK] on its way to the shares of the pieces."""
    u = "U" if setup.unembedding == "own" else r"E^\top"
    return (
        r"t = \mathrm{norm}\big(\mathrm{act}(z_m W_\text{fill} + b_\text{fill})\big)",
        rf"p = \mathrm{{softmax}}\big((t\,{u} + b) / {setup.word_temperature:g}\big)",
    )


def classifier(setup: Setup) -> tuple[str, ...]:
    """Return the mean, and one linear map."""
    bias = " + b_c" if setup.bias == "on" else ""
    return (
        r"\bar z = \text{mean over the words of } Z",
        rf"\log p = \mathrm{{log\,softmax}}\big(\bar z\,W_c{bias}\big)",
    )
