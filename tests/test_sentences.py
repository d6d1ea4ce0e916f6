"""What the pages say of their numbers, held against the tensors over drawn setups of every kind."""

import inspect
import itertools
import math
import re
from dataclasses import replace

import pytest
import torch
from helpers import ROOT, app, boards, elements, unfolded
from hypothesis import given, settings
from hypothesis import strategies as st

from core import (
    adam,
    attention,
    batch,
    encoder,
    film,
    geometry,
    language,
    lessons,
    masks,
    roles,
    sampled,
    shapes,
    shuffle,
    spread,
    study,
    training,
    training_store,
    turning,
    weights,
)
from core.notebooks import MISTAKES, find, n4
from core.notebooks.figure import Figure
from core.setup import CHOICES, Setup
from core.text import labels
from core.trace import run
from core.written import read, short
from pages.shared.link.pages import PAGES
from pages.shared.said import claims
from pages.shared.said.claims import training as of_training
from pages.shared.said.words import number, percent, printed

SIZES = (1, 2, 3, 5, 7, 11, 13)
HEADS = (1, 2, 3, 5, 20)
WORDS = ("the", "cat", "sat", "it's", "Life", "naïve", "日本", "x²")


@st.composite
def any_setup(draw, **fixed) -> Setup:
    """Every choice, narrow, wide and free sizes, words and characters, short sentences and such that repeat a word."""
    # Trained weights take time: a few setups with them stand below.
    values = {name: draw(st.sampled_from([o for o in options if o != "trained"])) for name, options in CHOICES.items()} | fixed
    values["text"] = fixed.get("text", " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5))))
    lines = draw(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), max_size=3))
    values["others"] = "\n".join(" ".join(line) for line in lines)
    heads, per_head = draw(st.sampled_from(HEADS)), draw(st.sampled_from(SIZES))
    narrow = values["sizes"] == "narrow" and heads * per_head <= 64
    if not narrow and values["sizes"] == "narrow":
        values["sizes"] = "free"
    drawn = {
        "d_model": heads * per_head if narrow else draw(st.sampled_from(SIZES)),
        "d_k": draw(st.sampled_from(SIZES)),
        "d_v": draw(st.sampled_from(SIZES)),
        "heads": heads,
        "temperature": draw(st.sampled_from((0.1, 1.0, 10.0))),
        "seed": draw(st.integers(0, 2**31 - 1)),
        "shuffle": draw(st.sampled_from((0, 1, 2, 37))),
        "layers": draw(st.integers(1, 6)),
        "dropout": draw(st.sampled_from((0.0, 0.3))),
    }
    values = drawn | values
    values.setdefault("window", draw(st.integers(1, 5)))
    heads = 1 if values["projections"] == "none" else values["heads"]
    values.setdefault("kv_heads", draw(st.sampled_from([0, *(k for k in range(1, heads + 1) if heads % k == 0)])))
    values.setdefault("d_ff", draw(st.integers(1, 4 * values["d_model"])))
    return Setup(**values)


SETUPS = any_setup()


# ---------- words and counts ----------


@given(SETUPS)
def test_characters_are_not_called_words(setup):
    """A sentence that speaks of words speaks of characters where the tokens are characters."""
    said = claims.common.in_tokens(setup)("Words: each word's row, of all words.")
    assert said == ("Characters: each character's row, of all characters." if setup.split == "characters" else
                    "Words: each word's row, of all words.")  # fmt: skip
    for step in PAGES:
        headline = claims.common.headline(step.path, setup)
        assert (setup.split == "words") or not re.search(r"\bwords?\b", headline.lower()) or step.path == ""


@given(st.floats(0, 1), st.integers(0, 1))
def test_a_share_is_not_rounded_to_nothing_or_all(share, decimals):
    """0 % means 0, 100 % is never said, and what is printed is right to half a unit."""
    said = percent(share, decimals)
    unit = 0.01 / 10**decimals
    value = float(re.search(r"[\d.]+", said)[0]) / 100
    assert "100%" not in said
    if said.startswith("less"):
        assert 0 < share < value
    elif said.startswith("more"):
        assert share > value
    else:
        assert abs(value - share) <= unit / 2 + 1e-12
        assert (said == f"{0:.{decimals}%}") <= (share == 0)


MANY = (
    "tokens|words|characters|heads|rows|weights|terms|places|sentences|layers|numbers|blocks|contributions|vectors|pictures|ids"
)
ONE_OF_MANY = re.compile(rf"(?<![\d.,·×])(?<![·×] )\b1 (\\text{{)?(weighted value )?(vocabulary )?({MANY})\b")


def said_on(page: str, **link: object) -> str:
    """All sentences of a page, and what it says of its pictures."""
    at = app(page, **link)
    assert not at.exception
    kinds = ("markdown", "text", "caption", "title", "header", "latex")
    return "\n".join([e.value for e in elements(at.main) if e.type in kinds] + [board["alt"] for board in boards(at)])


SMALLEST = {"text": "a", "others": "", "d_model": 1, "d_k": 1, "d_v": 1, "heads": 1, "layers": 1, "d_ff": 1, "dropout": 0.3}


@pytest.mark.parametrize("page", [step.file for step in PAGES])
@pytest.mark.parametrize("split", ["words", "characters"])
def test_one_of_a_thing_is_singular(page, split):
    """One token, one head, one number: nowhere “1 tokens”."""
    assert not ONE_OF_MANY.search(said_on(page, split=split, **SMALLEST))


@given(SETUPS)
def test_formulas_and_sentences_have_the_same_parts(setup):
    """The one line of everything names scaling, mask and several heads where there are any."""
    said = claims.heads.one_line(setup)
    assert ("scaling" in said) == (setup.scale != "none" or setup.temperature != 1)
    assert ("mask" in said) == (setup.mask != "none")
    assert ("each head" in said) == (setup.heads > 1)
    assert ("W_o" in said) == (setup.projections == "learned")
    assert ("b_o" in said) == ("b_o" in run(setup))
    assert ("mix words" in claims.heads.way_back(setup)) == (setup.heads > 1 and len(setup.tokens) > 1)
    assert said.endswith("a part of it." if setup.projections == "none" else "has taken apart.")
    assert claims.weights.temperature(setup).partition(" is ")[0] == (
        "" if setup.temperature == 1 else " The divisor" if setup.scale == "none" else " The divisor's last factor"
    )


@given(SETUPS)
def test_what_d_k_of_1_does_is_said_of_it_alone(setup):
    """Two directions only, and a root that changes nothing: where a query has one number, and nowhere else."""
    row = torch.tensor([0.25, 0.75])
    divided = claims.weights.division("the", (row, row), (row, row), setup)
    assert claims.geometry.in_one_plane(setup.d_k).endswith("so every angle is 0° or 180°.") == (setup.d_k == 1)
    assert divided.endswith("so that here the division changes nothing.") == (setup.d_k == 1)


