#!/usr/bin/env python3
"""Puts page/ and the library into one file: bundle.py GLUE.js LIBRARY.wasm OUT.html"""

import base64
import gzip
import pathlib
import re
import sys

PAGE = pathlib.Path(__file__).parent / "page"
SAMPLES = PAGE.parent.parent / "tests" / "samples"


def packed(path):
    """The data in the form that the page unpacks with DecompressionStream."""
    return base64.b64encode(gzip.compress(pathlib.Path(path).read_bytes(), 9, mtime=0)).decode()


def data(name, path):
    return f'<script type="application/octet-stream" id="{name}">{packed(path)}</script>'


def main(glue, wasm, out):
    def style(match):
        return f"<style>\n{(PAGE / match[1]).read_text()}</style>"

    def script(match):
        path = pathlib.Path(glue) if match[1] == "explorer.js" else PAGE / match[1]
        return f"<script>\n{path.read_text()}</script>"

    def sample(match):
        return data(match[1], SAMPLES / match[2])

    page = (PAGE / "index.html").read_text()
    page = re.sub(r'<link rel="stylesheet" href="([^"]+)">', style, page)
    page = re.sub(r'<script src="([^"]+)"></script>', script, page)
    page = re.sub(r'<script type="application/octet-stream" id="([^"]+)" src="samples/([^"]+)"></script>', sample, page)
    page = page.replace('<script type="application/octet-stream" id="wasm"></script>', data("wasm", wasm))
    pathlib.Path(out).write_text(page)
    raw, small = pathlib.Path(wasm).stat().st_size, len(gzip.compress(page.encode(), 9))
    print(f"{out}: {len(page):,} bytes, {small:,} compressed; the library in it: {raw:,} bytes")


main(*sys.argv[1:])
