"""deno, which needs no network here: what it says of the browser's modules, and what their
functions return."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from deno import find_deno_bin

ROOT = Path(__file__).parents[1]


def deno(*task: str, cwd: Path = ROOT, given: str = "") -> str:
    """Return what a task prints; one that fails fails the test with what it says."""
    done = subprocess.run(
        [find_deno_bin(), *task],
        cwd=cwd,
        env=os.environ | {"NO_COLOR": "1"},
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def evaluate(module: str, body: str, x: Any) -> Any:
    """Return what a function of `module` and `x` returns, of which this is the body, in
    JavaScript."""
    code = f"""
    import * as module from {json.dumps((ROOT / module).as_uri())};
    const x = JSON.parse(await new Response(Deno.stdin.readable).text());
    console.log(JSON.stringify((() => {{ {body} }})()));
    """
    return json.loads(deno("eval", "--no-remote", "--no-npm", code, given=json.dumps(x)))
