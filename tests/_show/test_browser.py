"""The page in a real browser. Every test also checks that it neither complains nor loads."""

import copy
import csv
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests._show.samples import HOSTILE, REPORTS

import modlearn
from modlearn._show.phrases import measures, percent, verdict
from modlearn._show.tables import rank_pairs, rank_variables

WIDE_OR_NARROW = pytest.mark.parametrize("width", [1280, 390])
SIDEWAYS = "document.documentElement.scrollWidth - window.innerWidth"
MARKUP = "document.querySelectorAll('img, b script, script').length"


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_opens_its_first_variable(browser_page, name):
    report = browser_page(name)
    assert report.open("variables").locator("svg, .heat").first.is_visible()


@pytest.mark.parametrize("name", ["wine", "mushrooms", "letters", "holes", "hostile"])
def test_a_pair_opens_as_a_grid_with_shares_and_rows(browser_page, name):
    cell = browser_page(name).open("pairs").locator(".grid td .cell").first
    assert "%" in cell.inner_text()
    assert "row" in cell.inner_text()


@pytest.mark.parametrize("name", REPORTS)
def test_no_report_scrolls_sideways_on_a_phone(browser_page, name):
    report = browser_page(name, width=390)
    report.open("variables")
    if report.lines("pairs").count():
        report.open("pairs")
    report.page.set_viewport_size({"width": 390, "height": 12_000})
    report.page.wait_for_timeout(100)
    assert report.page.evaluate(SIDEWAYS) <= 0


def test_search_keeps_the_names_that_contain_the_words(browser_page):
    report = browser_page("wine")
    report.page.get_by_label("Search variables").fill("PHENOLS")
    assert report.names("variables") == ["total_phenols", "nonflavanoid_phenols"]


def test_a_search_that_finds_nothing_says_so(browser_page):
    report = browser_page("wine")
    report.page.get_by_label("Search variables").fill("no such name")
    assert report.page.get_by_text("No matches.").is_visible()


def test_variables_come_most_informative_first(browser_page, summaries):
    expected = [variable["name"] for variable in summaries("wine")["variables"]]
    assert browser_page("wine").names("variables") == expected


def test_a_click_on_a_heading_sorts_and_another_turns_it_round(browser_page):
    report = browser_page("wine")
    heading = report.page.locator("[data-table=variables] th", has_text="Variable")
    heading.get_by_role("button").click()
    names = report.names("variables")
    assert names == sorted(names, key=str.lower)
    assert heading.get_attribute("aria-sort") == "ascending"
    heading.get_by_role("button").click()
    assert report.names("variables") == names[::-1]


def test_variables_not_used_can_be_asked_for(browser_page, summaries):
    report = browser_page("wine")
    report.page.get_by_label("Which variables are shown").select_option("informative, but not used")
    variables = summaries("wine")["variables"]
    assert report.names("variables") == [
        v["name"] for v in variables if v["level"] > 0 and v["weight"] == 0
    ]


def test_a_line_is_opened_and_closed_with_the_keyboard(browser_page):
    report = browser_page("iris")
    name = report.page.locator("[data-table=variables] .name").first
    name.focus()
    report.page.keyboard.press("Enter")
    assert name.get_attribute("aria-expanded") == "true"
    report.page.keyboard.press("Enter")
    assert name.get_attribute("aria-expanded") == "false"
    assert report.page.locator("tr.detail").count() == 0


def test_an_open_variable_stays_open_when_sorted(browser_page):
    report = browser_page("iris")
    report.open("variables")
    report.page.locator("[data-table=variables] th button", has_text="Variable").click()
    assert report.page.locator("[data-table=variables] tr.detail").count() == 1


def test_an_open_variable_shows_counts_cuts_and_cost(browser_page, summaries):
    first = summaries("iris")["variables"][0]
    text = browser_page("iris").open("variables").inner_text()
    assert f"{sum(first['counts'][0])}" in text
    assert all(f"{cut:g}" in text for cut in first["cuts"])
    assert f"{first['cost']:.2f} against {first['null_cost']:.2f}" in text


