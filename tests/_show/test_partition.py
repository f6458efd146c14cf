import re
from html.parser import HTMLParser

import numpy as np
import pytest

from modlearn._show.partition import BAR_WIDTH, MOST_CLASSES, MOST_PARTS, as_html, as_text

HOSTILE = '<script src="http://evil">&"\''
VOID = {"br"}


class Document(HTMLParser):
    """Elements, attributes and text of a page; an element closed out of turn is an error."""

    def __init__(self, source):
        super().__init__()
        self.open, self.elements, self.text = [], [], []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


# text


def test_text_is_a_headline_and_a_line_per_part(intervals):
    partition = intervals([2.95], counts=[[1200, 7], [0, 12]], name="width")
    assert as_text(partition).splitlines() == [
        "width: level 0.750, 2 parts, cost 10.00 against 40.00 for one part, proven optimal",
        "               1      0   rows",
        "(-inf, 2.95]   7  1,200  1,207",
        "(2.95, inf)   12      0     12",
    ]


def test_str_is_the_text(groups):
    partition = groups([["a"], ["b"]])
    assert str(partition) == as_text(partition)


def test_one_part_is_not_called_parts(intervals):
    assert ", 1 part, " in as_text(intervals([]))


def test_a_partition_without_a_proof_says_so(intervals):
    text = as_text(intervals(proven_optimal=False))
    assert "best found" in text
    assert "proven" not in text


def test_unlabeled_rows_have_a_column_if_there_are_any(intervals):
    partition = intervals(unlabeled_counts=np.array([0, 3]))
    rows = as_text(partition).splitlines()[1:]
    assert [row.split()[-1] for row in rows] == ["unlabeled", "0", "3"]


def test_without_unlabeled_rows_there_is_no_column_for_them(intervals):
    assert "unlabeled" not in as_text(intervals())


def test_as_many_classes_as_fit_are_all_shown(intervals):
    text = as_text(intervals(counts=[list(range(1, MOST_CLASSES + 1))] * 2))
    assert text.splitlines()[1].split() == [*map(str, range(MOST_CLASSES)), "rows"]


def test_rare_classes_are_added_up_as_other(intervals):
    counts = [5, 1, 9, 8, 7, 6, 4, 3, 2, 10]
    header, first, _ = as_text(intervals(counts=[counts, counts])).splitlines()[1:]
    assert header.split() == ["0", "2", "3", "4", "5", "6", "9", "other", "rows"]
    assert first.split()[-9:] == ["5", "9", "8", "7", "6", "4", "10", "6", "55"]


def test_many_parts_are_cut_with_a_count(intervals):
    lines = as_text(intervals(range(MOST_PARTS + 9))).splitlines()
    assert len(lines) == 2 + MOST_PARTS + 1
    assert lines[-1] == "... 10 more parts"


def test_as_many_parts_as_fit_are_all_shown(intervals):
    lines = as_text(intervals(range(MOST_PARTS - 1))).splitlines()
    assert len(lines) == 2 + MOST_PARTS
    assert lines[-1].startswith(f"({MOST_PARTS - 2}, inf)")


# HTML


@pytest.mark.parametrize("n_classes", [1, 2, 3, MOST_CLASSES, MOST_CLASSES + 1, 26])
def test_html_is_well_formed(intervals, n_classes):
    page = Document(as_html(intervals(counts=[[1] * n_classes, [2] * n_classes])))
    assert len(page.all("svg")) == 2


def test_notebooks_show_the_html(groups):
    partition = groups([["a"], ["b"]])
    assert partition._repr_html_() == as_html(partition)


def test_html_says_what_the_headline_says(intervals):
    partition = intervals(name="width")
    text = Document(as_html(partition)).text
    assert "".join(text[:2]) == as_text(partition).splitlines()[0]


@pytest.mark.parametrize("name", [": level ", "a: level 0.123, b", "(a, b]", "a × b", "{0}"])
def test_a_name_that_looks_like_a_headline_is_a_name(intervals, name):
    partition = intervals(name=name)
    first, second, *_ = Document(as_html(partition)).text
    assert first == f"{name}: level {partition.level:.3f}"
    assert first + second == as_text(partition).splitlines()[0]


