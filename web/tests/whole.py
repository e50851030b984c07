"""Properties of all views: links, keys, names for screen readers, phones, the dark."""

from page import same


def a_link_shows_the_same(page):
    page.open("#target=gfx942&words=d1010003_00020005")
    page.click("#tab-generations")
    link = page.hash()
    page.open(link)
    same(page.run("return !byId('view-generations').hidden && byId('view-instruction').hidden"), True)
    page.click("#tab-opcodes")
    page.run("history.back()")
    page.wait("return !byId('view-generations').hidden")
    # The name of a product works, too.
    page.open("#target=mi300x&words=be8000ff_00000007")
    same(page.value("#target"), "gfx942")
    # Invalid parts are left out.
    page.open("#view=nothing&target=gfx0&words=zz_12")
    same(page.run("return byId('view-instruction').hidden"), False)


def keys_and_readers(page):
    page.open("#target=gfx942")
    page.keys("body", "3")
    same(page.state("view"), "opcodes")
    page.keys("body", "/")
    same(page.run("return document.activeElement.id"), "search")
    for view in ["instruction", "generations", "opcodes", "object"]:
        page.open(f"#view={view}&target=gfx942&words=d1010003_00020005")
        unnamed = page.run(
            """return [...document.querySelectorAll("button, input, select, textarea, [role=grid]")].filter((e) => e.checkVisibility() &&
            !(e.innerText || "").trim() && !e.getAttribute("aria-label") && !(e.labels && e.labels.length)).map((e) => e.outerHTML)"""
        )
        same(unnamed, [])
        same(page.run("return document.querySelectorAll('[role=tab][aria-selected=true]').length"), 1)


def phones_and_the_dark(page):
    for view in ["instruction", "generations", "opcodes", "object"]:
        page.phone(360, 780)
        page.open(f"#view={view}&target=gfx942&words=d1cb0400_040e0401&field=src0")
        if view == "object":
            page.click("[data-sample=gfx1100-mixed]")
        page.picture(f"phone-{view}")
        # Nothing is wider than the window.
        same(page.run("return document.documentElement.scrollWidth"), 360)
        page.desktop()
        page.open(f"#view={view}&target=gfx942&words=d1cb0400_040e0401&field=src0")
        page.click("#theme")
        page.click("#theme")
        if view == "object":
            page.click("[data-sample=gfx1100-mixed]")
        page.picture(f"dark-{view}")
