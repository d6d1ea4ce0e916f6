"""What the words before a matrix call it: `W_Q`, `q_proj.weight`, `\\mathbf{W}^Q_1`, "Query
weights", `QK^T / √d_k`, `alpha`."""

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache

SOLUTIONS = ("scores", "scaled", "masked", "weights", "context", "concat", "output")
LONGEST, LONGEST_NAME = 200, 80  # letters of one line that are read for a name, and of a name
_AROUND = " \t\"'`([{,.;*#>|&-%/"
_ORDINARY = frozenset(
    ("words", "tokens", "data", "input", "result", "step", "head", "sentence", "attention")
)


@dataclass(frozen=True)
class Name:
    """What a matrix is called here; which head or row its number says; how it lies; and the words
    that say so.

    `stored` is a library's (out, in), `turned` a matrix that is written as its transpose.
    """

    name: str
    said: str = ""
    number: int | None = None
    stored: bool = False
    turned: bool = False
    word: str = ""  # of which token it is a row: q_cat


_KIND = {
    "query": "q",
    "queries": "q",
    "key": "k",
    "keys": "k",
    "val": "v",
    "value": "v",
    "values": "v",
    "out": "o",
    "output": "o",
}
_LETTER = "queries|query|q|keys|key|k|values|value|val|v|output|out|o"
_W = "weights?|w|projection|proj|linear|lin|dense|kernel"
_OF_PROJECTION = re.compile(
    rf"(?:(?:{_W})(?:for|of)?(?:the)?|wmatrix)({_LETTER})(?:{_W}|matrix|heads?)*|({_LETTER})(?:{_W})(?:{_W}|matrix)*"
)
_OF_BIAS = re.compile(rf"(?:bias(?:for|of)?|b)({_LETTER})|({_LETTER})(?:{_W})?(?:bias|b)")
# What people call each of them, in small letters with nothing between: attention_weights, Attention
# Weights.
_KNOWN = {
    word: name
    for name, words in {
        "x": (
            """
            x e emb embs embed embeds embedding embeddings embedded input inputs inputembedding
            inputembeddings inputmatrix inputsequence inputvectors inputx xinput xin wordembedding
            wordembeddings wordvectors tokenembeddings tokenvectors tokens words hiddenstates
            hiddenstate embeddingsx inputembeds embeddingvectors data sentence xmatrix src xe xpe
            xpos embeddingplusposition
        """
        ),
        "memory_x": (
            "memory memoryx encoderoutput encoderoutputs encoderhiddenstates encoderstates xencoder"
            " xenc xmemory"
        ),
        "table": (
            """
            embeddingtable embeddingweight wte wteweight tokembeddingsweight wordembeddingsweight
            lookuptable vocabularyembeddings vocabembeddings
        """
        ),
        "w_qkv": "inprojweight qkvweight qkvprojweight wqkv wpack cattnweight cattnkernel",
        "b_qkv": "inprojbias qkvbias qkvprojbias bqkv cattnbias",
        "q": (
            "q query queries qmatrix querymatrix queryvectors queryvector qvector queriesq queryq"
            " qmat qs xq"
        ),
        "k": "k key keys kmatrix keymatrix keyvectors keyvector kvector keysk keyk kmat ks xk",
        "v": (
            "v value values vmatrix valuematrix valuevectors valuevector vvector valuesv valuev"
            " vmat vs vals xv"
        ),
        "w_o": (
            """
            wout outproj outprojweight cprojweight woutput unifyheadsweight outputweight
            outputweights outputmatrix attentionoutputdenseweight outputdenseweight oprojweight
            oproj
        """
        ),
        "b_o": (
            "bout outprojbias cprojbias boutput outputbias outputdensebias oprojbias unifyheadsbias"
        ),
        "mask": (
            "mask attnmask attentionmask causalmask tgtmask srcmask paddingmask lookaheadmask"
            " keypaddingmask maskmatrix"
        ),
        "scores": (
            """
            score scores attentionscores attnscores attentionscore rawscores unscaledscores
            dotproducts dotproduct similarity similarities omega attnlogits attentionlogits energies
            energy scorematrix qk qkt matmulqk alignment alignmentscores scoresraw
            rawattentionscores s kq ktq
        """
        ),
        "scaled": (
            """
            scaled scaledscores scaledscore scaledattentionscores scaledattentionlogits
            scaleddotproducts scaledqkt scoresscaled attnscoresscaled scaledomega omegascaled
            qktscaled scaledattention scaledlogits omegaprime
        """
        ),
        "masked": (
            "masked maskedscores maskedattentionscores scoresmasked maskedscaled maskedscaledscores"
            " attnscoresmasked"
        ),
        "weights": (
            """
            weights attentionweights attnweights attentionweight alpha alphas a attention attn
            attnprobs attentionprobs attentionprobabilities probs probabilities softmax
            softmaxscores softmaxscore softmaxoutput attentiondistribution attentionmatrix
            attnmatrix softmaxweights attentionmap att aweights p normalizedscores alphaweights
            alphavalues attentionpattern attentionweightsalpha
        """
        ),
        "context": (
            """
            z context contextvector contextvectors contextvec contextvecs contexts head headoutput
            headoutputs c attentionoutput attnoutput attnout attnoutputs attentionoutputs
            weightedsum weightedvalues alphav av zmatrix contextmatrix attended selfattentionoutput
            attentionresult
        """
        ),
        "concat": (
            """
            concat concatenated concatenatedheads concatheads multihead concatoutput concatcontext
            zconcat headsconcat concatenation
        """
        ),
        "output": (
            """
            y output outputs out finaloutput o result attentionlayeroutput mhaoutput multiheadoutput
            multiheadattention outputvectors ymatrix layeroutput outputy
        """
        ),
    }.items()
    for word in words.split()
}
_PREFIX = re.compile(
    r"(?:model|encoder|decoder|transformer|layers?|blocks?|self|selfattn|selfattention|attn|attention|mha|multihead|multiheadattention|module|net|"
    r"the|my|our|bert|roberta|matrix|matrices|vector|final|compute|computed|values?of|resulting|result|step|get|trained|learned|learnable)"
)
_LAYER = re.compile(r"(?:layers?|blocks?|\bh)[._\s]{0,2}[0-9]{1,3}(?=[._])")
_STORED = re.compile(
    r"\.weight\b|in_proj_weight|(?:^|[\s\"'_.])(?:q|k|v)_proj_weight", re.IGNORECASE
)
_CONV1D = re.compile(r"c_attn|c_proj", re.IGNORECASE)
TURN = (  # behind a name or a matrix: its transpose
    r"(?:\^\s?\{?\s?\\?(?:T|top|intercal|mathsf\{T\}|mathrm\{T\}|text\{T\})(?![a-z])\}?|\.T\b|'(?!\w)|[′ᵀ⊤]|\.transpose\([^()]{0,8}\)|\.t\(\))"
)
_TURNED = re.compile(rf"{TURN}\s*$")
_COMMANDS = re.compile(
    r"\\(?:mathbf|mathrm|mathit|mathcal|boldsymbol|bm|text|textbf|textit|operatorname|hat|tilde|bar|vec|left|right|mathbb)\b\*?"
)
_CODE = re.compile(
    r"(?:(?:np|numpy|torch|tf|jnp|nn|sp|sympy|mx|cp)\.)?(?:array|tensor|Tensor|FloatTensor|Parameter|constant|asarray|Variable|matrix|"
    r"Matrix|DeviceArray|Array|stack|as_tensor|list|print|convert_to_tensor|EagerTensor|rbind|cbind|data\.frame|eye|identity)\s{0,3}\("
)
_PARAMETER = re.compile(
    r"Parameter"
    r" containing:|<tf\.(?:Tensor|Variable)[^\n]{0,80}numpy=|"
    r"(?:In|Out)\s{0,2}\[[0-9]{0,4}\]:|>>>|OrderedDict|"
    r"dtype=[\w.]{1,20}|device='[\w:]{1,9}'|requires_grad=\w{1,5}|grad_fn=<\w{1,30}>"
)
_OMEGA = r"(?<!')(?:ω|\\omega)\s?"  # ω′ is scaled, ω″ masked; 'ω' is in quotes
_PRIMED = {
    _OMEGA + r"(?:''|\^\{?\\prime\s?\\prime\}?)": "ω″",
    _OMEGA + r"(?:'|\^\{?\\prime\}?)": "ω′",
}
_BEFORE_AN_ENTRY = re.compile(r".*[\])}],\s{0,3}(?=[\"'])")  # "tokens": ["a"], "X":
_SEPARATORS = re.compile(r"<-|←|:=|==|=|:|→|->|=>|⇒|\bis\b|\bare\b|≈|\\approx")