def test_html_names_classes_parts_and_rows(intervals):
    partition = intervals([2.95], counts=[[1200, 7], [0, 12]], classes=np.array(["no", "yes"]))
    text = Document(as_html(partition)).text
    assert {" no", " yes", "(-inf, 2.95]", "(2.95, inf)", "1,207", "12"} <= set(text)


def test_hostile_names_are_escaped(groups):
    partition = groups(
        [[HOSTILE], ["b"]], name=HOSTILE, classes=np.array([HOSTILE, "b"], dtype=object)
    )
    page = Document(as_html(partition))
    assert {tag for tag, _ in page.elements} <= {
        "div", "b", "br", "span", "table", "tr", "th", "td", "svg", "rect", "title",
    }  # fmt: skip
    # Name, legend, label and a tooltip per bar.
    assert "".join(page.text).count(HOSTILE) == 5


def test_html_mentions_unlabeled_rows(intervals):
    partition = intervals(unlabeled_counts=np.array([3, 1000]))
    assert "1,003 rows unlabeled" in Document(as_html(partition)).text


def test_repr_is_the_headline(intervals):
    partition = intervals(name="width")
    assert repr(partition) == f"<Intervals {as_text(partition).splitlines()[0]}>"


def test_whole_floats_are_named_as_integers(intervals):
    partition = intervals(classes=np.array([0.0, 1.0]))
    assert partition.class_names == ["0", "1"]


def test_html_refers_to_nothing_outside(intervals):
    page = Document(as_html(intervals()))
    names = {name for _, attributes in page.elements for name in attributes}
    assert not names & {"src", "href", "xlink:href", "onload", "onclick"}
    assert not re.search(r"url\(|https?:|@import", as_html(intervals()))


def test_the_widths_of_a_bar_are_the_shares_of_the_classes(intervals):
    page = Document(as_html(intervals(counts=[[3, 1], [0, 4]])))
    widths = [float(box["width"]) for box in page.all("rect")]
    assert widths == [0.75 * BAR_WIDTH, 0.25 * BAR_WIDTH, 0, BAR_WIDTH]


def test_the_boxes_of_a_bar_follow_each_other(intervals):
    page = Document(as_html(intervals([], counts=[[1, 1, 2]])))
    assert [float(box["x"]) for box in page.all("rect")] == [0, BAR_WIDTH / 4, BAR_WIDTH / 2]


def test_a_bar_is_higher_the_more_rows_it_stands_for(intervals):
    page = Document(as_html(intervals(counts=[[1, 0], [100, 0]])))
    low, _, high, _ = (float(box["height"]) for box in page.all("rect"))
    assert 0 < low < high <= 20


def test_rare_classes_share_a_color_and_a_bar(intervals):
    page = Document(as_html(intervals([], counts=[[1] * 20])))
    boxes = page.all("rect")
    assert len(boxes) == len({box["fill"] for box in boxes}) == MOST_CLASSES
    assert float(boxes[-1]["width"]) == pytest.approx(BAR_WIDTH * 13 / 20, abs=0.05)
    assert " other" in page.text


def test_many_parts_are_cut_with_a_count_in_html_too(intervals):
    page = Document(as_html(intervals(range(MOST_PARTS + 9))))
    assert len(page.all("svg")) == MOST_PARTS
    assert page.text[-1] == "... 10 more parts"


def test_a_part_without_labeled_rows_has_an_empty_bar(intervals):
    page = Document(as_html(intervals(counts=[[0, 0], [1, 1]])))
    assert [float(box["width"]) for box in page.all("rect")][:2] == [0, 0]


def test_the_share_of_the_rarer_of_two_classes_stands_next_to_its_bar(intervals):
    html = as_html(intervals([2.95], counts=[[1200, 7], [0, 12]]))
    assert re.findall(r">([\d.]+%)</td>", html) == ["0.6%", "100%"]
    assert "%</td>" not in as_html(intervals([2.95], counts=[[1, 2, 3], [4, 5, 6]]))
