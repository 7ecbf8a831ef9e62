"""Links between documents lead to existing files and headings, as a code host shows them."""

import re
import subprocess

FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchor(heading):
    """The anchor of a heading on a code host."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(text):
    found = [anchor(heading) for heading in re.findall(r"^#+ +(.+?)\s*$", FENCE.sub("", text), re.MULTILINE)]
    return {
        name if found[:at].count(name) == 0 else f"{name}-{found[:at].count(name)}" for at, name in enumerate(found)
    }


def documents(root):
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=root, check=True, capture_output=True, text=True)
    return [root / name for name in listed.stdout.split()]


def test_every_link_leads_somewhere(root):
    broken = []
    known = {}
    for page in documents(root):
        links = LINK.findall(FENCE.sub("", page.read_text()))
        for link in links:
            target, _, fragment = link.partition("#")
            if "://" in target or target.startswith("mailto:"):
                continue
            file = (page.parent / target).resolve() if target else page
            if file.is_dir() and fragment:
                file /= "README.md"
            if not file.exists():
                broken.append(f"{page.relative_to(root)}: {link}")
            elif fragment and file.suffix == ".md":
                if file not in known:
                    known[file] = anchors(file.read_text())
                if fragment not in known[file]:
                    broken.append(f"{page.relative_to(root)}: {link}: no such heading")
    assert broken == []


def test_anchors_are_those_of_a_code_host():
    assert anchor("[[space]]: parameters") == "space-parameters"
    assert anchor("When it is used, `canopy tune`") == "when-it-is-used-canopy-tune"
    assert anchors("# A\n## B\n## B\n```sh\n# no heading\n```\n") == {"a", "b", "b-1"}