@lru_cache(maxsize=4096)
def named(label: str) -> Name | None:
    """Return what the words before a matrix call it, the nearest line first; None where they do not
    say.

    >>> named("W_Q^{(2)} = np.array("), named("self_attn.q_proj.weight tensor(").stored
    (Name(name='w_q', said='W_Q^{(2)}', number=2, stored=False, turned=False, word=''), True)
    >>> named("The attention weights are:").name, named("QK^T / sqrt(d_k) = ").name, named(
    ...     "dinner = "
    ... )
    ('weights', 'scaled', None)
    """
    lines = [
        line for line in plain(label).split("\n") if re.search(r"\w", line) and line.count("|") < 2
    ]
    for line in list(reversed(lines))[:3]:
        found = _of_line(line[-LONGEST:])
        if found:
            return found
    return None


def plain(label: str) -> str:
    """Return the label without what code and typesetting put around a name."""
    joined = unicodedata.normalize("NFKC", label[-600:]).replace("′", "'").replace("⊤", "^T")
    for pattern, name in _PRIMED.items():
        joined = re.sub(pattern, name, joined)
    return _CODE.sub(" ", _PARAMETER.sub(" ", joined))


def _of_line(line: str) -> Name | None:
    parts = [
        part.strip(_AROUND)
        for part in _SEPARATORS.split(_BEFORE_AN_ENTRY.sub("", line).strip())
        if re.search(r"\w", part)
    ]
    heading = None
    for part in parts[-3:]:
        found = _of_phrase(part if "(" in part else part.rstrip(")"))  # print(keys)
        if (
            found
            and found.name == "context"
            and found.number is not None
            and re.fullmatch(r"(?i)head\W{0,3}[0-9]+", part)
        ):
            heading = heading or found  # Head 1: W_q =
        elif found:
            return (
                replace(found, number=heading.number) if heading and found.number is None else found
            )
    return heading


