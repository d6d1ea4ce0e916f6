"""What a matrix is called where it stands: `W_Q =`, `q_proj.weight`, `Keys (K):`,
`\\mathbf{W}^Q_1`, `QK^T / √d_k`."""

import re
from dataclasses import dataclass
from functools import lru_cache

from ..text import text

WEIGHTS, QKV, BIASES = ("w_q", "w_k", "w_v"), ("q", "k", "v"), ("b_q", "b_k", "b_v", "b_o")
SOLUTIONS = ("scores", "scaled", "masked", "weights", "context", "concat", "output")
SYMBOLS = {
    name: said.upper() if len(said) == 1 and said.isascii() else said
    for name in ("x", *WEIGHTS, "w_o", *QKV, *SOLUTIONS)
    for said in (text.SYMBOLS.get(name, name),)
} | {"memory_x": "the other sentence", "table": "the table", "mask": "the mask"}
LONGEST_NAME = 80  # letters


@dataclass(frozen=True)
class Name:
    """What a matrix is called; which head or row its number says; of which word it is a row.

    `stored` is a library's (out, in), `turned` a matrix that is written as its transpose, `plain` a
    name alone and no product.
    """

    name: str
    said: str = ""
    number: int | None = None
    stored: bool = False
    turned: bool = False
    word: str = ""
    plain: bool = True


def symbol(name: str) -> str:
    """Return what a matrix is called in a sentence."""
    return SYMBOLS.get(name, name or "a matrix")


_W = r"(?:weights?|w|projection|proj|linear|lin|dense|kernel)"
_ATTENTION = r"(?:self|attention|attn|raw|unscaled|alignment|softmax)*"
LETTERS = {
    "q": "queries|query|qs?",
    "k": "keys?|ks?",
    "v": "values?|vals?|vs?",
    "o": "output|out|o",
}
_NAMES = tuple(
    (re.compile(pattern), name)
    for letter, words in LETTERS.items()
    for says in (f"(?:{words})",)
    for pattern, name in (
        (rf"(?:{_W}(?:for|of)?(?:the)?|wmatrix){says}(?:{_W}|matrix|heads?)*", f"w_{letter}"),
        (rf"{says}{_W}(?:{_W}|matrix)*", f"w_{letter}"),
        (rf"(?:bias(?:for|of)?|b){says}|{says}{_W}?(?:bias|b)", f"b_{letter}"),
        (rf"(?!out|o){says}(?:matrix|vectors?)?", letter),
    )
) + tuple(
    (re.compile(pattern), name)
    for name, pattern in {
        "x": r"x|e|tokens|words|hiddenstates|(?:x|input)matrix|inputx|inputsequence"
        r"|(?:input|word|token)*(?:inputs?|emb(?:s|ed)?|embed(?:s|ded|dings?)|(?<=.)vectors)",
        "memory_x": r"memoryx?|encoder(?:outputs?|hiddenstates|states)",
        "w_qkv": r"(?:inproj|qkv|qkvproj|cattn)weight|wqkv|cattnkernel",
        "b_qkv": r"(?:inproj|qkv|qkvproj|cattn)bias|bqkv",
        "w_o": r"outproj|oproj|(?:cproj|unifyheads|outputdense)weight",
        "b_o": r"(?:cproj|unifyheads|outputdense)bias",
        "mask": r"(?:attn|attention|causal|padding|lookahead)?mask|maskmatrix",
        "masked": r"masked(?:scaled)?(?:attention)?(?:scores)?|scoresmasked",
        "scaled": r"scaled(?:attention)?(?:scores?|dotproducts|qkt|omega)?"
        rf"|{_ATTENTION}(?:scores|omega)(?:scaled|prime)",
        "weights": rf"{_ATTENTION}(?:weights|probs|probabilities)|a|alphas?|att|p|attentionweight"
        r"|softmax(?:output|scores)?|(?:attention|attn)(?:distribution|matrix|map)?",
        "scores": rf"{_ATTENTION}(?:scores?|logits)(?:matrix)?|dotproducts|similarit(?:y|ies)"
        r"|omega|energies|qkt?|s",
        "context": r"(?:z|c|context)(?:vec|vectors?|matrix)?|contexts|headoutputs?|alphav"
        r"|(?:self)?(?:attention|attn)(?:outputs?|result)|weighted(?:sum|values)",
        "concat": r"concat(?:enat(?:ed|ion))?(?:heads|output)?",
        "output": r"y|ymatrix|o|out|(?:final|mha|multihead|layer)?outputs?|result"
        r"|multiheadattention",
    }.items()
)
_PREFIX = re.compile(
    r"model|encoder|decoder|transformer|layers?|blocks?|self|selfattn|selfattention|attn|attention"
    r"|mha|multihead|multiheadattention|module|the|our|my|final|matrix|matrices|vector|resulting"
)
TURN = (  # behind a name or a matrix: its transpose
    r"(?:\^\s?\{?\s?\\?(?:T|top|intercal|mathsf\{T\}|mathrm\{T\}|text\{T\})(?![a-z])\}?"
    r"|\.T\b|'(?!\w)|\.transpose\([^()]{0,8}\)|\.t\(\))"
)
_TURNED = re.compile(rf"{TURN}\s*$")
_STYLE = re.compile(
    r"\\(?:mathbf|mathrm|mathit|mathcal|boldsymbol|bm|text|textbf|operatorname|left|right)\b\*?"
)
_STORED = re.compile(r"\.weight\b|in_proj_weight|(?:^|[\s_.])(?:q|k|v)_proj_weight", re.IGNORECASE)
_LAYER = re.compile(r"(?:layers?|blocks?|\bh)[._\s]{0,2}[0-9]{1,3}(?=[._])")
_OTHER_LETTERS = re.compile(r"[^\W\d_a-zA-Zωα]")


