#!/usr/bin/env python3
"""Fails if a link of a built book leads to a file that is not in it: docs/links.py target/book"""

import os
import re
import sys

book = sys.argv[1]
links = broken = 0
for directory, _, files in os.walk(book):
    for name in files:
        if not name.endswith(".html"):
            continue
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            text = file.read()
        for link in re.findall(r'(?:href|src)="([^"#?]+)', text):
            if re.match(r"[a-z]+:", link):
                continue
            links += 1
            if not os.path.exists(os.path.join(directory, link)):
                broken += 1
                print(f"{os.path.join(directory, name)}: {link}")
print(f"{links} links, {broken} broken")
sys.exit(bool(broken) or links < 100)
