"""The first file the child process runs: makes this folder a package and starts it.

An engine must not be able to import `core`: only this folder is importable, and not through `sys.path`.
"""

import importlib.util
import sys
from pathlib import Path

_HERE = Path(__file__).parent
_NAME = "hermes_inspector_child"


def _package() -> None:
    spec = importlib.util.spec_from_file_location(
        _NAME, _HERE / "__init__.py", submodule_search_locations=[str(_HERE)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(_NAME)
    module = importlib.util.module_from_spec(spec)
    sys.modules[_NAME] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != _HERE]
    _package()
    importlib.import_module(f"{_NAME}.serve").main()