@given(SETUPS)
def test_the_division_is_that_of_the_temperature_in_force(setup):
    """The largest weight with the division is that of α where the setup divides by √d_k: the temperature counts in both."""
    said = claims.weights.division("the", (torch.ones(2) / 2,) * 2, (torch.ones(2) / 2,) * 2, setup)
    assert (f"divided by the temperature, {setup.temperature:g}." in said) == (setup.temperature != 1)


def test_the_largest_weight_is_alphas_at_any_temperature():
    """At temperature 10 the page names α's largest weight, 0.1967, not the one at temperature 1."""
    at = app("pages/5_weights.py", temperature=10, query=2)
    said = next(e.value for e in elements(at.main) if e.type == "text" and "without the division" in e.value)
    assert f"{number(run(Setup(temperature=10.0)).value('weights')[0, 1].max().item())} with it" in said


@given(SETUPS)
def test_the_way_back_cannot_be_a_view(setup):
    """Where the page says that a view would mix words with heads, it does."""
    trace = run(setup)
    concat, context = trace.value("concat"), trace.value("context")
    if claims.heads.way_back(setup) and context.std() > 0:
        same = torch.equal(concat.reshape(context.shape), context)
        assert not same or bool((context == context.flatten()[0]).all()) or len(setup.vocabulary) == 1


@settings(max_examples=60)
@given(SETUPS)
def test_what_one_head_more_changes(setup):
    """Where the page says that earlier heads stay, PyTorch's own attention on one head fewer finds the same α and Z, and the W_o
    of both are made of other numbers; where it says that every head changes, none has the shape it had."""
    fewer = claims.heads.one_head_fewer(setup)
    trace = run(setup)
    said = claims.heads.what_a_head_changes(trace, run(fewer) if fewer else None)
    if setup.heads == 1:
        assert said == ""
    elif 0 < setup.kv_heads < setup.heads:
        assert f"groups of {setup.heads // setup.kv_heads}:" in said
    elif fewer is None:
        assert setup.d_model % setup.heads == 0 and setup.d_k == setup.d_model // setup.heads
        assert "every head changes" in said
    else:
        before, after = run(fewer), trace
        for name in ("weights", "context"):
            apart = (after.value(name)[:-1] - before.value(name)).abs().max().item()
            assert apart == 0 if "to the last bit" in said else apart <= 1e-4
        rows = [len(t.value("w_o")) for t in (after, before)]
        assert f"{rows[0]} rows in place of {rows[1]}" in said
        assert not torch.equal(after.value("w_o")[: rows[1]], before.value("w_o"))
        assert (", and b_o after it" in said) == ("b_o" in after)
        apart = (after.value("output") - before.value("output")).abs().max().item()
        assert (f"differ by up to {number(apart)}." in said) == (apart > 0)


@pytest.mark.parametrize(
    ("edits", "moved", "kept"),
    [
        ("w_q.1=w_q.3", [0], [1]),
        ("w_v.1-3=0", [0, 1], []),
        ("w_q.3=0", [], [0, 1]),
        ("w_q.1=w_q.2", [], [0, 1]),
        ("w_o=0", [], [0, 1]),
    ],
)
def test_edits_that_name_the_last_head_move_earlier_ones(edits, moved, kept):
    """Heads are said to stay, or to change, as their α and Z do: an edit may take them from the head that is new."""
    setup = Setup(edits=edits)
    trace, fewer = run(setup), run(claims.heads.one_head_fewer(setup))
    said = claims.heads.what_a_head_changes(trace, fewer)
    for name, heads in (("stay as they were", kept), ("change**", moved)):
        told = re.search(rf"α and Z of heads? ([^*]*?) {re.escape(name)}", said)
        assert ([int(k) - 1 for k in re.findall(r"\d", told[1])] if told else []) == heads
    for k in range(2):
        apart = max((trace.value(n)[k] - fewer.value(n)[k]).abs().max().item() for n in ("weights", "context"))
        assert (apart > 1e-3) == (k in moved)


def test_trained_heads_all_change():
    """Trained weights are learned together: nothing is claimed to stay, and no other training is asked for."""
    setup = Setup(init="trained", heads=3)
    assert claims.heads.one_head_fewer(setup) is None
    trace = run(Setup(heads=3))
    assert "every head changes" in claims.heads.what_a_head_changes(replace(trace, setup=setup), None)


@given(SETUPS, st.sampled_from("qkv"))
def test_what_a_matrix_stretches_most(setup, symbol):
    """Both stretches are the largest singular values, and the shares are those of the lengths that the two directions leave."""
    if setup.projections == "none":
        return
    trace = run(setup)
    w, x = trace.value(f"w_{symbol}")[0].double(), trace.value("x")[0].double()
    stretch = geometry.stretched_most(w)
    said = claims.projection.stretched(stretch, symbol, "word", x, x @ w)
    first, second = [*torch.linalg.svdvals(w).tolist(), 0][:2]
    if not first:
        assert said == f"W_{symbol} is zero: it takes every direction to a single point."
        return
    assert f"{number(first)} times" in said
    assert (f"{number(second)} times" in said) == bool(second) or number(first) == number(second)
    assert ("becomes an ellipse" in said) == bool(second)
    for row, axes, of in ((x, stretch.before, "length of x"), (x @ w, stretch.after, f"of that of {symbol}.")):
        lost = (row - (row @ axes.T) @ axes).square().sum() / row.square().sum()
        assert f"{'all' if lost < 1e-9 else percent(1 - lost.item())} of " in said
        assert of in said


@given(SETUPS, st.integers(1, 14))
def test_a_size_that_does_not_fit(setup, d_q):
    """The page says that sizes fit exactly where PyTorch multiplies them, and what is left over where it does not."""
    q, k_t = torch.zeros(len(setup.tokens), d_q), torch.zeros(setup.d_k, len(setup.tokens))
    said = claims.projection.fit(setup, d_q)
    if "**It fits.**" in said:
        assert shapes.refusal(q.shape, k_t.shape) == ""
        assert f"{' × '.join(map(str, (q @ k_t).shape))}." in said
    else:
        with pytest.raises(RuntimeError) as error:
            torch.matmul(q, k_t)
        assert shapes.refusal(q.shape, k_t.shape) == f"RuntimeError: {error.value}"
        assert f"{abs(d_q - setup.d_k)} of a {'query' if d_q > setup.d_k else 'key'}'s number" in said


@given(SETUPS)
def test_what_a_causal_mask_takes(setup):
    """The share that later words lose is what the softmax without a mask gave them, and with the mask they have none."""
    open_, closed = (run(replace(setup, mask=mask)).value("weights")[0] for mask in ("none", "causal"))
    names = labels(setup.tokens)
    for query in range(len(names)):
        said = claims.masks.causal(open_, names, query)
        later = open_[query, query + 1 :]
        if not len(later):
            assert "its row stays as it is" in said and torch.allclose(open_[query], closed[query], atol=1e-6)
            continue
        assert not closed[query, query + 1 :].any()
        assert f"{query + 1} of {len(names)} words" in said
        assert (percent(later.sum().item()) if later.any() else "nothing") in said