def _of_phrase(phrase: str) -> Name | None:
    """Read one side of an equation, or the words of a heading: as a whole, then its last words that
    are a name."""
    whole = _of_identifier(phrase)
    if whole:
        return whole
    words = [word for word in (each.strip("()[],.;\"'") for each in phrase.split()) if word][-12:]
    for length in (3, 2, 1):
        for end in range(len(words), length - 1, -1):
            part = " ".join(words[end - length : end])
            found = None if length == 1 and _is_ordinary(part) else _of_identifier(part)
            if found:
                return found
    return None


def may_be_a_token(word: str) -> bool:
    """Return whether a word that names a matrix by itself is rather one of the sentence, where it
    stands beside a row among others."""
    return word in ("a", "I") or word.lower() in _ORDINARY


def _is_ordinary(word: str) -> bool:
    """Return whether a word of a sentence says nothing of a matrix by itself; a capital letter
    does, but for A and I."""
    return word == "A" or may_be_a_token(word) or (len(word) == 1 and word.islower())


def _of_identifier(phrase: str) -> Name | None:
    """Read a name as code and formulas write it."""
    bare = (
        _COMMANDS.sub("", phrase.replace("ω″", "masked").replace("ω′", "scaled"))
        if len(phrase) <= LONGEST_NAME
        else ""
    )
    turned, whole, bare = bool(_TURNED.search(bare)), _TURNED.sub("^T", bare), _TURNED.sub("", bare)
    expression = _of_expression(whole) or _of_expression(
        bare
    )  # what is turned in Q K^⊤ is K, in X W^⊤ the matrix as it is stored
    if expression or not bare or "," in bare:
        return Name(expression, phrase) if expression else None
    stored = bool(_STORED.search(bare)) and not _CONV1D.search(bare)
    bare, number = _number_of(_LAYER.sub("", bare).replace("ω", "omega").replace("α", "alpha"))
    compact = re.sub(r"[^a-z]", "", bare.lower())
    if not compact and number is not None and "head" in phrase.lower():
        return Name("context", phrase, number)
    if compact == "e" and "e" in bare:
        return None
    name, word = _of_compact(compact), ""
    if name is None:
        name, word = _of_row(bare)
    if name is None:
        return None
    return Name(name, phrase, number, stored and name.startswith(("w_", "b_")), turned, word)


