"""What a matrix is called where it stands: `W_Q =`, `q_proj.weight`, `Keys (K):`,
`\\mathbf{W}^Q_1`, `QK^T / √d_k`. Only what stands directly beside it counts."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

WEIGHTS, QKV, BIASES = ("w_q", "w_k", "w_v"), ("q", "k", "v"), ("b_q", "b_k", "b_v", "b_o")
SOLUTIONS = ("scores", "scaled", "masked", "weights", "context", "concat", "output")
SYMBOLS = {
    "x": "X",
    "memory_x": "the other sentence",
    "table": "the table",
    "w_q": "W_q",
    "w_k": "W_k",
    "w_v": "W_v",
    "w_o": "W_o",
    "q": "Q",
    "k": "K",
    "v": "V",
    "mask": "the mask",
    "scores": "ω",
    "scaled": "ω′",
    "masked": "ω″",
    "weights": "α",
    "context": "Z",
    "output": "Y",
}
LONGEST, LONGEST_NAME = 200, 80  # letters of one line that are read for a name, and of a name


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


# ---------- where the name stands ----------

_PRINT = re.compile(r"^\s*(?:System\.out\.)?print(?:ln|f)?!?\s*\((.*?)\)?;?\s*$")
_PRINTS = (
    re.compile(  # several, on lines of their own or with ; between: print(Q); print(K.round(2))
        r"(?:^|(?<=[;\n]))(?:[ \t>]*print\(\w+[^()\n]*(?:\([^()\n]*\)\s*)?\)[ \t]*[;\n]\s*){2,}$"
    )
)
_SEPARATORS = re.compile(r"(<-|←|:=|==|=>|=|:|→|->|⇒|≈|\\approx|\\to\b|\\rightarrow\b)")
_SAYS = re.compile(
    r"\s(?:is|are|be|equals?|equal to|as|gives|becomes)\s*(?:then|thus)?\s*$", re.IGNORECASE
)
_AROUND = " \t\"'`([{,.;*#>|&-%/)]}!$"
_NUMERIC = re.compile(r"[-+]?[\d./√\\fracsqt{}\s]*[*@·×⋅+/-]?$|[-+*@·×⋅/]|\\cdot|\\times")
_HEAD = re.compile(r"\bhead\s*[#_]?\s*(\d{1,2})\b", re.IGNORECASE)
_ORDINARY = frozenset(
    [
        "words",
        "tokens",
        "data",
        "input",
        "inputs",
        "result",
        "step",
        "head",
        "sentence",
        "attention",
        "out",
        "output",
        "value",
        "key",
        "c",
        "e",
        "o",
        "s",
        "p",
    ]
)


def find_names_before(label: str) -> tuple[tuple[Name, ...], bool]:
    """Return the names directly before a matrix, several in `W_Q = W_K = [[…`, and whether a number
    or a sign stands in between, so that the matrix is a part of a calculation.

    >>> [name.name for name in find_names_before("the query matrix is W_Q = ")[0]]
    ['w_q']
    >>> find_names_before("Q = 0.5 * ")
    ((), True)
    """
    line, own = _nearest(label)
    sides = _SEPARATORS.split(line)
    parts = [part.strip() for part in sides[::2]]
    if _is_factor(parts[-1], own):
        return (), True
    named_sides = [k for k, part in enumerate(parts) if part.strip(_AROUND)]
    last = named_sides[-1] if named_sides else 0
    whole_only = last == len(parts) - 1 and not _SAYS.search(parts[last] + " ")
    found = _parse_side(_SAYS.sub("", parts[last] + " "), whole_only)
    if found is None:
        return (), False
    head = next((m for part in parts[:last] if (m := _HEAD.search(part))), None)
    if head and found.number is None:
        found = replace(found, number=int(head[1]))
    names = [found]
    for k in reversed(named_sides[:-1]):
        other = _parse_side(parts[k], True)
        if sides[2 * k + 1] == ":" or not other or not other.plain or other.name in SOLUTIONS:
            break
        if not found.plain:  # q_1 = x_1 W_Q says which row it is
            return ((other if other.name == found.name else found),), False
        names.insert(0, other)
    return tuple({name.name: name for name in names}.values()), False


def _nearest(label: str) -> tuple[str, bool]:
    """Return the line that may name a matrix, what code writes around a name left away, and whether
    it is the matrix's own."""
    lines = [
        line
        for line in label.split("\n")
        if not is_empty(line) and line.count("|") < 2 and line.count("\t") < 2
    ]
    tail = label.rpartition("\n")[2]
    own = not is_empty(tail)
    line = tail if own else "".join(lines[-1:])
    line = match[1] if (match := _PRINT.match(line)) else line
    return _innermost(line.replace("**", " ")[-LONGEST:]), own


