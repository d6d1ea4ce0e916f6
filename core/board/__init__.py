"""The board: matrices packed by Python and drawn in the browser.

Python: `view` is what all views share, `views`, `planes` and `next_word` declare them; `packed`
serialises matrices, `long_axes` shortens long axes, `stations` describes the overview diagram,
`colours` has the roles, `scripts` joins the scripts.

Scripts in `web/`, from low level to high: `dom` (elements), `numbers`, `text`, `colours`, `decode`
(data from Python), `matrix` (cells), `labels`, `table`, `picture` (export), `menu`, `canvas`
(drawing area), `editing` (changed weights), `tooltip`, `pointing` (mouse, touch, keys), `clock`
(time), `primitives` (animations), `player` and `controls` (playback), `scripts/` (each view's
animation as data), `transition` (colours after a change), `views/` (one file each), `board`
(start).
"""