def _number_of(bare: str) -> tuple[str, int | None]:
    """Split off the number of a head, or of a row: W_q_1, WQ1, head2_Wq, W_1^Q."""
    numbers = re.findall(r"[0-9]{1,3}", bare)
    if len(numbers) != 1:
        return bare, None
    without = bare.replace(numbers[0], " ", 1)
    return re.sub(r"(?i)(?<![a-z])(?:head|h)(?=[\s_^(){}.\-/]|$)", " ", without), int(numbers[0])


def _of_compact(compact: str) -> str | None:
    for _ in range(5):
        if compact in _KNOWN:
            return _KNOWN[compact]
        projection = _OF_PROJECTION.fullmatch(compact)
        if projection:
            return "w_" + _letter_of(projection)
        bias = _OF_BIAS.fullmatch(compact)
        if bias:
            return "b_" + _letter_of(bias)
        prefix = _PREFIX.match(compact)
        if not prefix:
            return None
        compact = compact[prefix.end() :]
    return None


def _letter_of(match: re.Match[str]) -> str:
    written = match[1] or match[2]
    return _KIND.get(written, written)


def _of_row(bare: str) -> tuple[str | None, str]:
    """Read what one token's row is called: q_cat, K_{sat}, output_apple."""
    match = re.fullmatch(r"\\?([A-Za-z]{1,12})_\s?\{?\s?([^\W_][\w'-]{0,30})\s?\}?", bare.strip())
    if match:
        name = _of_compact(match[1].lower())
        if name in ("x", "q", "k", "v", *SOLUTIONS):
            return name, match[2]
    return None, ""


_K_T = r"k[0-9]?(?:\^?t|\^?top|'|\.t)"
_EXPRESSIONS = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"multihead[a-z]{0,9}q[,;]k[,;]v", "output"),
        (r"(?:attention|self-?attention|selfattn|attn)[a-z]{0,9}q[,;]k[,;]v", "context"),
        (r".{0,20}softmax.{0,40}(?:dk|d_k|scaled|omega|scores|[0-9]|t)[·@*×]?v", "context"),
        (r".{0,20}softmax.{0,40}", "weights"),
        (rf"(?:frac)?q[0-9]?[·@*×]?{_K_T}?(?:/|sqrt|÷)\w{{0,14}}", "scaled"),
        (r"(?:frac)?(?:omega|scores|s)(?:/|sqrt|÷)\w{0,10}", "scaled"),
        (rf"q[0-9]?[·@*×]?{_K_T}", "scores"),
        (r"(?:x|e|inputs?|embeddings?)[·@*×]?\^?w\^?q[0-9]?", "q"),
        (r"(?:x|e|inputs?|embeddings?)[·@*×]?\^?w\^?k[0-9]?", "k"),
        (r"(?:x|e|inputs?|embeddings?)[·@*×]?\^?w\^?v[0-9]?", "v"),
        (r"(?:alpha|a|weights|attentionweights)[·@*×]v[0-9]?|alphav", "context"),
        (r"(?:concat[^w]{0,20}|z|context)[·@*×]?w\^?o", "output"),
        (r"concat[^w]{0,24}", "concat"),
    )
)


_LIBRARY = re.compile(r"\b(?:np|numpy|torch|math|tf)\.")
_INSIDE = re.compile(r"\.transpose\([-0-9, ]{0,8}\)|\.t\(\)|\.mt\b")
_CALL = re.compile(r"\b(?:dot|matmul|bmm|mm)\(([^,()]{1,30}),([^,]{1,30})\)$")
_LONG = re.compile(r"(?<![a-z])(?:queries|query|keys|key|values|value)(?![a-z])")


def _of_expression(bare: str) -> str | None:
    """Return what a product is: X W_Q, Q K^⊤, softmax(…), α V; None where it is none."""
    compact = re.sub(r"\\(?:cdot|times|,|;|!)", "·", bare.lower())
    compact = _CALL.sub(r"\1 @ \2", _INSIDE.sub("^t", _LIBRARY.sub("", compact)))
    if re.search(r"[@*·×]", compact):
        compact = _LONG.sub(lambda match: match[0][0], compact)
    compact = (
        re.sub(r"[\\\s_{}()$]", "", compact)
        .replace("ω", "omega")
        .replace("α", "alpha")
        .replace("√", "sqrt")
    )
    if len(compact) > LONGEST_NAME or compact in (
        "softmax",
        "softmaxscores",
        "softmaxoutput",
        "concat",
    ):
        return None
    return next((name for pattern, name in _EXPRESSIONS if pattern.fullmatch(compact)), None)