def _is_factor(side: str, own: bool) -> bool:
    """Return whether a number or a sign between a name and a matrix makes it part of a product."""
    if not own:
        return bool(re.fullmatch(r"\s*[\d.e+-]+\s*[*×]\s*", side))  # MATLAB's 1.0e+03 *
    if not side.strip(_AROUND):
        return bool(re.search(r"[-+*@·×⋅/]\s*[(\[]?$", side))
    return bool(_NUMERIC.fullmatch(side) and re.search(r"[\d*@·×⋅+/-]", side))


def is_empty(label: str) -> bool:
    """Return whether nothing but constructors stands between two matrices."""
    return not re.search(r"\w", label)


def find_listed_names(label: str) -> tuple[Name, ...]:
    """Return the names of a line such as `Q, K, V =`, or of several lines that print them; none
    where it is no such line."""
    if printed := _PRINTS.search(label):
        names = [parse_name(one) for one in re.findall(r"print\((\w+)", printed[0])]
        return tuple(name or Name("") for name in names)
    line = label.rpartition("\n")[2]
    match = re.fullmatch(
        r"\s*(?:let|const|var)?\s*\(?([^=()]{3,80}?)\)?\s*(?:=|:=|<-|←)[\s(\[]*", line
    )
    found = [parse_name(part) for part in match[1].split(",")] if match else []
    return tuple(name for name in found if name) if len(found) > 1 and all(found) else ()


def _innermost(line: str) -> str:
    """Return what stands behind the last bracket that is still open, and the last comma."""
    depth = 0
    for i in range(len(line) - 1, -1, -1):
        if line[i] in ")]}":
            depth += 1
        elif line[i] in "([{" and depth:
            depth -= 1
        elif (line[i] in "([{" and line[i + 1 :].strip()) or (
            line[i] in ",;" and not depth and re.search(r"\w", line[i + 1 :])
        ):
            return line[i + 1 :]
    return line


def _parse_side(side: str, whole_only: bool) -> Name | None:
    """Read one side of an equation or a heading: as a whole, then its last words."""
    side = side.strip(_AROUND + "\n") if "(" not in side else side.strip(" \t\"'`*#>|&")
    shorter = re.sub(r"\s*\([^()]*\)\s*:?$", "", side)
    for whole in (side, shorter, re.sub(r"^(?:Step|Head)\s*\d+[.:)]?\s*", "", shorter)):
        if found := parse_name(whole) or parse_name(whole.strip(_AROUND)):
            return found
    if whole_only:
        return None
    words = shorter.split()[-6:]
    for length in (3, 2, 1):
        tail = [word.strip(_AROUND) for word in words[-length:]]
        before = words[-length - 1] if len(words) > length else ""
        lone = length == 1 and (tail[0] == "A" or tail[0].lower() in _ORDINARY)
        if len(tail) < length or lone or (before and before[-1] in "*@·×⋅+/-"):
            continue
        if found := parse_name(" ".join(tail)):
            return found
    return None


def may_be_a_word(word: str) -> bool:
    """Return whether a matrix's name is rather a word of the sentence, beside one of its rows."""
    return word in ("a", "I") or word.lower() in _ORDINARY


# ---------- what a name says ----------