def test_a_variable_without_weight_names_and_links_to_what_carries_the_same_information(
    browser_page,
):
    report = browser_page("wine")
    index = report.names("variables").index("total_phenols")
    why = report.open("variables", index).locator(".why")
    assert "flavanoids: carries 100% of the information of this variable" in why.inner_text()
    why.get_by_role("button", name="flavanoids").click()
    first = report.page.locator("[data-table=variables] .name").first
    assert first.get_attribute("aria-expanded") == "true"


def test_where_no_redundancy_is_known_none_is_claimed(browser_page):
    report = browser_page("iris")
    index = report.names("variables").index("sepal width (cm)")
    assert "no pairs were searched" in report.open("variables", index).locator(".why").inner_text()


def test_groups_list_their_values(browser_page):
    report = browser_page("mushrooms")
    detail = report.open("variables", report.names("variables").index("found in"))
    detail.get_by_text("Values of the groups").click()
    assert "forest 118" in detail.locator(".values p").nth(2).inner_text()


def test_the_shade_of_a_grid_follows_the_class_that_is_chosen(browser_page):
    detail = browser_page("wine").open("pairs")
    detail.get_by_role("combobox").select_option("share of grower 1")
    texts = detail.locator(".cell").all_inner_texts()
    assert all("grower 1" in text or text == "no rows" for text in texts)


def test_a_single_test_has_no_folds_to_show(browser_page):
    report = browser_page("held out")
    report.page.locator("[data-chart=verdict][data-drawn]").wait_for()
    assert report.page.locator(".against .mine").count() == 1
    assert report.page.locator(".against .dot").count() == 0


def test_a_test_of_one_class_draws_what_there_is(browser_page):
    report = browser_page("one class tested")
    assert report.page.locator(".measures div", has_text="AUC").locator("b").inner_text() == (
        "not defined"
    )
    report.page.set_viewport_size({"width": 1280, "height": 12_000})
    report.page.locator("[data-chart=byclass][data-drawn]").wait_for()
    assert report.page.get_by_text("No curves: the test rows have a single class.").count() == 2
    assert "None" not in report.page.locator("main").inner_text()


@pytest.mark.parametrize("width", [1300, 390])
def test_the_shares_of_the_model_and_its_rivals_take_one_line_each(browser_page, width):
    report = browser_page("one class tested", width)
    report.page.locator("[data-chart=verdict][data-drawn]").wait_for()
    shares = report.page.locator(".against > b")
    assert shares.first.inner_text() == "100%"
    heights = shares.evaluate_all("all => all.map((one) => one.offsetHeight)")
    assert len(set(heights)) == 1


def test_a_pair_without_weight_says_what_the_model_uses_instead(browser_page, summaries):
    report = browser_page("wine")
    report.page.get_by_label("Which pairs are shown").select_option("all pairs")
    index = next(i for i, pair in enumerate(summaries("wine")["pairs"]) if pair["weight"] == 0)
    why = report.open("pairs", index).locator(".why")
    assert "already carry this information" in why.inner_text()
    assert "the model uses" in why.inner_text()
    why.get_by_role("button").first.click()
    assert report.page.locator(".name[aria-expanded=true]").count() == 2


def test_charts_are_drawn_when_they_scroll_into_view(browser_page):
    report = browser_page("wine")
    examples = report.page.locator("[data-chart=examples]")
    assert examples.get_attribute("data-drawn") is None
    examples.scroll_into_view_if_needed()
    report.page.locator("[data-chart=examples][data-drawn]").wait_for()
    assert examples.locator("article").count() == 5


def test_everything_is_drawn_before_printing_and_closed_again_after(browser_page):
    report = browser_page("wine")
    report.page.emulate_media(media="print")
    report.page.locator("[data-table=pairs] tr.detail").first.wait_for(state="attached")
    charts = report.page.locator("[data-chart], .detail .chart")
    drawn = charts.evaluate_all("all => all.map(one => one.childElementCount > 0)")
    assert sum(drawn) == len(drawn) - 1  # the choice of a class is for many classes only
    assert report.page.locator("[data-table=variables] tr.detail").count() == 13
    report.page.emulate_media(media="screen")
    report.page.locator("tr.detail").first.wait_for(state="detached")
    assert report.page.locator("tr.detail").count() == 0