# ---------- weights ----------


@given(SETUPS)
def test_how_many_words_give_nearly_all_to_one(setup):
    """A word that may look at itself alone had no choice, and does not count."""
    trace = run(setup)
    weights, masked = trace.value("weights")[0], trace.value("masked")[0]
    counted = sum(
        row.max().item() > 0.99 and scores.isfinite().sum().item() > 1 for row, scores in zip(weights, masked, strict=True)
    )
    assert claims.overview.sure(weights, masked) == counted


@given(SETUPS)
def test_the_largest_weight_is_not_rounded_up_to_1(setup):
    """1.0000 is said only where the word may look at one place; what the others have is their share."""
    trace = run(setup)
    for row, scores in zip(trace.value("weights")[0], trace.value("masked")[0], strict=True):
        said, alone = claims.weights.largest_weight(row, scores), int(scores.isfinite().sum()) == 1
        if said.startswith("nearly 1"):
            assert not alone
            assert row.max() > 0.9999
            if found := re.search(r"have ([\d.e−]+)\)", said):
                exact = torch.softmax(scores.double(), dim=0)
                rest = exact[torch.arange(len(exact)) != exact.argmax()].sum().item()
                assert math.isclose(float(read(found[1])), rest, rel_tol=0.06)
        else:
            assert printed(row.max().item()) == read(said)
            assert (said == "1.0000") == alone


@given(SETUPS)
def test_the_largest_of_a_row_is_subtracted(setup):
    """m_i is the largest of the scores that go into the softmax, masked and scaled: not of those as they were."""
    masked = run(setup).value("masked")
    assert torch.equal(attention.shift(masked), masked - masked.amax(dim=-1, keepdim=True))


@settings(max_examples=60)
@given(SETUPS)
def test_the_spread_is_told_as_it_is(setup):
    """Equal scores have no law; else the power's sign, its nearness to 0.5 or 1, and Xavier's peak are those measured."""
    x = run(setup).value("x")
    measured = spread.measure(setup, x)
    drawn = spread.kind(setup)
    said, why = claims.weights.growth(measured), claims.weights.why_it_grows(measured, drawn)
    equal = len(setup.vocabulary) == 1 if drawn == "none" else len({tuple(row) for row in x.tolist()}) == 1
    assert (said == "") == (why == "") == equal
    if equal:
        assert not any(each.standard_deviation for each in measured)
        return
    power = spread.growth(measured)
    assert abs(power) < 0.005 or ("grows" in said) == (power > 0)
    if drawn == "normal":
        assert ("comes close" in why) == (abs(power - 0.5) < 0.15)
    if drawn == "uniform":
        assert ("nearer 1" in why) == (power > 0.75)
    if drawn == "xavier" and (peak := re.search(r"largest at d_k = (\d+)", why)):
        assert all(each.standard_deviation <= by_size(measured)[int(peak[1])] for each in measured)
        assert measured[-1].standard_deviation < by_size(measured)[int(peak[1])]
    for each in measured:
        assert each.largest_weight[1] <= each.largest_weight[0] + 1e-12  # dividing makes weights more even
        assert max(each.slope) <= 0.25


@settings(max_examples=60)
@given(SETUPS)
def test_slopes_are_told_as_they_are_drawn(setup):
    """The division is said to keep slopes larger only where it does, at the largest d_k."""
    measured = spread.measure(setup, run(setup).value("x"))
    said = claims.weights.slopes(measured)
    raw, divided = measured[-1].slope
    assert (said == "") == (measured[-1].standard_deviation == 0)
    if said:
        assert f"{short(raw)} without the division and {short(divided)} with it" in said
        assert ("follow their scores further" in said) <= (divided > raw)
        assert ("did not lie too far apart" in said) <= (raw > divided)


@pytest.mark.parametrize("init", ["normal", "xavier", "uniform"])
def test_an_argument_for_one_d_k_is_no_more_than_that(init):
    """With Xavier's bound a variance that comes back to one product's does not say that scores grow with d_k."""
    setup = Setup(d_model=6, d_k=4, d_v=5, heads=2, out="d_model", init=init)
    said = claims.geometry.independence(sampled.sample(setup), init)
    grows = spread.growth(spread.measure(setup, run(setup).value("x"))) > 0
    assert ("argument holds here" in said and "for one d_k" not in said) <= grows
    assert ("for one d_k" in said) == (init == "xavier")


def test_what_the_studies_leave_out():
    """The curves see the edited table and positions where words are projected; drawn words see neither, and that is said."""
    edited = Setup(edits="embedding_table.1=2", positions="sinusoidal")
    assert claims.weights.left_out(edited) == ""
    assert claims.weights.left_out(edited, draws_words=True) == "Without edits of the table and positions. "
    assert claims.weights.left_out(replace(edited, projections="none")) == "Without edits of the table and positions. "
    assert "Without edits of the table and positions." in claims.geometry.sampled(edited)
    assert claims.weights.left_out(replace(edited, edits="embedding_table.9=2"), draws_words=True) == "Without positions. "


def by_size(measured):
    return {each.d_k: each.standard_deviation for each in measured}


def test_row_sums_of_n4_are_the_same_on_both_pages():
    """The Weights page and the Notebooks page print one figure for one fault, and the figure is of these tensors."""
    said = claims.weights.row_sums()
    for faults in (("axis",), ("axis", "size")):
        sums = n4.output_of_heads(frozenset(faults))[0].sum(dim=-1)
        told = f"{short(sums.min().item(), 4)} to {short(sums.max().item(), 4)}"
        assert told in said
        assert told in find("N4 softmax and size").run(frozenset(faults)).measured


# ---------- context ----------


@given(SETUPS)
def test_a_mixture_stays_within_its_values(setup):
    """Every column lies between its values' smallest and largest; where rounding takes it beyond, that is said."""
    trace = run(setup)
    values, context = trace.value("v")[0], trace.value("context")[0]
    for column in range(values.shape[1]):
        said = claims.context.mixture(column + 1, values[:, column], context[:, column])
        low, high = values[:, column].min(), values[:, column].max()
        within = bool((context[:, column] >= low).all() and (context[:, column] <= high).all())
        assert ("up to rounding" in said) != within
        allowed = 1e-5 * values[:, column].abs().max()
        assert ((context[:, column] >= low - allowed) & (context[:, column] <= high + allowed)).all()
        assert number(low.item()) in said
        assert number(high.item()) in said


