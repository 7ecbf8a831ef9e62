"""Representations in notebooks."""

import base64
import html.parser
import re
import subprocess
import sys

import canopy
import pytest

X = {"x": canopy.real(0, 1)}
EVIL = "<b>\"&'$x$"


class Page(html.parser.HTMLParser):
    """The texts and tags of a page, and its tables as lists of lines."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.tables = [], [], []
        self.feed(text)
        self.pictures = [base64.b64decode(found) for found in re.findall(r"data:image/png;base64,([^\"]*)", text)]

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_data(self, data):
        self.texts.append(data)
        if self.tags[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data


def shown(thing):
    return Page(thing._repr_html_())


def is_picture(data):
    return data.startswith(b"\x89PNG") and len(data) > 3000


def searched(space=X, **options):
    return canopy.maximize(lambda **arm: float(next(iter(arm.values())) == 0.5), space, pulls=60, **options)


def test_a_result_is_a_sentence_a_picture_and_the_arms_played_most():
    result = searched()
    page = shown(result)
    assert result.best.text in page.texts and is_picture(*page.pictures)
    ((heads, *lines),) = page.tables
    assert heads == ["x", "mean", "95 % interval", "pulls"] and len(lines) == 5
    pulls = [int(line[-1]) for line in lines]
    assert pulls == sorted(pulls, reverse=True)
    assert pulls[0] == max(result.optimizer.estimate(episode.arm).pulls for episode in result.episodes)


def test_a_best_has_a_table_of_its_numbers():
    best = searched().best
    page = shown(best)
    ((heads, line),) = page.tables
    assert best.text in page.texts and not page.pictures
    assert dict(zip(heads, line))["pulls"] == str(best.pulls)


def test_many_parameters_and_optimizers_without_a_tree_have_a_picture():
    many = {name: canopy.real(0, 1) for name in "abcd"}
    assert is_picture(*shown(searched(many)).pictures)
    assert is_picture(*shown(searched(many, optimizer="random")).pictures)
    assert is_picture(*shown(searched(many).optimizer).pictures)
    assert shown(searched(optimizer="random").optimizer).pictures == []


def test_what_is_empty_is_shown():
    assert "0 pulls in 0 episodes" in shown(canopy.Result(canopy.Adaptive(X))).texts
    assert shown(canopy.Hct(X)).tables == []
    with_contexts = canopy.Adaptive(X, contexts={"load": canopy.real(0, 1)})
    assert shown(with_contexts).tables and shown(with_contexts.policy()).pictures == []


def test_a_policy_has_a_line_for_each_region():
    loads = iter([0.1, 0.9] * 200)
    result = canopy.maximize(
        lambda x, context: 1 - abs(x - context["load"]),
        X,
        contexts={"load": canopy.real(0, 1)},
        context=lambda: {"load": next(loads)},
        pulls=400,
    )
    for thing in (result, result.optimizer, result.policy):
        page = shown(thing)
        assert is_picture(*page.pictures) and len(page.tables[0]) == 1 + len(result.policy) >= 3
        assert page.tables[0][0][:3] == ["", "load", "pulls"]


def test_an_experiment_has_a_line_for_each_algorithm():
    measured = canopy.experiment(
        {EVIL: canopy.Algorithm("hct", rho=[0.5, 0.7]), "random": "random"}, "garland", steps=100, runs=2, tuning_runs=2
    )
    page = shown(measured)
    assert is_picture(*page.pictures)
    ((heads, tuned, other),) = page.tables
    assert heads[:3] == ["environment", "algorithm", "regret per step"]
    assert tuned[:2] == ["garland", EVIL] and "rho = " in tuned[-1] and other[-1] == ""


def test_names_and_choices_are_escaped():
    result = searched({EVIL: canopy.choice(0.5, EVIL, "<script>alert(1)</script>")})
    for thing in (result, result.best, result.optimizer):
        page = shown(thing)
        assert set(page.tags) <= {"div", "p", "img", "table", "thead", "tbody", "tr", "th", "td"}
        assert page.tables[0][0][0] == EVIL
    assert any(line[0] == EVIL for line in shown(result).tables[0][1:])


def test_a_study_is_shown_open_and_closed(store):
    with canopy.Study.open("<i>", store, space=X) as study:
        canopy.maximize(lambda x: x, optimizer=study, pulls=30)
        page = shown(study)
        assert any("canopy.Study <i>" in text for text in page.texts) and is_picture(*page.pictures)
    page = shown(study)
    assert page.tags == ["pre"] and "closed" in page.texts[0]


def test_a_look_at_a_study_on_a_server_asks_for_nothing():
    assert canopy.RemoteStudy._repr_html_(object()) is None


def test_without_matplotlib_there_is_no_picture():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import canopy\n"
        "result = canopy.maximize(lambda x: x, {'x': canopy.real(0, 1)}, pulls=30)\n"
        "text = result._repr_html_()\n"
        "print('<table>' in text, '<img' in text)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == (
        "True False\n"
    )


def test_looking_leaves_no_figures_and_no_traces():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    result = searched()
    before = result.optimizer.save()
    first, second = result._repr_html_(), result._repr_html_()
    assert first == second and result.optimizer.save() == before
    assert pyplot.get_fignums() == []
