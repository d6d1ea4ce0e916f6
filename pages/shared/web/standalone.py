"""A board as one HTML text without server or network, for a file or a notebook's output."""

from html import escape

from core.board.packed import choice, sent, to_json
from core.board.scripts import VIEWS, WEB, join_modules
from core.board.view import View
from pages.shared.web.scripts import styles
from pages.shared.web.themes import themes

PAGE = """<!doctype html>
<meta charset="utf-8">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --st-font: sans-serif; {light} }}
@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}
body {{ margin: 1rem; background: var(--st-background-color); }}
{styles}
</style>
<body>
<script type="application/json" class="ab-board">{data}</script>
<script type="module">{script}</script>
"""


def render_html(view: View) -> str:
    """Return a page with this board alone, interactive as in the app, in the reader's light or dark
    theme."""
    data = to_json({"view": view.script, **sent(view), "chooses": choice()})
    return PAGE.format(
        title=escape(view.alt),
        data=data.replace("</", r"<\/"),
        styles=styles(),
        script=join_modules(WEB / "standalone.js", *VIEWS),
        **{mode: _declare_colours(colours) for mode, colours in themes().items()},
    )


def _declare_colours(colours: dict[str, str | list[str]]) -> str:
    """Return colours and lists of colours as style sheet declarations."""
    joined = {
        name: ", ".join(value) if isinstance(value, list) else value
        for name, value in colours.items()
    }
    return "".join(f"{name}: {value};" for name, value in joined.items())