def test_a_printed_page_holds_the_charts(browser_page):
    assert len(browser_page("iris").page.pdf(format="A4")) > 20_000


@WIDE_OR_NARROW
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(browser_page, width, scheme):
    report = browser_page("wine", width, color_scheme=scheme)
    assert report.page.evaluate(CONTRAST) > 4.5


CONTRAST = """() => {
  const light = (text) => {
    const [r, g, b] = text.match(/[\\d.]+/g).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = light(getComputedStyle(document.body).backgroundColor);
  const texts = [...document.querySelectorAll(".about, .soft, h1, .over")];
  return Math.min(...texts.map((one) => {
    const ink = light(getComputedStyle(one).color);
    return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
  }));
}"""


def test_26_classes_have_one_strong_curve_and_a_choice(browser_page):
    report = browser_page("letters")
    report.page.get_by_label("Class of the curves").select_option(index=3)
    report.page.locator("[data-chart=roc]").scroll_into_view_if_needed()
    assert report.page.locator("[data-chart=roc] .pick").count() == 1
    assert report.page.locator("[data-chart=roc] .faint").count() == 25
    report.page.locator("[data-chart=confusion]").scroll_into_view_if_needed()
    report.page.locator("[data-chart=confusion][data-drawn]").wait_for()
    assert report.page.locator("[data-chart=confusion] tbody tr").count() == 26


def test_a_report_without_evaluation_reads_as_an_analysis(browser_page):
    report = browser_page("holes")
    assert report.page.locator("h1").inner_text() == "What is informative about churn"
    assert report.page.locator("#evaluation, #rows").count() == 0
    assert report.page.locator("th", has_text="Weight").count() == 0


def test_missing_values_are_counted(browser_page, summaries):
    report = browser_page("holes")
    index = report.names("variables").index("g")
    detail = report.open("variables", index)
    assert "Missing values\n600" in detail.inner_text()


def test_hostile_names_are_shown_as_they_are(browser_page):
    report = browser_page("hostile")
    names = report.names("variables")
    assert {HOSTILE[0], HOSTILE[1], "__proto__", "constructor"} <= set(names)
    assert {"x: level 0.5, y", "(a, b]", "missing or (1, 2] × {3}"} <= set(names)
    assert r"emoji 🍷🧀 \u202e right to left \u2028 line" in names
    for line in range(len(names)):
        report.page.locator("[data-table=variables] .name").nth(line).click()
    report.open("pairs")
    report.page.locator("#rows").scroll_into_view_if_needed()
    # The block of data and the script, and no other.
    assert report.page.evaluate(MARKUP) == 2


# Waiting inside the page: asking again and again would need eval, which the page does not allow.
PAINTED = """() => new Promise((resolve) => new PerformanceObserver((list) => {
  const [first] = list.getEntriesByName("first-contentful-paint");
  if (first) resolve(first.startTime);
}).observe({ type: "paint", buffered: true }))"""


def test_2000_variables_are_painted_within_a_second(browser_page):
    report = browser_page("sensors")
    painted = report.page.evaluate(PAINTED)
    assert painted < 1_000
    assert report.lines("variables").count() == 30
    report.page.get_by_role("button", name="Show 200 more").click()
    assert report.lines("variables").count() == 230


def test_the_last_of_2000_variables_is_found_at_once(browser_page, summaries):
    report = browser_page("sensors")
    last = summaries("sensors")["variables"][-1]["name"]
    report.page.get_by_label("Search variables").fill(last)
    assert report.names("variables") == [last]


def test_another_script_would_not_run(browser_page):
    report = browser_page("iris")
    report.page.evaluate(
        "const s = document.createElement('script'); s.textContent = 'window.injected = 1';"
        "document.body.append(s)"
    )
    assert report.page.evaluate("window.injected") is None
    assert "Content Security Policy" in report.messages.pop()


