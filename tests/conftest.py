"""What all tests share is in `helpers`. The process that hands the tests out to others needs none
of it, and starts sooner."""

import gc


def pytest_configure(config) -> None:
    hands_out = config.getoption("dist", "no") != "no" and config.getoption("tx", None)
    if not hands_out:
        config.pluginmanager.import_plugin("helpers")


def pytest_collection_finish() -> None:
    """What the imports made stays: no collection of garbage goes over it again."""
    gc.collect()
    gc.freeze()