@given(SETUPS, st.integers(0, 12))
def test_a_weight_is_no_part_yet(setup, column):
    """Of the two words that are named, the one with less weight gives more, in size; where none are named, there are none."""
    trace = run(setup)
    row, values, names = trace.value("weights")[0, 0], trace.value("v")[0][:, column % setup.d_v], labels(setup.tokens)
    said = claims.context.contribution(row, values, names, column % setup.d_v + 1)
    shares, parts = row.tolist(), (row * values).abs().tolist()
    clear = [
        (a, b) for a, b in itertools.permutations(range(len(names)), 2) if shares[b] - shares[a] > 2e-4 < parts[a] - parts[b]
    ]
    assert (said == "") == (len(names) == 1)
    assert ("has less weight" in said) == bool(clear)
    if clear:
        more, less = (names.index(name.strip("\u2068\u2069")) for name in re.findall("“(.*?)”", said))
        assert (more, less) in clear
        for k in (more, less):
            assert f"= {number(row[k].item() * values[k].item())}" in said


def test_the_first_example_of_a_part():
    """In the first setup the word with 0.0982 of the attention gives more, in size, than one with 0.2912 of it."""
    trace = run(Setup())
    row, values = trace.value("weights")[0, 1], trace.value("v")[0]
    said = [claims.context.contribution(row, values[:, column], labels(trace.tokens), column + 1) for column in range(28)]
    assert sum("has less weight" in each for each in said) > 5


@given(SETUPS)
def test_every_matrix_is_counted(setup):
    """The numbers of each matrix, their sum, the biases and the table, counted in the tensors themselves."""
    if setup.projections == "none":
        return
    said, own = claims.heads.parameters(setup), weights.attention(setup)
    told = [int(each.replace(",", "")) for each in re.findall(r"= ([\d,]*\d)", said)]
    names = ("w_q", "w_v", "w_o", "embedding_table")
    names = names[:1] + ("w_k",) * (setup.group > 1) + names[1:]
    assert told == [own[name].numel() for name in names]
    assert f"{sum(own[name].numel() for name in ('w_q', 'w_k', 'w_v', 'w_o')):,} in all" in said
    biases = sum(weight.numel() for name, weight in own.items() if name.startswith("b_"))
    assert (f"Biases are {biases:,} more" in said) == (setup.bias == "on")


# ---------- masks ----------


@given(SETUPS)
def test_what_is_said_of_padding(setup):
    """Who may look at padding, who does, and which rows are empty."""
    made = batch.run(setup)
    is_word, weights = made.is_word, made.trace.value("weights")[:, 0]
    rule, leak = claims.masks.padding(setup, is_word), claims.masks.leak(weights, is_word)
    looks = [made.may_attend[s, q, k] for s, q, k in (~is_word[:, None, :] & is_word[:, :, None]).nonzero().tolist()]
    given_away = [weights[s, q, k] for s, q, k in (~is_word[:, None, :] & is_word[:, :, None]).nonzero().tolist()]
    assert ("There is no padding" in rule) == ("There is no padding" in leak) == (not looks)
    if looks and "nothing hides it" in rule:
        assert all(looks)
    if "columns are closed" in rule or "only the causal mask" in rule:
        assert not any(looks)
    assert ("Words give" in leak) == any(share > 0 for share in given_away)
    if "as much as 99%" in leak:
        assert weights.masked_fill(is_word[:, None, :], 0).sum(dim=-1)[is_word].max() > 0.99
    assert ("to the right of the diagonal" in rule) == ("causal" in setup.mask)
    assert ("from the diagonal" in rule) == ("window" in setup.mask)
    empty = sum(not made.may_attend[s, q].any() for s in range(len(is_word)) for q in range(is_word.shape[1]))
    told = claims.masks.empty_rows(made.may_attend)
    assert told.startswith(f"**{empty} row{'s' * (empty != 1)} may") if empty else told == ""
    lengths = [len(tokens) for tokens in setup.sentences]
    assert str(max(lengths)) in claims.masks.batch(lengths)
    assert not ONE_OF_MANY.search(claims.masks.batch(lengths))


@given(SETUPS.filter(lambda setup: setup.dropout > 0))
def test_what_dropout_strikes_out(setup):
    """The numbers of weights that are counted, and no more is said of a row's sum than is true."""
    trace = batch.run(setup).trace
    kept, dropped = trace.value("weights")[0, 0], trace.value("dropped")[0, 0]
    said = claims.masks.dropout(kept, dropped, setup.dropout)
    struck = sum(a > 0 and b == 0 for a, b in zip(kept.flatten().tolist(), dropped.flatten().tolist(), strict=True))
    assert f", {struck} of {(kept > 0).sum().item()} weight" in said
    assert "need not sum to 1" in said


@given(st.lists(st.floats(-3, 3, width=32), min_size=2, max_size=5))
def test_the_answer_is_the_largest(logits):
    """The class that is named has the largest share; where several have it, all are named."""
    shares = torch.tensor(logits).softmax(dim=0).tolist()
    said = claims.classifier.answer(shares)
    named = {int(k) for k in re.findall(r"\d+", said.split("%")[0].rsplit(",", 1)[0])}
    assert named == {k for k, share in enumerate(shares, start=1) if share == max(shares)}
    assert re.search(r"(?<!\d)\d?\d\.\d%( each)?$", said)  # to a tenth of a percent


# ---------- block ----------


@settings(max_examples=60)
@given(SETUPS)
def test_lengths_are_compared_only_where_there_are_any(setup):
    """The ratio of two lengths; of a row that is nothing but zeros, or their rounding, nothing is said."""
    layer = encoder.encode(setup)[0]
    rows = {name: layer.value(name)[0] for name in ("x", "output", "resid_mid", "normed_1", "ffn_out")}
    said = claims.block.lengths(rows, setup.norm, setup.norm_kind)
    attended, fed = re.split(r" (?=The feed-forward)", said)
    base = rows["normed_1" if setup.norm == "post" else "resid_mid"]
    assert f"{short(rows['output'].norm().item() / rows['x'].norm().item())} times" in attended
    if base.norm() > 0.01:
        assert f"{short(rows['ffn_out'].norm().item() / base.norm().item())} times" in fed
    if setup.norm == "post" and setup.d_model == 1 and setup.norm_kind == "layer":
        assert "nothing to compare" in fed


def test_a_row_that_is_only_rounding_is_no_length():
    """Nearly equal numbers have a spread that is rounding, and a norm makes it large."""
    even = torch.full((6,), 3e5)
    even[0] += 0.03
    normed = (even - even.mean()) / even.std(correction=0)
    rows = {"x": even, "output": torch.zeros(6), "resid_mid": even, "normed_1": normed, "ffn_out": normed}
    assert "The feed-forward part adds a vector to zeros" in claims.block.lengths(rows, "post")
    assert claims.block.times_as_long(torch.ones(3), torch.full((3,), 1e-9), torch.ones(3)) is None
    assert claims.block.times_as_long(torch.ones(4), torch.full((4,), 0.5), torch.ones(4)) == 2