def point_at(report, chart, share):
    """Move the pointer to a share of the width of a plot; returns what is read there."""
    plot = report.page.locator(f"[data-chart={chart}] .plot")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    inside = 58 + share * (400 - 58 - 20)
    report.page.mouse.move(box["x"] + box["width"] * inside / 400, box["y"] + 50)
    return report.page.locator(f"[data-chart={chart}] .readout").inner_text()


def test_curves_show_the_value_under_the_pointer(browser_page, summaries):
    report = browser_page("buyers")
    (curve,) = summaries("buyers")["evaluation"]["curves"]
    x, y = min(curve["lift"], key=lambda point: abs(point[0] - 0.4))
    assert point_at(report, "lift", x) == (
        f"yes: the {percent(x)} of rows ranked highest hold {percent(y)} of it, {y / x:.1f} times "
        "as many as at random."
    )
    assert point_at(report, "roc", 0.5).startswith("yes: ")
    assert point_at(report, "calibration", 0.0).startswith("Predicted ")
    assert report.page.locator("[data-chart=lift] .mark-at").count() == 1


def test_the_quarter_of_the_first_sentence_is_a_point_of_the_curve(browser_page, summaries):
    share = percent(summaries("buyers")["top_quarter"]["share"])
    text = point_at(browser_page("buyers"), "lift", 0.25)
    assert text.startswith(f"yes: the 25% of rows ranked highest hold {share} of it")
    assert share in verdict(summaries("buyers"))[0]


def mark_of(report, chart):
    """Where a diamond is, as shares of the axes, and what is said about it."""
    start = report.page.locator(f"[data-chart={chart}] .decision").get_attribute("d")
    x, y = (float(number) for number in start[1:].partition("l")[0].split())
    text = report.page.locator(f"[data-chart={chart}] p", has_text="Decision:").inner_text()
    return (x - 58) / (400 - 58 - 20), (330 - 42 - (y + 7)) / (330 - 10 - 42), text


def test_curves_mark_the_decision(browser_page, summaries):
    summary = copy.deepcopy(summaries("buyers"))
    summary["decision"] = {"class": 1, "threshold": 0.2, "costs": []}
    rare = {"class": 1, "threshold": 1 / 5001, "costs": []}
    (right, alarms), (missed, hits) = summary["evaluation"]["confusion"] = [[90, 10], [4, 16]]
    summary["evaluation"]["n_test"] = 120
    for report, least in (
        (browser_page("buyers", summary=summary), "20%"),
        (browser_page("buyers", summary={**summary, "decision": None}), "50%"),
        (browser_page("buyers", summary={**summary, "decision": rare}), "0.02%"),
    ):
        x, y, text = mark_of(report, "roc")
        assert (x, y) == pytest.approx((alarms / (right + alarms), hits / (hits + missed)))
        assert f"if its probability is at least {least}. This finds 80% of its rows" in text
        assert text.endswith("and wrongly includes 10% of the other rows.")
        x, y, text = mark_of(report, "lift")
        assert (x, y) == pytest.approx(((hits + alarms) / 120, hits / (hits + missed)))
        assert "This selects 21.7% of all rows and finds 80% of its rows." in text


def test_several_classes_have_no_threshold_to_mark(browser_page):
    assert browser_page("wine").page.locator(".decision").count() == 0


def test_rows_show_what_was_predicted_against_the_odds(browser_page, summaries):
    summary = copy.deepcopy(summaries("buyers"))
    summary["decision"] = {"class": 1, "threshold": 0.2, "costs": []}
    example = summary["evaluation"]["examples"][0]
    example |= {"truth": 0, "predicted": 1, "probabilities": [0.7, 0.3]}
    report = browser_page("buyers", summary=summary)
    report.page.locator("#rows").scroll_into_view_if_needed()
    card = report.page.locator("#rows .example").first
    card.wait_for()
    assert card.locator(".odds span").all_inner_texts() == ["no (true)", "yes (predicted)"]


def test_rows_without_a_number_are_sampled_rows(browser_page, summaries):
    summary = copy.deepcopy(summaries("buyers"))
    first, second, *_ = summary["evaluation"]["examples"]
    first["row"], second["row"] = None, 1233
    report = browser_page("buyers", summary=summary)
    report.page.locator("#rows").scroll_into_view_if_needed()
    cards = report.page.locator("#rows .example h3")
    cards.first.wait_for()
    titles = [text.split("\n")[0] for text in cards.all_inner_texts()[:2]]
    assert [re.split("[✓✗]", title)[0].strip() for title in titles] == ["Sampled row", "Row 1,234"]