_LETTER = "queries|query|q|keys|key|k|values|value|val|v|output|out|o"
_W = "weights?|w|projection|proj|linear|lin|dense|kernel"
_OF_PROJECTION = re.compile(
    rf"(?:(?:{_W})(?:for|of)?(?:the)?|wmatrix)({_LETTER})(?:{_W}|matrix|heads?)*"
    rf"|({_LETTER})(?:{_W})(?:{_W}|matrix)*"
)
_OF_BIAS = re.compile(rf"(?:bias(?:for|of)?|b)({_LETTER})|({_LETTER})(?:{_W})?(?:bias|b)")
_KNOWN = {
    word: name
    for name, words in {
        "x": """x e emb embs embed embeds embedding embeddings embedded input inputs inputembedding
            inputembeddings inputmatrix inputsequence inputvectors wordembeddings wordvectors
            tokenembeddings tokenvectors tokens words hiddenstates inputembeds xmatrix inputx""",
        "memory_x": "memory memoryx encoderoutput encoderoutputs encoderhiddenstates encoderstates",
        "w_qkv": "inprojweight qkvweight qkvprojweight wqkv cattnweight cattnkernel",
        "b_qkv": "inprojbias qkvbias qkvprojbias bqkv cattnbias",
        "q": "q query queries qmatrix querymatrix queryvector queryvectors qs",
        "k": "k key keys kmatrix keymatrix keyvector keyvectors ks",
        "v": "v value values vmatrix valuematrix valuevector valuevectors vs vals",
        "w_o": """wout outproj outprojweight cprojweight woutput unifyheadsweight outputweight
            outputweights outputdenseweight oprojweight oproj""",
        "b_o": "bout outprojbias cprojbias outputbias outputdensebias oprojbias unifyheadsbias",
        "mask": "mask attnmask attentionmask causalmask paddingmask lookaheadmask maskmatrix",
        "scores": """score scores attentionscores attnscores rawscores unscaledscores dotproducts
            similarity similarities omega attnlogits attentionlogits energies scorematrix qk qkt
            alignmentscores rawattentionscores s scoresmatrix""",
        "scaled": """scaled scaledscores scaledscore scaledattentionscores scaleddotproducts
            scaledqkt scoresscaled attnscoresscaled scaledomega omegascaled omegaprime""",
        "masked": "masked maskedscores maskedattentionscores scoresmasked maskedscaledscores",
        "weights": """weights attentionweights attnweights attentionweight alpha alphas a attention
            attn attnprobs attentionprobs attentionprobabilities probs probabilities softmax
            softmaxscores softmaxoutput attentiondistribution attentionmatrix attnmatrix
            attentionmap att p softmaxweights""",
        "context": """z context contextvector contextvectors contextvec contexts headoutput c
            headoutputs attentionoutput attnoutput attentionoutputs weightedsum weightedvalues
            alphav zmatrix contextmatrix selfattentionoutput attentionresult""",
        "concat": "concat concatenated concatenatedheads concatheads concatoutput concatenation",
        "output": """y output outputs out finaloutput o result mhaoutput multiheadoutput ymatrix
            multiheadattention layeroutput""",
    }.items()
    for word in words.split()
}
_PREFIX = re.compile(
    r"model|encoder|decoder|transformer|layers?|blocks?|self|selfattn|selfattention|attn|attention"
    r"|mha|multihead|multiheadattention|module|the|our|my|final|matrix|matrices|vector|resulting"
)
_FULL = {"query": "q", "queries": "q", "key": "k", "keys": "k", "val": "v", "value": "v"} | {
    "values": "v",
    "out": "o",
    "output": "o",
}
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
    turned = bool(_TURNED.search(bare))
    without = _TURNED.sub("", bare)
    for written in (bare, without):  # what is turned in Q K^⊤ is K, in X W^⊤ the matrix
        if product := _parse_product(written):
            return Name(product, phrase, plain=False)
    bare = _LAYER.sub("", without.replace("ω", "omega").replace("α", "alpha"))
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
        name = _look_up(row[1].lower()) if row else None
        word = row[2] if row and name in ("x", *QKV, *SOLUTIONS) else ""
        name = name if word else None
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
        if compact in _KNOWN:
            return _KNOWN[compact]
        for pattern, kind in ((_OF_PROJECTION, "w_"), (_OF_BIAS, "b_")):
            if match := pattern.fullmatch(compact):
                letter = match[1] or match[2]
                return kind + _FULL.get(letter, letter)
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
_CALL = re.compile(r"\b(?:dot|matmul|bmm|mm)\(([^,()]{1,30}),([^,]{1,30})\)$")
_LONG = re.compile(r"(?<![a-z])(?:queries|query|keys|key|values|value)(?![a-z])")


def _parse_product(bare: str) -> str | None:
    """Return what a product is: X W_Q, Q K^⊤, softmax(…), α V; None where it is none."""
    compact = re.sub(r"\.transpose\([-0-9, ]{0,8}\)|\.t\(\)|\.mt\b", "^t", bare.lower())
    compact = _CALL.sub(r"\1@\2", re.sub(r"\b(?:np|numpy|torch|math|tf|f)\.", "", compact))
    compact = re.sub(r"\\(?:cdot|times|,|;|!)|[@*×⋅]", "·", compact)
    if "·" in compact:
        compact = _LONG.sub(lambda match: match[0][0], compact)
    for old, new in {"ω": "omega", "α": "alpha", "√": "sqrt", "ᵀ": "^t"}.items():
        compact = compact.replace(old, new)
    compact = re.sub(r"[\\\s_{}()$]", "", compact)
    if compact in ("softmax", "softmaxscores", "softmaxoutput", "concat") or len(compact) < 2:
        return None
    return next((name for pattern, name in _PRODUCTS if pattern.fullmatch(compact)), None)
