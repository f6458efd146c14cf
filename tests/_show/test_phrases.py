"""Names and numbers as they are written, and how good a model is, in phrases."""

import copy

import pytest

from modlearn._show.phrases import (
    advice,
    cost_lines,
    data_line,
    decision_lines,
    evaluation_lines,
    explained_by,
    mean_and_spread,
    measures,
    percent,
    quoted,
    rounded,
    thousandths,
    verdict,
    visible,
)
from modlearn._show.result import result_as_text


@pytest.fixture
def iris(summaries):
    return copy.deepcopy(summaries("iris"))


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.972, "97.2%"), (0.4, "40%"), (1.0, "100%"), (0.0, "0%"), (0.99999, "over 99.9%"),
     (0.00001, "under 0.1%")],
)  # fmt: skip
def test_a_share_is_100_percent_only_where_it_is_all(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u202eb\u2066c", r"a\u202eb\u2066c"),
        ("two\nlines\t\x00", r"two\nlines\t\x00"),
        ("end\u2028 mark\u200f byte order\ufeff", r"end\u2028 mark\u200f byte order\ufeff"),
        ("👩\u200d🔬 Zürich", "👩\u200d🔬 Zürich"),
    ],
)
def test_what_is_hidden_or_turns_the_line_is_written_out(text, seen):
    assert visible(text, 50) == seen


def test_a_word_from_right_to_left_keeps_its_direction_to_itself():
    assert visible("שלום", 50) == "\u2068שלום\u2069"
    assert visible("ש" * 100, 50) == f"\u2068{'ש' * 49}…\u2069"


def test_a_quoted_name_cannot_turn_its_sentence_round():
    assert quoted("gnp\u202e.exe") == r"“gnp\u202e.exe”"


def test_the_first_sentence_says_how_good(iris):
    iris["evaluation"]["measures"]["accuracy"]["mean"] = 0.94
    assert verdict(iris)[0] == "The model classifies 94% of held-out rows correctly."


def test_the_second_sentence_says_how_sure(iris):
    sentence = verdict(iris)[1]
    assert sentence.startswith(
        "Measured by 5-fold cross-validation on 150 rows (standard deviation "
    )
    assert "; the 95% confidence interval of the accuracy is 88.2% to 96.3%." in sentence


@pytest.mark.parametrize(
    ("interval", "shown"),
    [
        ((0.997, 0.99996), "99.7% to almost 100%."),
        ((0.997, 1.0), "99.7% to 100%."),
        ((0.0001, 0.01), "almost 0% to 1%."),
        ((0.0, 0.01), "0% to 1%."),
        ((0.9998, 0.9999), "over 99.9%."),
    ],
)
def test_a_confidence_interval_may_end_at_all_or_no_rows(iris, interval, shown):
    iris["certainty"]["interval"] = interval
    assert verdict(iris)[1].endswith(f"; the 95% confidence interval of the accuracy is {shown}")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("held-out part", "on 150 rows held out from training"),
        ("test file", "on 150 rows of another table"),
    ],
)
def test_a_part_held_out_is_called_so(iris, how, words):
    iris["evaluation"] |= {"how": how, "n_folds": None}
    assert verdict(iris)[1].startswith(f"Measured {words}; the 95% confidence")


def test_the_model_is_compared_with_its_rivals(iris):
    assert verdict(iris)[2].startswith(
        "Always predicting “setosa” would be correct for 33.3%; “petal "
    )


def test_a_model_no_better_than_the_majority_is_called_so(iris):
    iris["certainty"]["gains"] = False
    assert "not clearly better" in verdict(iris)[3]


def test_an_analysis_says_what_is_informative(summaries):
    first, second, third = verdict(summaries("holes"))
    assert first == "4 of 9 variables are informative about “churn”."
    assert second.startswith("The most informative one is “when it is missing”")
    assert "the largest gain is that of" in third


def test_an_analysis_that_found_nothing_says_so(iris):
    iris["evaluation"] = None
    for variable in iris["variables"]:
        variable["level"] = 0
    assert verdict(iris)[0].startswith("None of 4 variables is informative about “class”.")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (
            "cross-validation",
            "trained on the other folds: its parts, pairs and weights may differ",
        ),
        ("held-out part", "trained without the held-out rows: its parts, pairs"),
    ],
)
def test_rows_explained_by_another_model_are_said_to_be(iris, how, said):
    iris["evaluation"]["how"] = how
    assert said in explained_by(iris)


def test_rows_of_a_test_file_are_explained_by_the_model_itself(iris):
    iris["evaluation"]["how"] = "test file"
    assert explained_by(iris) == ""


def test_measures_that_are_unknown_are_left_out(iris):
    iris["evaluation"]["measures"]["auc"] = None
    names = [measure["name"] for measure in measures(iris)]
    assert names == ["Accuracy", "Balanced accuracy", "Log-loss"]


def test_a_measure_without_a_value_is_called_not_defined(summaries):
    found = {one["name"]: one for one in measures(summaries("one class tested"))}
    assert (found["AUC"]["value"], found["AUC"]["spread"]) == ("not defined", "")
    assert (found["Accuracy"]["value"], found["Accuracy"]["spread"]) == ("100%", "")


@pytest.mark.parametrize(
    ("mean", "spread", "shown"),
    [
        (0.9321, 0.0449, ("0.932", "± 0.045")),
        (1.0, 0.0, ("1.000", "")),
        (0.5, None, ("0.500", "")),
        (None, None, ("not defined", "")),
    ],
)
def test_a_spread_is_shown_where_there_is_one(mean, spread, shown):
    assert mean_and_spread({"mean": mean, "spread": spread}) == shown