def test_values_of_all_curves_are_read_at_once(browser_page):
    text = point_at(browser_page("wine"), "roc", 0.5)
    assert [line.partition(":")[0] for line in text.splitlines()] == [
        "grower 1", "grower 2", "grower 3",
    ]  # fmt: skip


def test_curves_are_read_with_the_arrow_keys(browser_page):
    report = browser_page("buyers")
    report.page.locator("[data-chart=lift] .plot").focus()
    text = report.page.locator("[data-chart=lift] .readout")
    report.page.keyboard.press("End")
    assert text.inner_text() == (
        "yes: the 100% of rows ranked highest hold 100% of it, 1.0 times as many as at random."
    )
    report.page.keyboard.press("ArrowLeft")
    assert not text.inner_text().startswith("yes: the 100%")


def test_a_finger_reads_a_curve_too(browser_page):
    report = browser_page("buyers", 390, has_touch=True)
    report.page.locator("[data-chart=roc] .plot").tap()
    assert report.page.locator("[data-chart=roc] .readout").inner_text().startswith("yes: ")


def test_the_class_of_interest_comes_first_and_its_share_is_on_every_bar(browser_page, summaries):
    report = browser_page("buyers")
    detail = report.open("variables", report.names("variables").index("share a"))
    assert detail.locator(".legend span").first.inner_text() == "yes"
    (record,) = [one for one in summaries("buyers")["variables"] if one["name"] == "share a"]
    bars = detail.locator(".parts .stack").all()
    assert [bar.locator("text").first.text_content() for bar in bars] == [
        percent(yes / (no + yes)) for no, yes in record["counts"]
    ]
    assert report.page.locator("[data-chart=confusion] tbody th").all_inner_texts() == ["yes", "no"]


def test_many_parts_are_folded(browser_page, summaries):
    report = browser_page("buyers")
    detail = report.open("variables", report.names("variables").index("since"))
    (record,) = [one for one in summaries("buyers")["variables"] if one["name"] == "since"]
    assert detail.locator(".parts .stack").count() == 12
    detail.get_by_role("button", name="Show all").click()
    assert detail.locator(".parts .stack").count() == len(record["parts"]) > 15


def test_dates_are_readable(browser_page):
    report = browser_page("buyers")
    detail = report.open("variables", report.names("variables").index("since"))
    first = detail.locator(".parts .label").first.inner_text()
    assert re.fullmatch(r"≤\s2012-\d\d-\d\d \d\d:\d\d", first)
    report.page.locator("#rows").scroll_into_view_if_needed()
    report.page.locator("[data-chart=examples][data-drawn]").wait_for()
    reasons = report.page.locator(".reasons td", has_text="since").all_inner_texts()
    date = r"\d{4}-\d\d-\d\d \d\d:\d\d"
    assert all(re.match(rf"since (in \({date}, {date}\]|[>≤] {date}) favors", r) for r in reasons)
    assert reasons


def test_bars_of_levels_are_on_the_scale_from_0_to_1(browser_page, summaries):
    report = browser_page("wine")
    widths = report.page.locator("[data-table=variables] .bar rect").evaluate_all(
        "all => all.map((one) => parseFloat(one.getAttribute('width')))"
    )
    levels = [variable["level"] for variable in summaries("wine")["variables"]]
    assert widths == pytest.approx([100 * level for level in levels])


def saved_by(report, button):
    """Click on a button; returns the lines of the file that it saves."""
    with report.page.expect_download() as download:
        button.click()
    text = Path(download.value.path()).read_text(encoding="utf-8-sig")
    return list(csv.reader(text.splitlines()))


