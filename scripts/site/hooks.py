"""Hooks of mkdocs for the site.

Documents link to files outside `docs` (`../examples/redis`), which a code host shows. In the site such a file is a
page if it is Markdown, a folder is a page with its README and its files, and any other file is a file to download. The
build fails if a linked file does not exist.
"""

import os
import pathlib
import posixpath
import re

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, InclusionLevel

ROOT = pathlib.Path(__file__).parents[2]
LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
FENCE = re.compile(r"^(```.*?^```)", re.MULTILINE | re.DOTALL)
LANGUAGES = {
    ".cpp": "cpp",
    ".py": "python",
    ".sh": "sh",
    ".toml": "toml",
    ".sql": "sql",
    ".lua": "lua",
    ".txt": "cmake",
}
LOADS = re.compile(r"""<(?:script|img|iframe|link)\b[^>]*?\b(?:src|href)=["']?((?:https?:)?//[^"'\s>]+)""")
DRAWS = '<script src="{}"></script>\n</head>'


def links(text):
    """The targets of the relative links of a document."""
    found = [link[2] for part in FENCE.split(text)[::2] for link in LINK.finditer(part)]
    return [target for target in found if "://" not in target and not target.startswith(("/", "mailto:"))]


def repository_path(place, target):
    """The target of a link on a page, as a path from the root of the repository; `place` is the path of the page."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(place), target))


def is_listed(path):
    return path.is_file() and path.name != "README.md" and not path.name.endswith((".png", ".db"))


def folder_page(path):
    """A folder as a page: its README, then its files."""
    readme = path / "README.md"
    text = readme.read_text() if readme.exists() else f"# {path.relative_to(ROOT)}\n"
    for file in sorted(path.iterdir()):
        if is_listed(file):
            text += f"\n## {file.name}\n\n```{LANGUAGES.get(file.suffix, '')}\n{file.read_text()}```\n"
    return text


def site_path(path):
    """The path in the site of a file or folder of the repository."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if (ROOT / path).is_dir():
        return f"repository/{path}/README.md"
    return f"repository/{path}"


def place_of(src_uri):
    """The path in the repository of a page of the site."""
    if src_uri.startswith("repository/"):
        return src_uri.removeprefix("repository/")
    return f"docs/{src_uri}"


def generated(config, path):
    """The file of the site for a file or folder of the repository."""
    source = ROOT / path
    if not source.exists():
        raise PluginError(f"a document links to {path}, which does not exist")
    how = {"inclusion": InclusionLevel.NOT_IN_NAV}
    if source.is_dir():
        return File.generated(config, site_path(path), content=folder_page(source), **how)
    if path == "README.md":  # its content is repeated on other pages
        text = "---\nsearch:\n  exclude: true\n---\n\n" + source.read_text()
        return File.generated(config, site_path(path), content=text, **how)
    return File.generated(config, site_path(path), abs_src_path=str(source), **how)


def made_files():
    """Files of the site that are not in a folder of documents: their paths in the site, and their sources."""
    yield "assets/site.css", ROOT / "scripts/site/site.css"
    yield "assets/logo.svg", ROOT / "web/public/page/icon.svg"
    for file in (ROOT / "build/docs/files").iterdir():  # named VERSION-NAME
        yield f"assets/{file.name.partition('-')[2]}", file
    cpp = ROOT / "build/docs/cpp"  # the output of Doxygen
    for file in sorted(cpp.rglob("*")):
        if file.is_file():
            yield f"api/cpp/{file.relative_to(cpp).as_posix()}", file


def on_files(files, config):
    for name, source in made_files():
        files.append(File.generated(config, name, abs_src_path=str(source)))

    waiting = [file for file in files if file.is_documentation_page()]
    while waiting:
        page = waiting.pop()
        for target in links(page.content_string):
            path = repository_path(place_of(page.src_uri), target)
            if path.startswith("docs/") or files.get_file_from_path(site_path(path)):
                continue
            files.append(generated(config, path))
            if files.get_file_from_path(site_path(path)).is_documentation_page():
                waiting.append(files.get_file_from_path(site_path(path)))
    return files


def on_page_markdown(markdown, page, config, files):
    here = page.file.src_uri
    if here.startswith("api/"):  # guides first
        page.meta.setdefault("search", {"boost": 0.3})

    def led(link):
        target = link[2]
        if not links(link[0]):
            return link[0]
        path = site_path(repository_path(place_of(here), target))
        return link[1] + posixpath.relpath(path, posixpath.dirname(here) or ".") + link[3]

    parts = FENCE.split(markdown)
    parts[::2] = [LINK.sub(led, part) for part in parts[::2]]
    return "".join(parts)


def on_post_page(output, page, config):
    if 'class="mermaid"' not in output:
        return output
    script = os.path.relpath("assets/mermaid.min.js", posixpath.dirname(page.file.dest_uri) or ".")
    return output.replace("</head>", DRAWS.format(script), 1)


def on_post_build(config):
    """Fails if a page loads anything from another site."""
    for page in pathlib.Path(config.site_dir).rglob("*.html"):
        if found := LOADS.search(page.read_text()):
            raise PluginError(f"{page.name} loads {found[1]}")