@lru_cache(maxsize=4096)
def parse_name(phrase: str) -> Name | None:
    """Return what a name or a product is, as code and formulas write it; None for any other words.

    >>> parse_name("W_Q^{(2)}").number, parse_name("q_proj.weight").stored, parse_name("où")
    (2, True, None)
    >>> parse_name("QK^T / sqrt(d_k)").name, parse_name("q_cat").word
    ('scaled', 'cat')
    """
    bare = _STYLE.sub("", phrase.strip())
    if not bare or len(bare) > LONGEST_NAME or _OTHER_LETTERS.search(bare):
        return None
    bare = re.sub(r"(?:ω|\\omega)\s?(?:''|″|\^\{?\\prime\s?\\prime\}?)", "masked", bare)
    bare = re.sub(r"(?:ω|\\omega)\s?(?:['′]|\^\{?\\prime\}?)", "scaled", bare)
    without = _TURNED.sub("", bare)
    for written in (bare, without):  # what is turned in Q K^⊤ is K, in X W^⊤ the matrix
        if product := _parse_product(written):
            return Name(product, phrase, plain=False)
    turned, bare = (
        without != bare,
        _LAYER.sub("", without.replace("ω", "omega").replace("α", "alpha")),
    )
    if not re.fullmatch(r"[\w\s.^{}()\\/$-]+", bare):
        return None
    bare, number = _number_of(bare)
    compact = re.sub(r"[^a-z]", "", bare.lower())
    stored = bool(_STORED.search(phrase)) and not re.search("c_attn|c_proj", phrase)
    name, word = _look_up(compact), ""
    of_head = number is not None and re.match(r"(?i)head\W*\d", phrase.strip())
    if of_head and (not compact or name == "output"):
        name = "context"
    if name is None:
        row = re.fullmatch(r"\\?([A-Za-z]{1,12})_\s?\{?\s?([^\W_][\w'-]{0,30})\s?\}?", bare.strip())
        name, word = (_look_up(row[1].lower()), row[2]) if row else (None, "")
        name = name if name in ("x", *QKV, *SOLUTIONS) else None
    if name is None or (compact == "e" and "e" in bare):
        return None
    return Name(name, phrase, number, stored and name[:2] in ("w_", "b_"), turned, word)


def _number_of(bare: str) -> tuple[str, int | None]:
    """Split off the number of a head, or of a row: W_q_1, WQ1, head2_Wq, W_1^Q."""
    numbers = re.findall(r"\d{1,3}", bare)
    if len(numbers) != 1:
        return bare, None
    without = bare.replace(numbers[0], " ", 1)
    return re.sub(r"(?i)(?<![a-z])(?:head|h)(?=[\s_^(){}.\-/]|$)", " ", without), int(numbers[0])


def _look_up(compact: str) -> str | None:
    for _ in range(5):
        if found := next((name for pattern, name in _NAMES if pattern.fullmatch(compact)), None):
            return found
        prefix = _PREFIX.match(compact)
        if not prefix:
            return None
        compact = compact[prefix.end() :]
    return None


_KT = r"k\d?(?:\^?t|\^?top|'|\.t)"
_SCALE = r"(?:[/÷][\w.]{1,14}|sqrt\w{1,14})"
_X = r"(?:x\w{0,12}?|e|inputs?|embeddings?)"
_PRODUCTS = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"multihead[a-z]{0,9}q[,;]k[,;]v", "output"),
        (r"(?:attention|self-?attention|selfattn|attn)[a-z]{0,9}q[,;]k[,;]v", "context"),
        (r".{0,20}softmax.{0,40}[·]v", "context"),
        (r".{0,20}softmax.{0,40}", "weights"),
        (rf"(?:frac)?q\d?·?{_KT}?{_SCALE}|fracq·?{_KT}\d+", "scaled"),
        (r"(?:frac)?(?:omega|scores|s)(?:/|÷|sqrt)[\w.]{0,10}", "scaled"),
        (rf"q\d?·?{_KT}", "scores"),
        *((rf"{_X}·?\^?w\^?_?{letter}\d?|w\^?_?{letter}\d?·?{_X}", letter) for letter in "qkv"),
        (r"(?:alpha|a|weights|attentionweights)·v\d?|alphav", "context"),
        (r"(?:concat[^w]{0,20}|z|context)·?w\^?o", "output"),
        (r"concat[^w]{0,24}", "concat"),
    )
)
_SPELLINGS = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"\.transpose\([-0-9, ]{0,8}\)|\.t\(\)|\.mt\b|ᵀ", "^t"),
        (r"\b(?:np|numpy|torch|math|tf|f)\.", ""),
        (r"\b(?:dot|matmul|bmm|mm)\(([^,()]{1,30}),([^,]{1,30})\)$", r"\1@\2"),
        (r"\\(?:cdot|times|,|;|!)|[@*×⋅]", "·"),
        (r"(?<![a-z])(?:(q)uer(?:ies|y)|(k)eys?|(v)alues?)(?![a-z])", r"\1\2\3"),
        ("ω", "omega"),
        ("α", "alpha"),
        ("√", "sqrt"),
        (r"[\\\s_{}()$]", ""),
    )
)


def _parse_product(bare: str) -> str | None:
    """Return what a product is: X W_Q, Q K^⊤, softmax(…), α V; None where it is none."""
    compact = bare.lower()
    for pattern, instead in _SPELLINGS:
        compact = pattern.sub(instead, compact)
    if compact in ("softmax", "softmaxscores", "softmaxoutput", "concat") or len(compact) < 2:
        return None
    return next((name for pattern, name in _PRODUCTS if pattern.fullmatch(compact)), None)