def test_a_table_is_saved_as_csv_with_all_digits(browser_page, summaries):
    report = browser_page("wine")
    button = report.page.locator("[data-table=variables]").get_by_role("button", name="CSV")
    header, *lines = saved_by(report, button)
    assert header == ["variable", "type", "level", "weight", "importance", "parts"]
    for line, variable in zip(lines, summaries("wine")["variables"], strict=True):
        assert line[0] == variable["name"]
        assert float(line[2]) == pytest.approx(variable["level"], abs=1e-12)


def test_hostile_names_are_saved_as_they_are(browser_page):
    report = browser_page("hostile")
    button = report.page.locator("[data-table=variables]").get_by_role("button", name="CSV")
    names = {line[0] for line in saved_by(report, button)}
    assert {HOSTILE[0], HOSTILE[2], HOSTILE[3]} <= names


def test_a_table_is_copied(browser_page, summaries):
    report = browser_page("wine", permissions=["clipboard-read", "clipboard-write"])
    tables = report.page.locator("[data-chart=confusion]")
    tables.get_by_role("button", name="Copy").click()
    tables.get_by_text("Copied.").wait_for()
    lines = report.page.evaluate("navigator.clipboard.readText()").splitlines()
    cells = [line.split("\t")[1:] for line in lines[1:]]
    assert [[int(n) for n in row] for row in cells] == summaries("wine")["evaluation"]["confusion"]


@pytest.mark.parametrize("name", ["wine", "cancer", "buyers", "mushrooms"])
def test_numbers_on_the_page_are_equal_to_those_elsewhere(browser_page, summaries, name):
    summary = summaries(name)
    evaluation = summary["evaluation"]
    report = browser_page(name)
    page = report.page

    def cells(table, columns):
        lines = [line.locator("td").all_inner_texts() for line in report.lines(table).all()]
        return [tuple(line[k].strip() for k in columns) for line in lines]

    # The tables of terminal and notebook.
    expected = [row.cells for row in rank_variables(summary, 1_000).rows]
    assert cells("variables", (3, 4, 6))[: len(expected)] == expected
    if summary["pairs"]:
        page.get_by_label("Which pairs are shown").select_option("all pairs")
        expected = [row.cells for row in rank_pairs(summary, 30).rows]
        found = [
            (level, weight, gain, synergy.split()[0].replace("−", "-"))
            for level, gain, synergy, weight in cells("pairs", (2, 3, 4, 5))
        ]
        assert [(level, weight) for level, weight, *_ in found] == [row[:2] for row in expected]
        for row, (*_, gain, synergy) in zip(found, expected, strict=True):
            assert float(row[2].replace("−", "-")) == float(gain)
            assert float(row[3]) == float(synergy)
    # The sentences, the measures and the matrix.
    assert page.locator(".words p").all_inner_texts() == verdict(summary)
    quarter = summary["top_quarter"]
    shares = [quarter["share"], 0.25] if quarter and quarter["leads"] else []
    shares += [evaluation["measures"]["accuracy"]["mean"], evaluation["best_variable"]["accuracy"]]
    shares += [evaluation["majority"]["accuracy"]]
    assert page.locator(".against > b").all_inner_texts() == [percent(one) for one in shares]
    assert page.locator(".measures b").all_inner_texts() == [
        one["value"] for one in measures(summary)
    ]
    rows = page.locator("[data-chart=confusion] tbody tr").all()
    order = page.locator("[data-chart=confusion] tbody th").all_inner_texts()
    names = [group["name"] for group in summary["classes"]]
    for label, row in zip(order, rows, strict=True):
        counts = [int(text.replace(",", "")) for text in row.locator("td").all_inner_texts()]
        true = evaluation["confusion"][names.index(label)]
        assert counts == [true[names.index(other)] for other in order]
    # Each curve has its own AUC, of all folds together.
    aucs = page.locator("[data-chart=roc] .legend small").all_inner_texts()
    assert aucs == [f"Pooled AUC {curve['auc']:.3f}" for curve in evaluation["curves"]]
    points = page.evaluate("JSON.parse(document.getElementById('data').textContent)")["evaluation"]
    for curve, own in zip(points["curves"], evaluation["curves"], strict=True):
        assert curve["lift"] == [[round(x, 5), round(y, 5)] for x, y in own["lift"]]