@settings(max_examples=60)
@given(SETUPS)
def test_norms_do_what_is_said(setup):
    """Rows of spread 1, or the least there is; a stack that grows, in every layer or not, or does not."""
    post, pre = ([layer.value("out") for layer in encoder.encode(replace(setup, norm=kind))] for kind in ("post", "pre"))
    standard_deviations = [out.std(correction=0).item() for out in pre]
    is_rms = setup.norm_kind == "rms"
    spreads = [(row.square().mean().sqrt() if is_rms else row.std(correction=0)).item() for out in post for row in out]
    said = claims.block.norms(post, standard_deviations, setup.norm_kind).partition("**Pre-norm**")[0]
    assert ("mean square" in said) == is_rms
    if "every layer hands on rows" in said:
        assert all(0.99 < each < 1.01 for each in spreads)
    elif "zeros" in said:
        assert not any(spreads)
    else:
        assert min(spreads) <= 0.99
        assert short(min(spreads), 2) in said
    said = claims.block.pre_norm(standard_deviations)
    rising = [after > before for before, after in itertools.pairwise(standard_deviations)]
    assert ("so it grows" in said) == (bool(rising) and standard_deviations[-1] > standard_deviations[0])
    assert ("so it grows:" in said) == (bool(rising) and all(rising))
    assert ("does not" in said) == (bool(rising) and standard_deviations[-1] <= standard_deviations[0])
    assert ("**Layers**" in claims.block.norms(post, standard_deviations)) == (setup.layers < 6)


def test_gelu_drops_nothing():
    """GELU leaves a negative number a little; only ReLU drops it."""
    assert claims.block.negatives_become("relu").endswith(" to 0")
    assert claims.block.negatives_become("gelu").endswith(" towards 0")


def test_what_is_said_of_shared_keys_is_counted():
    """Which heads share, and how many numbers that saves, counted in the tensors with and without sharing."""
    for heads, kv_heads in ((6, 2), (6, 1), (20, 5), (3, 3)):
        setup = Setup(heads=heads, kv_heads=kv_heads, d_model=7, d_k=3, d_v=5)
        said, own, alone = claims.heads.shared(setup), weights.projections(setup), weights.projections(replace(setup, kv_heads=0))
        saved = sum(alone[name].numel() - own[name].numel() for name in ("w_k", "w_v"))
        assert (said == "") == (saved == 0)
        if saved:
            trace, each = run(setup), run(replace(setup, kv_heads=0))
            kept = [sum(one.value(name)[:, 0].numel() for name in "kv") for one in (trace, each)]
            assert f"have {saved:,} numbers fewer" in said and f"have {kept[0]:,} numbers" in said and f"of {kept[1]:,}:" in said
            assert ("All" in said) == (kv_heads == 1)
    assert "heads 1 to 3 share kv head 1; heads 4 to 6 share kv head 2." in claims.heads.shared(Setup(heads=6, kv_heads=2))


@given(SETUPS)
def test_what_turns_is_said_where_it_turns(setup):
    """Only rotary positions turn, only pairs; where the sentence begins changes the scores no more than is told."""
    trace = run(setup)
    assert ("were turned" in claims.projection.turned(setup)) == ("q_rotated" in trace)
    assert (claims.projection.turned(setup) == "") == (setup.positions != "rotary")
    if "q_rotated" not in trace:
        return
    told, size = claims.projection.pairs_turned(setup, "q"), setup.d_k - setup.d_k % 2
    assert ("stays" in told) == (setup.d_k % 2 == 1)
    assert number(10000 ** (2 / size - 1)) in told or setup.d_k < 4
    lengths = [trace.value(name)[..., :size].unflatten(-1, (-1, 2)).norm(dim=-1) for name in ("q", "q_rotated")]
    assert torch.allclose(*lengths, rtol=1e-4, atol=1e-5)
    moved = turning.scores_moved(trace.value("q"), trace.value("k"), 10)
    room = trace.value("q").norm(dim=-1).max() * trace.value("k").norm(dim=-1).max()
    assert (moved - trace.value("scores")).abs().max() <= 1e-5 * room + 1e-6


# ---------- encoder ----------


def experiment(setup: Setup, double: bool = False) -> shuffle.Shuffled:
    """The page's experiment, or the same in float64, where rounding is next to nothing."""
    trace, layers = run(setup), weights.layers(setup)
    x, embedded = trace.value("x"), trace.value("embedded")
    if double:
        x, embedded = x.double(), embedded.double()
        layers = tuple({name: value.double() for name, value in layer.items()} for layer in layers)
    out = encoder.result(setup, layers, x, masks.of(setup, len(x)))
    return shuffle.shuffle(setup, layers, embedded, out)


@settings(max_examples=80)
@given(SETUPS)
def test_the_mask_is_blamed_where_it_is_on_and_does_it(setup):
    """What moves without a causal mask is rounding; with one it is the mask, unless all words are the same."""
    found, exact = experiment(setup), experiment(setup, double=True)
    said, verdict = claims.encoder.shuffled(found), shuffle.verdict(found)
    shuffled = found.order != tuple(range(len(setup.tokens)))
    assert ("causal mask" in said) == ("causal" in setup.mask and shuffled)
    assert ("**window**" in said) == (setup.mask == "window" and shuffled and setup.window < len(setup.tokens) - 1)
    assert ("Rotary positions, which are chosen" in said) == (setup.positions == "rotary")
    assert (verdict == "typed") == (found.order == tuple(range(len(setup.tokens))))
    if verdict in ("bag", "alike", "hidden"):
        assert exact.share("none") < shuffle.SEEN * 2
        assert "gives the order away" not in said
    if verdict in ("bag", "alike"):
        assert exact.share("none") < 1e-6
    if verdict == "mask":
        assert exact.share("none") > shuffle.SEEN / 2
        assert "gives the order away" in said
    if "That is what positions are for" in said:
        assert all(exact.share(kind) > shuffle.SEEN / 2 for kind in ("sinusoidal", "learned"))
    if "not even positions" in said:
        assert all(exact.share(kind) < shuffle.SEEN * 2 for kind in ("sinusoidal", "learned"))


@pytest.mark.parametrize(
    ("link", "verdict"),
    [
        ({"norm": "pre", "layers": 6, "d_model": 64}, "bag"),
        ({"text": "a a a", "mask": "causal"}, "alike"),
        ({"text": "a a a", "mask": "causal", "init": "trained", "steps": 3, "d_model": 5, "d_ff": 7}, "alike"),
        ({"text": "a a b", "mask": "causal", "shuffle": 2}, "mask"),
        ({"mask": "causal"}, "mask"),
        ({"mask": "causal", "d_model": 1}, "hidden"),
        ({"shuffle": 0}, "typed"),
        ({"text": "a"}, "typed"),
    ],
)
def test_what_the_shuffle_shows(link, verdict):
    """Large numbers are no mask, and a mask that is on is not overlooked."""
    assert shuffle.verdict(experiment(Setup(**link))) == verdict


# ---------- trained weights ----------

