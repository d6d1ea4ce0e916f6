"""Boards as one HTML text without server or network, for a notebook's output or a file.

Each text has the scripts with it, compressed, so that it can be moved, deleted or shown alone; of
several on one page, the first to be shown unpacks them for all.
"""

import json
import re
import string
from base64 import b85encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from uuid import uuid4
from zlib import compress

from . import colours
from .packed import Matrix, choice, sent, to_json
from .scripts import WEB, join_modules
from .themes import themes
from .view import View

Opens = Mapping[str, Sequence[Matrix]]
VIEWS = ("matrices", "product", "flow")
# What only the app has.
APP = ("editing", "embed", "focus_restore", "highlight", "scripts/matrices", "transition")
STYLES = ("base", "marks", "canvas", "motion", "views")
# Those of `b85encode`, which takes less room than base 64.
DIGITS = f"{string.digits}{string.ascii_uppercase}{string.ascii_lowercase}!#$%&()*+-;<=>?@^_`{{|}}~"
OUTPUT = """<div id="{place}"><pre>{text}</pre></div>
<script>
(async () => {{
    const unpack = (size, packed) => {{
        const bytes = new DataView(new ArrayBuffer(packed.length / 5 * 4));
        for (let k = 0; k < packed.length; k += 5) {{
            const digits = [...packed.slice(k, k + 5)].map((c) => "{digits}".indexOf(c));
            bytes.setUint32(k / 5 * 4, digits.reduce((n, digit) => 85 * n + digit));
        }}
        const packer = new DecompressionStream("deflate");
        return new Response(new Blob([bytes.buffer.slice(0, size)]).stream().pipeThrough(packer))
            .text();
    }};
    const data = JSON.parse(await unpack({data}));
    const run = (text) => document.head.append(
        Object.assign(document.createElement("script"), {{ textContent: text }}),
    );
    await (window.{name} ??= unpack({script}).then(run));
    for (const place of document.querySelectorAll("#{place}")) window.{name}Draw(place, data);
}})();
</script>
"""


def render_html(view: View, *, text: str, opens: Opens | None = None) -> str:
    """Return a board, interactive as in the app, in the light or dark of the page around it; `text`
    stands there until it is drawn, or where scripts may not run.

    A click on one of its matrices that `opens` names shows that row of the matrices there as a
    softmax, below; with {}, the board's small pictures are enlarged there.
    """
    board = {"view": view.script, **sent(view), "chooses": choice()}
    name, script = _bundle()
    return OUTPUT.format(
        place=f"attention-{uuid4().hex[:12]}",
        text=escape(text),
        data=_pack(to_json({"board": board, "opens": opens})),
        digits=DIGITS,
        name=name,
        script=script,
    )


def _pack(text: str) -> str:
    """Return the size and the digits of a compressed text, as arguments."""
    packed = compress(text.encode(), 9)
    return f'{len(packed)}, "{b85encode(packed, pad=True).decode()}"'


@cache
def _bundle() -> tuple[str, str]:
    """Return the scripts and styles of these views, packed, with a name of their own: on a page
    with outputs of two versions, each has its own."""
    views = (WEB / f"views/{name}.js" for name in VIEWS)
    without = tuple(f"/{name}.js" for name in APP)
    script = _shorten(join_modules(WEB / "standalone.js", *views, without=without))
    sheets = "\n".join((WEB / f"{name}.css").read_text(encoding="utf-8") for name in STYLES)
    style = "\n".join((_shorten(_prune(sheets, script)), *colours.classes()))
    name = "attention_" + sha256((script + style).encode()).hexdigest()[:8]
    given = f"const THEMES = {json.dumps(themes())}, STYLES = {json.dumps(style)};"
    return name, _pack(f"(() => {{{given}{script}\nwindow.{name}Draw = drawAlone;}})();")


def _prune(sheet: str, script: str) -> str:
    """Return a style sheet without rules, and selectors in a list, for classes that the script does
    not name."""
    used = {f".{name}" for name in re.findall(r"ab-[\w-]+", script)}
    used |= {f".ab-{word}" for word in re.findall(r'"([\w-]+)"', script)}

    def is_used(selector: str) -> bool:
        return {*re.findall(r"\.[a-z][\w-]+", selector)} <= used

    def keep(found: re.Match[str]) -> str:
        kept = filter(is_used, re.split(r", (?![^(]*\))", found[2]))
        return f"{found[1]}({', '.join(kept) or '.none'})"

    for inside in (r"[^()]*", r"(?:[^()]|\([^()]*\))*"):
        sheet = re.sub(rf"(:where|:is)\(({inside})\)", keep, sheet)
    rules = re.compile(r"^([:.\w][^{}]*) \{\n(?:.*\n)*?\}\n", re.MULTILINE)
    return rules.sub(lambda found: found[0] if is_used(found[1]) else "", sheet)


def _shorten(text: str) -> str:
    """Return a script or style sheet without comments and indentation."""
    text = re.sub(r"/\*(?s:.*?)\*/|^\s*//.*\n|\s+// .*$", "", text, flags=re.MULTILINE)
    return re.sub(r"^\s+", "", text, flags=re.MULTILINE)