def test_shares_and_levels_are_rounded_by_their_exact_value_and_ties_to_even(browser_page):
    shares = [0.9535, 0.0625, 0.1875, 0.3125, 0.00049, 0.99951, 0.12345678, 0.5, 1 / 3, 0.2445]
    levels = [0.0625, 0.1875, 0.0005, 0.9995, 0.0104999, 0.0105, 0.4995, 0.5, 0.3335, 0.2675]
    summary = copy.deepcopy(REPORTS["iris"]())
    summary["variables"] = [
        {**summary["variables"][0], "name": f"v{k}", "level": level, "importance": share}
        for k, (share, level) in enumerate(zip(shares, levels, strict=True))
    ]
    lines = browser_page("rounding", summary=summary).lines("variables").all()
    cells = [line.locator("td").all_inner_texts() for line in lines]
    assert [cell[3].strip() for cell in cells] == [f"{level:.3f}" for level in levels]
    assert [cell[5] for cell in cells] == [
        percent(share).replace("under ", "<").replace("over ", ">") for share in shares
    ]


# curves of an additive model


@pytest.fixture(scope="module")
def curved():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"size": rng.normal(size=300), "color": rng.choice(["red", "blue"], 300)})
    table.loc[::9, "size"] = np.nan
    odds = 2 * table["size"].fillna(0.5) * np.where(table["color"] == "red", 1, -1)
    table["sold"] = np.where(odds + rng.normal(size=300) > 0, "yes", "no")
    return modlearn.fit(table, "sold", method="additive", pairs="all").summary()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_number_of_an_additive_model_has_a_curve_that_can_be_read(
    browser_page, curved, width, scheme
):
    opened = browser_page("iris", width, curved, color_scheme=scheme)
    at = opened.names("variables").index("size")
    detail = opened.open("variables", at)
    plot = detail.locator("svg.shape")
    assert plot.locator(".band").count() == plot.locator("path.curve").count() - 1 == 1
    assert "missing" in plot.text_content()
    plot.hover()
    assert "±" in detail.locator(".readout").inner_text()
    assert detail.locator("table.parts").count() == 1
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_category_of_an_additive_model_has_bars_above_its_parts(browser_page, curved):
    opened = browser_page("iris", 1280, curved)
    detail = opened.open("variables", opened.names("variables").index("color"))
    assert detail.locator("svg.effects").count() == 2
    assert detail.locator("svg.stack").count() >= 1


def test_a_pair_of_an_additive_model_shows_its_scores_first(browser_page, curved):
    opened = browser_page("iris", 1280, curved)
    detail = opened.open("pairs")
    assert "±" in detail.locator(".grid").inner_text()
    detail.locator("select").select_option("-1")
    assert "±" not in detail.locator(".grid").inner_text()


@pytest.fixture(scope="module")
def grown():
    bits = pd.DataFrame([[k % 2, k // 2 % 2, k // 4 % 2] for k in range(400)], columns=[*"abc"])
    odd = np.where(bits.sum(axis=1) % 2 == 1, "odd", "even")
    return modlearn.fit(bits, odd, method="additive", pairs="all", test=0.3).summary()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_tree_is_a_picture_with_the_paths_to_its_leaves(browser_page, grown, width, scheme):
    opened = browser_page("iris", width, grown, color_scheme=scheme)
    card = opened.page.locator("#trees article")
    picture = card.locator("svg.tree")
    assert picture.locator(".box").count() == 7
    assert picture.locator("path.way").count() == 14
    ends = picture.locator("text:not(.dim):not([text-anchor])").all_text_contents()
    assert sorted(ends) == ["A"] * 4 + ["B"] * 4
    assert picture.locator("> title").count() == 0
    assert picture.locator("g > title").first.text_content().endswith("200 (100%)")
    (tree,) = grown["trees"]
    lines = card.locator("table.parts .label > div").all_inner_texts()
    assert [line.strip() for line in lines] == [
        start + path
        for letter, paths in zip("AB", tree["paths"], strict=True)
        for start, path in zip([f"{letter}: ", *["or "] * 3], paths, strict=True)
    ]
    assert "±" in card.locator("table.parts").inner_text() or width == 390
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