SENTENCE = "the cat drank the milk because it was thirsty"
SMALL = Setup(text=SENTENCE, init="trained", d_model=7, d_k=3, d_v=5, heads=2, d_ff=11, layers=2, steps=11)
LEARNED = replace(SMALL, positions="sinusoidal", heads=1, d_model=16, d_k=8, d_v=8, d_ff=64, steps=300)
TRAINED = [
    SMALL,
    replace(SMALL, mask="causal", positions="learned", bias="on", steps=3),
    replace(SMALL, positions="sinusoidal", norm="pre", layers=3, text="the zebra, it's a zebra: no lazy fox is ever hungry", steps=5),
    replace(SMALL, projections="none", split="characters", text="thirsty", steps=7),
    LEARNED,
    replace(LEARNED, mask="causal", positions="none", layers=1, text="a a a"),
]  # fmt: skip


def right(share: float) -> str:
    """How many of a thousand, as a sentence says it."""
    return {0: "none", 1000: "all"}.get(round(1000 * share), f"{round(1000 * share)}")


def last_and_first(setup: Setup, place: int, *texts: str) -> list[torch.Tensor]:
    """What attention and the stack make of one place in each of these sentences: a row of every layer's result."""
    rows = []
    for text in texts:
        own = replace(setup, text=text)
        rows.append(torch.cat([run(own).value("output")[place], encoder.encode(own)[-1].value("out")[place]]))
    return rows


@pytest.mark.parametrize("setup", TRAINED)
def test_how_often_trained_weights_are_right_is_told(setup):
    """Both counts for attention alone and the one for a stack are those of its own 1,000 unseen sentences."""
    attention_alone, stack = (training_store.get(setup, part) for part in ("attention", "stack"))
    said = claims.trained.attention_learned(setup, attention_alone)
    told = re.search(r"never saw, (\w+) are answered right at the adjective and (\w+) at the verb\.", said)
    assert told.groups() == tuple(right(attention_alone.accuracy[question]) for question in ("adjective", "verb"))
    assert f"never saw, {right(stack.accuracy['it'])} are answered right" in claims.trained.stack_learned(setup, stack)
    assert "**Training** has other stacks" in claims.trained.stack_learned(setup, stack)
    assert claims.trained.how_made(setup, attention_alone).endswith(f" {setup.steps} steps of training.")
    assert claims.overview.mean_something(setup, attention_alone).endswith(said)
    assert "drawn at random" in claims.overview.mean_something(setup, None)


@pytest.mark.parametrize("setup", TRAINED)
def test_a_guess_is_called_one_where_nothing_else_can_be(setup):
    """Without positions and mask the verb cannot tell who came first; under a causal mask `it` cannot see the adjective."""
    attention_alone, stack = (training_store.get(setup, part) for part in ("attention", "stack"))
    own = replace(setup, split="words")
    either = ("the milk warmed the cat because it was sour", "the cat warmed the milk because it was sour")
    same = torch.allclose(*last_and_first(own, language.PLACES["verb"], *either), atol=1e-4)
    assert ("who does it is a guess" in claims.trained.attention_learned(setup, attention_alone)) == same
    last = (SENTENCE, SENTENCE.replace("thirsty", "fresh"))
    blind = torch.equal(*last_and_first(own, language.PLACES["it"], *last))
    assert ("it can only guess" in claims.trained.stack_learned(setup, stack)) == blind


def test_as_many_sentences_are_told_as_were_asked():
    """Large sizes leave time for fewer questions: counts are of those, and not of 1,000."""
    setup = Setup(init="trained", d_model=64, d_k=64, d_v=64, heads=20, layers=6)
    empty = {name: torch.zeros(1) for name in ("embedding_table",)}
    result = training.Trained(empty, (1.0,), {"verb": 0.5, "adjective": 1.0, "it": 0.0}, 506, (), None, 1)
    said = claims.trained.attention_learned(setup, result)
    assert "Of 506 sentences that training never saw, all are answered right at the adjective and 253 at the verb." in said
    assert "Of 506 sentences that training never saw, none are answered right" in claims.trained.stack_learned(setup, result)


def test_a_setup_that_has_nothing_to_take_away_is_no_study():
    """d_k = 1 is tried only where d_k becomes smaller by it: not without projections, and not where it is 1 already."""
    for setup in (Setup(), Setup(projections="none"), Setup(d_k=1), Setup(sizes="wide", d_model=1), Setup(sizes="wide")):
        broken = study.variants(setup)
        assert ("d_k = 1" in broken) == (setup.projections == "learned" and setup.d_k > 1)
        assert all(broken["d_k = 1"].d_k == 1 for _ in range("d_k = 1" in broken))


def test_which_training_is_meant_is_said():
    """The three models of the study are trained from nothing, and are not the encoder's stack."""
    few = study.Right(79, 1000)
    assert "not the Encoder page's stack" in of_training.depth(Setup(), [few, few, few])


def test_a_budget_that_ended_early_is_told(monkeypatch):
    """How many steps were made of how many; nothing where all were."""
    monkeypatch.setattr(lessons, "BUDGET", 4 * lessons.multiplications(SMALL, None))
    monkeypatch.setattr(training_store, "_results", type(training_store._results)())
    result = training_store.get(SMALL, "attention")
    assert "ended after 4 steps of 11" in claims.trained.attention_learned(SMALL, result)
    assert claims.trained.how_made(SMALL, result).endswith("in 4 steps of training.")
    assert "ended after" not in claims.trained.attention_learned(SMALL, replace(result, wanted=4))


def test_edited_weights_were_not_asked():
    """Counts are of weights as they were trained: where some were edited since, that is said."""
    edited = replace(SMALL, edits="w_q.1=0")
    for tell, part in ((claims.trained.attention_learned, "attention"), (claims.trained.stack_learned, "stack")):
        said, plain = (tell(setup, training_store.get(setup, part)) for setup in (edited, SMALL))
        assert said.replace(" That was asked before any weight was edited.", "") == plain != said


@pytest.mark.parametrize("setup", TRAINED)
def test_what_a_stack_holds_is_told(setup):
    """What is named as held is all that attention alone and layer 1 have in common; W_o and the rest are the stack's own."""
    said = claims.trained.stack_learned(setup, training_store.get(setup, "stack")).split(" stay")[0]
    below, own = training_store.get(setup, "attention").weights, training_store.get(setup, "stack").weights
    held = (below.keys() - {"w_u", "w_o", "b_o"}) - {name.removeprefix("layer1.") for name in own}
    assert ("table" in said) == ("embedding_table" in held)
    assert ("learned positions" in said) == ("positions" in held)
    assert ("W_q, W_k and W_v" in said) == ({"w_q", "w_k", "w_v"} <= held)
    assert ("biases" in said) == ("b_q" in held)
    assert said.startswith("**These weights are trained.** The table")