def test_the_line_below_the_title_counts(summaries):
    assert data_line(summaries("iris")) == "iris.csv · 150 rows · 4 variables · 3 classes"


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.123456, 0.1235), (2.0, 2), (1.0, 1), (0.0, 0), (3.99999, 4), (None, None), ("a", "a")],
)
def test_numbers_have_the_digits_that_are_shown(value, expected):
    assert rounded(value, 4) == expected


def test_a_probability_is_0_or_1_only_where_it_is():
    assert 0 < rounded(1e-12, 4) < 0.001
    assert 0.999 < rounded(1 - 1e-12, 4) < 1


@pytest.fixture
def buyers(summaries):
    return copy.deepcopy(summaries("buyers"))


def test_a_rare_class_comes_first_with_its_lift(buyers):
    buyers["top_quarter"]["share"] = 0.6
    first, second, *_, last = verdict(buyers)
    assert first == (
        "The quarter of rows ranked highest holds 60% of all “yes” rows, 2.4 times as many as a "
        "random quarter."
    )
    assert second.startswith("The model classifies ")
    assert "rank rows by their probability instead" in last
    assert not any("do not rely on it" in sentence for sentence in verdict(buyers))


def decide(summary, threshold, *costs):
    """Let a summary have a decision about its class of interest, the second."""
    names = ("truth", "predicted", "cost")
    found = [dict(zip(names, cost, strict=True)) for cost in costs]
    summary["decision"] = {"class": 1, "threshold": threshold, "costs": found}
    summary["evaluation"]["confusion"] = [[80, 10], [3, 7]]
    return summary


@pytest.mark.parametrize(
    ("threshold", "costs", "sentence"),
    [
        (0.2, [], "“yes” is predicted if its probability is at least 20%."),
        (1 / 11, [(1, 0, 10.0)], "at least 9.1%, because missing a “yes” row costs 10 times as "
         "much as predicting “yes” wrongly."),
        (0.75, [(0, 1, 3.0)], "at least 75%, because predicting “yes” wrongly costs 3 times as "
         "much as missing a “yes” row."),
        (0.5, [(1, 0, 1.0)], "because missing a “yes” row costs as much as predicting “yes” wr"),
        (0.0, [(0, 1, 0.0)], "at least 0%, because predicting “yes” wrongly costs nothing."),
        (1 / 3001, [(1, 0, 3000.0)], "at least 0.03332%, because missing a “yes” row costs 3,000"),
    ],
)  # fmt: skip
def test_a_decision_is_a_sentence(buyers, threshold, costs, sentence):
    rule, found = decision_lines(decide(buyers, threshold, *costs))
    assert sentence in rule
    assert found == "This finds 70% of the “yes” rows; 41.2% of its “yes” predictions are correct."
    assert verdict(buyers)[2:4] == [rule, found]
    assert not any("rely on it" in one or "threshold" in one for one in verdict(buyers))


def test_a_decision_of_several_classes_lists_its_costs(iris):
    costs = [{"truth": 1, "predicted": 2, "cost": 5.0}, {"truth": 0, "predicted": 2, "cost": 0.5}]
    iris["decision"] = {"class": None, "threshold": None, "costs": costs}
    assert decision_lines(iris) == [
        "The class with the lowest expected cost is predicted. Errors cost 5 for predicting "
        "“virginica” when the true class is “versicolor”; 0.5 for predicting “virginica” "
        "when the true class is “setosa”; every other error costs 1."
    ]


def test_costs_are_compared_with_the_cheapest_constant(buyers):
    decide(buyers, 1 / 11, (1, 0, 10.0))
    buyers["evaluation"]["cost"] = {
        "total": 40.0, "mean": 0.4, "constant": "no", "constant_mean": 1.0
    }  # fmt: skip
    assert cost_lines(buyers) == [
        "The errors cost 0.400 per row; always predicting “no”, the cheapest constant prediction, "
        "would cost 1.000."
    ]
    assert cost_lines(buyers)[0] in verdict(buyers)
    assert ("cost per row", "0.400", "(always no: 1.000)") in evaluation_lines(buyers)
    assert measures(buyers)[-1]["name"] == "Cost per row"
    assert "“yes” is predicted if" in result_as_text(buyers)
    assert cost_lines(buyers)[0] in result_as_text(buyers)


def test_the_auc_of_folds_is_named_a_mean(buyers):
    auc = next(one for one in measures(buyers) if one["name"] == "AUC")
    assert auc["meaning"].endswith(f"; mean of {buyers['evaluation']['n_folds']} folds")


def test_a_class_that_is_never_predicted_is_not_found(buyers):
    buyers["top_quarter"]["recall"] = 0.0
    assert "as it finds none of the “yes” rows" in verdict(buyers)[-1]


def test_a_ranking_no_better_than_chance_does_not_come_first(buyers):
    buyers["top_quarter"]["leads"] = False
    assert verdict(buyers)[0].startswith("The model classifies ")
    assert "do not rely on it" in verdict(buyers)[-1]


@pytest.mark.parametrize("value", [0.5925, 0.0625, 0.1875, 0.0005, 0.99949, 1.0, 0.0, 1.2345])
def test_three_decimals_have_the_digits_of_the_percentage(value):
    assert float(thousandths(value)) == pytest.approx(float(f"{100 * value:.1f}") / 100, abs=1e-12)


def test_a_model_that_finds_none_of_a_rare_class_says_what_to_do(buyers):
    buyers["certainty"]["gains"], buyers["decision"] = False, None
    buyers["top_quarter"] |= {"leads": True, "recall": 0.0}
    (line,) = advice(buyers)
    assert "as it finds none of the" in line
    assert line in " ".join(verdict(buyers))
    buyers["certainty"]["gains"] = True
    assert advice(buyers) == []
