#!/usr/bin/env -S python3 -B
"""Uses the page in a real browser, and compares it with the output of the tool.

test.py PAGE TOOL SHOTS: the page is the file that build.sh makes; pictures of each view are put into the directory SHOTS.
"""

import pathlib
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "tests"))

import instruction
import objects
import tables
import whole
from page import Page, same


def tests():
    """The functions that take nothing but a page, in the order in which they are written."""
    for module in [instruction, tables, objects, whole]:
        for test in vars(module).values():
            code = getattr(test, "__code__", None)
            if code and test.__module__ == module.__name__ and code.co_varnames[: code.co_argcount] == ("page",):
                yield test


def main(page, tool, shots):
    failed = 0
    browser = Page(page, tool, shots)
    try:
        for test in tests():
            start = time.time()
            try:
                browser.log()
                test(browser)
                same(browser.log(), [])
                result = "ok"
            except Exception:
                failed += 1
                result = "FAILED\n" + traceback.format_exc()
            print(f"{test.__name__} ... {result} ({time.time() - start:.1f} s)", flush=True)
    finally:
        browser.close()
    sys.exit(failed > 0)


main(*sys.argv[1:])