@pytest.mark.parametrize("setup", TRAINED)
def test_words_that_training_never_saw_are_named(setup):
    """Each by its name; nothing where all were seen, or where nothing was trained."""
    missing = sorted(set(setup.tokens) - set(language.WORDS))
    said = claims.training.unseen_words(weights.unseen(setup))
    assert re.findall("“(.*?)”", said) == missing
    assert ("its row was" in said) == (len(missing) == 1)
    assert weights.unseen(replace(setup, init="normal")) == ()


@pytest.mark.parametrize("setup", TRAINED)
def test_the_nearest_row_is_the_nearest(setup):
    """Among the words of training no other row makes a smaller angle; of a word that was not seen nothing is said."""
    table = weights.embedding_table(setup)
    unit = table / table.norm(dim=1, keepdim=True)
    for row, word in enumerate(setup.vocabulary):
        said = claims.trained.nearest_row(setup, table, row)
        assert (said == "") == (word not in language.WORDS)
        if said:
            others = [k for k, other in enumerate(setup.vocabulary) if other in language.WORDS and k != row]
            cosines = {setup.vocabulary[k]: (unit[k] @ unit[row]).item() for k in others}
            named, told = re.findall("“(.*?)”", said)[0], float(read(re.search(r"is (−?[\d.]+)\.$", said)[1]))
            assert told == pytest.approx(max(cosines.values()), abs=1e-4)
            assert cosines[named] == pytest.approx(max(cosines.values()), abs=1e-6)


def test_what_the_vocabulary_holds():
    """Its words, its characters, or with trained weights both: as many as there are."""
    for setup in (Setup(), Setup(split="characters", text="abba"), *TRAINED):
        counts = [int(many) for many in re.findall(r"\d+", claims.common.vocabulary(setup))]
        assert sum(counts) == len(setup.vocabulary)
        assert ("character" in claims.common.vocabulary(setup)) == (setup.split == "characters")
        assert not ONE_OF_MANY.search(claims.common.vocabulary(setup))


@pytest.mark.parametrize("setup", TRAINED)
def test_the_study_over_d_k_says_what_it_draws(setup):
    """It does not measure the trained W_q: another training leaves its draw as it is, and the page says so."""
    said = claims.weights.drawn_by(setup)
    assert ("W_q and W_k drawn xavier" in said) == (setup.projections == "learned")
    assert "drawn" in said
    x = torch.linspace(-1, 1, 3 * setup.d_model).reshape(3, -1)
    own = replace(setup, text="the cat drank", split="words")
    if setup.projections == "learned":
        assert spread.measure(own, x) == spread.measure(replace(own, init="xavier"), x)


# ---------- training ----------


@st.composite
def short_trainings(draw) -> Setup:
    """Every choice, few steps: what is said must be true of a training that has learned little, too."""
    text = draw(st.sampled_from(("the cat drank the milk because it was thirsty", "the zebra", "milk milk")))
    setup = draw(any_setup(text=text, split="words", init="trained", layers=1, task="questions"))
    heads = min(setup.heads, 3)
    kv_heads = setup.kv_heads if setup.kv_heads and heads % setup.kv_heads == 0 else 0
    return replace(setup, heads=heads, kv_heads=kv_heads, sizes="free", steps=draw(st.sampled_from((1, 7, 12, 25))))


@settings(max_examples=15)
@given(short_trainings())
def test_what_is_said_of_a_training(setup):
    """Steps, loss, answers and roles: counted here from the results, and nothing is called learned that is not."""
    result = training_store.get(setup, "attention")
    assert f"**{setup.steps} step" in of_training.steps(result)
    found = study.answers(setup, result)
    said = of_training.answers(setup, found)
    shares = {question: f"{1000 * share:,.0f} of 1,000" for question, share in result.accuracy.items()}
    assert result.asked == 1000
    assert all(f"**{share}**" in said for share in shares.values())
    assert ("has not learned" in said) == any(share < 0.9 for share in result.accuracy.values())
    looks = roles.of_attention(setup, result)
    for head in range(setup.heads):
        each = {question: of_heads[head] for question, of_heads in looks.items()}
        said = of_training.role(head + 1, each)
        assert ("takes" in said) == any(look.times >= 180 for look in each.values())
        assert ("adjective to its noun" in said) == (each["adjective"].times >= 180)
    told = of_training.film(film.film(setup, result)[:, 0], [m.step for m in result.moments], setup.tokens, 0)
    assert ("No weight changed" in told) != ("changed most" in told)


@pytest.mark.parametrize(
    ("means", "told"),
    [
        ((1.0, -1.0, 0.0), "Of 3 weights, 3 go against this gradient, as a plain step would."),
        (
            (-9.0, 9.0, -0.1),
            "Of 3 weights, 1 goes against this gradient, as a plain step would. 2 go the other way: the gradients of the steps before "
            "still count.",
        ),
        (
            (-9.0, 9.0, -9.0),
            "Of 3 weights, 0 go against this gradient, as a plain step would. 3 go the other way: the gradients of the steps before "
            "still count.",
        ),
    ],
)
def test_which_way_weights_move_is_counted(means, told):
    """Adam's own step from three means: where an old mean outweighs its gradient, the weight goes its old way."""
    gradients = torch.tensor((2.0, -2.0, 2.0), dtype=torch.float64)
    first = torch.tensor(means, dtype=torch.float64)
    step = adam.adam_step(torch.zeros(3), gradients, first, first**2, 10)
    assert of_training.directions(gradients, step.after - step.before) == told
    still = adam.adam_step(torch.zeros(2), torch.tensor((0.0, 3.0)), torch.zeros(2), torch.zeros(2), 10)
    assert of_training.directions(still.gradient, still.after) == (
        "Of 2 weights, 1 goes against this gradient, as a plain step would. 1 stays as it is."
    )
    drifts = adam.adam_step(torch.zeros(1), torch.zeros(1), torch.ones(1), torch.ones(1), 10)
    assert "1 goes on although this gradient is 0" in of_training.directions(drifts.gradient, drifts.after)


@given(st.floats(-9, 9), st.floats(-9, 9), st.integers(1, 50))
def test_a_plain_step_stands_beside_adams(gradient, first, t):
    """Its size is the rate times the gradient; how much further Adam's goes, and which way, is counted from both."""
    step = adam.adam_step(1.0, gradient, first, first**2 + 0.01, t)
    said = of_training.plain_step(step, adam.RATE)
    plain, adams = -adam.RATE * gradient, step.after - step.before
    assert f"by {number(plain)}, Adam's by {number(adams)}" in said
    if plain and adams:
        assert ("the same way" in said) == (plain * adams > 0)
        assert (" times as far" in said) == (abs(adams) >= abs(plain))


