"""The tests of the program, whose dataclasses are made as the program makes them."""

from core.support import quick_dataclasses

quick_dataclasses.install("tests")