@given(st.lists(st.integers(0, 8), min_size=1, max_size=9))
def test_since_when_a_head_looks_at_the_right_word(looks):
    """From the first moment after which the largest weight never leaves the right word; a word without a question has none."""
    setup = Setup(text="the cat drank the milk because it was thirsty", init="trained")
    moments = torch.zeros(len(looks), 9, 9)
    for k, key in enumerate(looks):
        moments[k, 8, key] = 1
    after = [10 * k for k in range(len(looks))]
    said = of_training.looks_right(setup, moments, after, 8)
    stays = [k for k in range(len(looks)) if all(key == 1 for key in looks[k:])]
    assert "“cat”" in said
    assert ("does not end there" in said) == (not stays)
    assert ("before the first step" in said) == (stays[:1] == [0])
    if stays and stays[0]:
        assert f"since step {after[stays[0]]}, at the latest" in said
    assert of_training.looks_right(setup, moments, after, 7) == ""
    assert of_training.looks_right(replace(setup, text="the zebra"), moments, after, 1) == ""


@given(st.lists(st.floats(0.001, 9), min_size=1, max_size=50))
def test_the_loss_falls_where_it_is_said_to(losses):
    """Over ten steps each where there are twenty, over one each where there are fewer."""
    said, told = of_training.loss(losses), 10 if len(losses) >= 20 else 1
    if len(losses) > 1:
        assert ("did not fall" in said) == (sum(losses[-told:]) >= sum(losses[:told]))
    assert ("on average" in said) == (told == 10)


@pytest.mark.parametrize(("positions", "mask"), [*itertools.product(("none", "sinusoidal"), ("none", "causal"))])
def test_positions_are_blamed_where_they_are_missing(positions, mask):
    """Only without positions and without a mask are the two orders the same words."""
    setup = Setup(init="trained", positions=positions, mask=mask)
    found = {"adjective": study.Right(999, 1000), "verb": study.Right(683, 1000)}
    assert ("the same words" in of_training.answers(setup, found)) == (positions == "none" and mask == "none")


def test_a_training_that_ended_early_says_why():
    """Fewer steps than were asked for are told, with the reason; all of them are, too."""
    result = training_store.get(Setup(init="trained", steps=30), "attention")
    assert of_training.steps(result) == "**30 steps** of training were made, as asked for."
    cut = of_training.steps(replace(result, wanted=600))
    assert cut.startswith("**30 of 600 steps**")
    assert "too long" in cut


def test_what_breaks_it_is_told_by_the_numbers():
    """More, fewer or as many right as with the setup as it is; the reasons are those of that setup."""
    usual = {"adjective": study.Right(990, 1000), "verb": study.Right(990, 1000)}
    kinds = {"either first": study.Right(290, 678), "animal first": study.Right(322, 322)}
    fewer = {"adjective": study.Right(990, 1000), "verb": study.Right(612, 1000)} | kinds
    said = of_training.broken("without positions", Setup(init="trained"), fewer, usual)
    assert said.startswith("As many right at the adjective and 378 fewer right at the verb.")
    assert "290 of 678" in said
    said = of_training.broken("without positions", Setup(init="trained", mask="causal"), usual | kinds, usual)
    assert said.startswith("As many right. The causal mask still tells the order")
    assert "nothing to divide by" in of_training.broken("without scaling", Setup(d_k=1), usual | kinds, usual)


def test_depth_says_what_was_enough():
    """One layer that is enough is told, one that is not is no surprise, and a causal mask is named as the reason."""
    few, all_right = study.Right(79, 1000), study.Right(1000, 1000)
    assert "One layer is enough" in of_training.depth(Setup(), [few, all_right, all_right])
    assert "One layer is enough" not in of_training.depth(Setup(), [few, few, all_right])
    assert "nobody could know" in of_training.depth(Setup(mask="causal"), [few, few, few])


# ---------- where they are made ----------


def test_every_sentence_is_said_somewhere():
    """No function that makes a sentence is left that no page, and no other sentence, asks."""
    code = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "pages").rglob("*.py") if file.name != "__init__.py")
    functions = [name for name in claims.__all__ if inspect.isfunction(getattr(claims, name))]
    assert [name for name in functions if not re.search(rf"(?<!def )\b{name}\b(?!\w)", code)] == []


# ---------- notebooks ----------


def test_why_nobody_noticed_is_true_of_the_form_on_screen():
    """Columns that look like probabilities, where they are; rows that sum to 1, where they do; nothing once it is repaired."""
    mistake = find("N4 softmax and size")
    for faults in (frozenset(), frozenset({"axis"}), frozenset({"size"}), frozenset({"axis", "size"})):
        weights, _, output = n4.output_of_heads(faults)
        columns = torch.allclose(weights.sum(dim=1), torch.ones(3, 6)) and not torch.allclose(
            weights.sum(dim=2), torch.ones(3, 6)
        )
        said = mistake.why_unnoticed(faults)
        assert ("Every column still looks like probabilities" in said) == columns
        assert ("Every row sums to 1" in said) == (faults == {"size"})
        assert ("the notebook printed" in mistake.run(faults).measured) == bool(
            (output[:, 0] - n4.PRINTED_OUTPUT).abs().max() < 0.01
        )
    for mistake in MISTAKES:
        assert mistake.why_unnoticed(frozenset()) == ""
        assert mistake.why_unnoticed(frozenset(mistake.faults)) == mistake.unnoticed


def test_a_symbol_is_not_capitalised():
    """ω₂₅ begins its sentence as ω₂₅; words begin theirs with a capital."""
    found = {mistake.key: mistake.run(frozenset(mistake.faults)).sentence for mistake in MISTAKES}
    assert found["N4 counting"].startswith("ω₂₅")
    assert found["N2 dropout"].startswith("The rows")


def test_agreement_is_what_the_page_says_it_is():
    """The page's count of figures that agree allows exactly the difference that it names."""
    at = app("pages/14_notebooks.py", mistake="N0 view")
    said = next(e.value for e in elements(at.main) if e.type == "caption" and "counts as agreement" in e.value)
    allowed = float(read(re.search(r"difference of up to ([\d.]+) counts as agreement", said)[1]))
    printed_numbers = torch.tensor([1.0])
    assert Figure("x", printed_numbers + 0.9 * allowed, printed_numbers).agrees
    assert not Figure("x", printed_numbers + 1.1 * allowed, printed_numbers).agrees


def test_a_tables_sizes_are_no_place():
    """Above a table stand its sizes with their axes, and apart from them whose head it is."""
    at = app("pages/4_scores.py", head=2)
    said = [e.value for e in elements(unfolded(at, "tables_scores").main) if e.type == "markdown"]
    assert any(each.startswith("`scores`: 3 × 6 × 6 (head × query × key); here head 2; ") for each in said)


def test_no_single_word_is_where_none_is():
    """A head of the second layer goes to no single word where none has nine in ten; else the one is named."""
    looks = {word: roles.Look(times, 0.5) for word, times in {"noun": 100, "animal": 88, "food": 70, "adjective": 12}.items()}
    assert "to no single one of these words in nine of ten" in of_training.role_of_it(1, looks)
    assert "takes *it* to the animal in 180 of 200" in of_training.role_of_it(1, looks | {"animal": roles.Look(180, 0.9)})
