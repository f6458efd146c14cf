"""The command as a person and as a script use it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from joblib import cpu_count
from sklearn.datasets import load_iris
from tests.workbooks import write_workbook

import modlearn
from modlearn._model.printing import EXPORT_FORMATS
from modlearn.cli import main
from modlearn.cli.commands import ENDINGS, commands
from modlearn.errors import FileError


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Runs the command in an empty folder; gives exit code, standard output and error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return end.value.code, printed.out, printed.err

    return run


@pytest.fixture(scope="module")
def iris():
    data = load_iris(as_frame=True)
    frame = data.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    return frame.assign(species=data.target_names[data.target])


@pytest.fixture
def table(iris, tmp_path):
    iris.to_csv(tmp_path / "iris.csv", index=False)
    return "iris.csv"


@pytest.fixture
def model(run, table):
    assert run("fit", table, "-t", "species", "-q")[0] == 0
    return "iris.species.modlearn.json"


def test_fit_says_what_it_understood_found_and_wrote(run, table, tmp_path):
    code, out, err = run("fit", table, "--target", "species", "--pairs", "all")
    assert (code, err) == (0, "")
    for words in (
        "iris.csv",
        "numeric  sepal length, sepal width, petal length, petal width",
        "setosa (50), versicolor (50), virginica (50)",
        "10-fold cross-validation, 150 test rows",
        "balanced accuracy",
        "petal width",
        "model   iris.species.modlearn.json",
        "report  iris.species.modlearn.html",
    ):
        assert words in out
    assert (tmp_path / "iris.species.modlearn.html").read_text().startswith("<!DOCTYPE html>")
    assert (
        sorted(modlearn.load(tmp_path / "iris.species.modlearn.json").classifier.classes_)[0]
        == "setosa"
    )


def test_fit_learns_an_additive_model_that_predict_reads(run, table, tmp_path):
    assert run("fit", table, "-t", "species", "--method", "additive", "-q") == (0, "", "")
    model = "iris.species.modlearn.json"
    fitted = modlearn.load(tmp_path / model).classifier
    assert type(fitted) is modlearn.AdditiveClassifier
    assert run("predict", model, table, "-o", "out.csv", "-q")[0] == 0
    found = pd.read_csv(tmp_path / "out.csv")
    expected = fitted.predict(pd.read_csv(tmp_path / table).drop(columns="species"))
    assert found["predicted species"].tolist() == expected.tolist()


def test_an_unknown_method_is_answered_with_the_known_ones(run, table):
    code, _, err = run("fit", table, "-t", "species", "--method", "magic")
    assert code == 2
    assert "'weighted', 'averaged', 'additive'" in err


def test_json_is_one_object_and_nothing_else(run, table):
    code, out, err = run("fit", table, "-t", "species", "--json", "--no-report")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["evaluation"]["measures"]["accuracy"]["mean"] > 0.9
    assert found["variables"][0]["name"] == "petal width"
    assert found["written"] == {"model": "iris.species.modlearn.json"}


def test_quiet_prints_nothing(run, table):
    assert run("fit", table, "-t", "species", "-q") == (0, "", "")
    assert run("report", "iris.species.modlearn.json", "-q") == (0, "", "")
    assert run("analyze", table, "-t", "species", "--quiet") == (0, "", "")


def test_out_names_the_model_and_the_report_lies_next_to_it(run, table, tmp_path):
    (tmp_path / "folder").mkdir()
    run("fit", table, "-t", "species", "-o", "folder/flowers.json", "-q")
    assert sorted(p.name for p in (tmp_path / "folder").iterdir()) == [
        "flowers.html",
        "flowers.json",
    ]


def test_a_fit_of_another_target_does_not_overwrite_the_first(run, iris, tmp_path):
    iris.assign(**{"is big?": iris["sepal length"] > 6}).to_csv(tmp_path / "iris.csv", index=False)
    for target in ("species", "is big?"):
        assert run("fit", "iris.csv", "-t", target, "-q", "--no-report")[0] == 0
    models = sorted(path.name for path in tmp_path.glob("*.json"))
    assert models == ["iris.is big.modlearn.json", "iris.species.modlearn.json"]
    assert modlearn.load(tmp_path / models[0]).classifier.classes_.tolist() == [False, True]


def test_a_held_out_part_and_another_file_are_evaluated_on(run, table, iris, tmp_path):
    _, out, _ = run("fit", table, "-t", "species", "--test", "0.3", "--json")
    assert json.loads(out)["evaluation"]["how"] == "held-out part"
    iris[::3].to_parquet(tmp_path / "test.parquet")
    _, out, _ = run("fit", table, "-t", "species", "--test-file", "test.parquet", "--json")
    assert json.loads(out)["evaluation"]["how"] == "test file"


def test_columns_are_dropped_and_chosen(run, table):
    _, out, _ = run("analyze", table, "-t", "species", "--drop", "petal width", "--json")
    assert {v["name"] for v in json.loads(out)["variables"]} == {
        "petal length",
        "sepal length",
        "sepal width",
    }
    _, out, _ = run("analyze", table, "-t", "species", "--only", "sepal width", "--json")
    assert [v["name"] for v in json.loads(out)["variables"]] == ["sepal width"]


def test_analyze_writes_a_report_and_no_model(run, table, tmp_path):
    code, out, _ = run("analyze", table, "-t", "species", "--pairs", "all")
    assert code == 0
    assert "Variables" in out
    assert "Pairs" in out
    assert "accuracy" not in out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["iris.csv", "iris.species.analysis.html"]


def test_analyze_without_a_target_describes_the_columns(run, table, tmp_path):
    code, out, err = run("analyze", table)
    assert (code, err) == (0, "")
    assert "150 rows, 5 columns" in out
    assert "setosa (50)" in out
    assert "report  iris.analysis.html" in out
    assert "Overview of" in (tmp_path / "iris.analysis.html").read_text()
    code, out, err = run("analyze", table, "--no-report", "--json", "--drop", "species")
    found = json.loads(out)
    assert (code, err, found["written"]) == (0, "", {})
    assert found["columns"][0]["quantiles"]["most"] == 7.9
    assert run("analyze", table, "-q") == (0, "", "")


def test_report_is_made_again_from_the_model_alone(run, model, tmp_path):
    page = tmp_path / "iris.species.modlearn.html"
    before = page.read_text()
    page.unlink()
    (tmp_path / "iris.csv").unlink()
    code, out, _ = run("report", model)
    assert (code, out.strip()) == (0, "report iris.species.modlearn.html")
    assert page.read_text() == before


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["fit", "iris.csv", "-t", "specie"], 1, "did you mean 'species'"),
        (["fit", "nothing.csv", "-t", "species"], 1, "There is no file 'nothing.csv'"),
        (["fit", "iris.csv", "-t", "species", "--drop", "petals"], 1, "'petals'"),
        (["fit", "iris.csv", "-t", "species", "--pairs", "many"], 2, "many"),
        (["fit", "iris.csv", "-t", "species", "--delimiter", "ab"], 2, "not one character"),
        (["fit", "iris.csv", "-t", "species", "--seed", "-1"], 2, "--seed"),
        (["fit", "iris.csv", "-t", "species", "-o", "iris.csv"], 2, "'iris.csv' is an input"),
        (["fit", "iris.csv", "-t", "species", "-o", "no/x.json"], 1, "There is no folder 'no'"),
        (["fit", "iris.csv", "-t", "species", "-o", "."], 2, "is a folder"),
        (["fit", "iris.csv", "-t", "species", "-o", "-"], 2, "cannot go to standard output"),
        (
            ["fit", "iris.csv", "-t", "species", "--test", "0.3", "--test-file", "iris.csv"],
            2,
            "--test and --test-file",
        ),
        (["fit", "iris.csv"], 2, "Name the column to predict with --target"),
        (["fit", "iris.csv", "-t", "species", "--test", "3"], 2, "--test"),
        (["predict", "nothing.json", "iris.csv"], 2, "does not exist"),
        (["predict", "iris.csv", "iris.csv"], 2, "is not a model file"),
        (["frobnicate"], 2, "No such command"),
    ],
)
def test_an_error_is_one_sentence_with_an_exit_code(run, table, arguments, code, sentence):
    ended, out, err = run(*arguments)
    assert (ended, out) == (code, "")
    assert sentence in err
    assert "Traceback" not in err
    if code == 1:
        assert err.count("\n") == 1


def test_debug_shows_where_an_error_comes_from(run, table):
    code, _, err = run("fit", table, "-t", "specie", "--debug")
    assert code == 1
    assert "Traceback" in err


def test_predict_adds_label_and_probabilities_to_the_columns(run, model, iris, tmp_path):
    iris.drop(columns="species").iloc[::-1].to_parquet(tmp_path / "new.parquet", index=False)
    code, out, err = run("predict", model, "new.parquet", "-o", "scored.parquet")
    assert (code, err) == (0, "")
    assert "150 rows predicted" in out
    scored = pd.read_parquet(tmp_path / "scored.parquet")
    classifier = modlearn.load(tmp_path / model).classifier
    expected = classifier.predict_proba(iris.drop(columns="species"))[::-1]
    assert list(scored.columns[4:]) == [
        "predicted species",
        *(f"P({name})" for name in classifier.classes_),
    ]
    np.testing.assert_array_equal(scored.iloc[:, 5:].to_numpy(), expected)
    assert (scored["predicted species"] == iris["species"][::-1].to_numpy()).mean() > 0.9


def test_predict_writes_to_standard_output_and_keeps_what_is_asked_for(run, model, iris, tmp_path):
    iris.assign(id=range(150)).to_csv(tmp_path / "new.csv", index=False)
    code, out, err = run("predict", model, "new.csv", "--keep", "id", "--explain", "2")
    assert code == 0
    assert err.startswith("\nEvaluation (150 rows whose class is known)")
    lines = out.splitlines()
    assert len(lines) == 151
    assert lines[0].startswith("id,predicted species,P(setosa)")
    assert lines[0].endswith("reason 1,reason 2")
    assert "favors setosa" in lines[1]


def test_an_estimator_saved_in_python_is_used_like_a_model(run, iris, table, tmp_path):
    X, y = iris.drop(columns="species"), iris["species"]
    modlearn.NaiveBayesClassifier().fit(X, y).save(tmp_path / "bayes.json")
    assert run("predict", "bayes.json", table, "-o", "scored.csv")[0] == 0
    scored = pd.read_csv(tmp_path / "scored.csv")
    assert (scored["predicted class"] == y).mean() > 0.9
    assert run("report", "bayes.json", "-q")[0] == 0


def test_a_transformer_has_a_report_and_predicts_nothing(run, iris, table, tmp_path):
    modlearn.Encoder().fit(iris.drop(columns="species"), iris["species"]).save(
        tmp_path / "encoder.json"
    )
    assert run("report", "encoder.json", "-q")[0] == 0
    assert "petal width" in (tmp_path / "encoder.html").read_text()
    code, _, err = run("predict", "encoder.json", table)
    assert code == 1
    assert "'encoder.json' holds a transformer, which does not predict" in err


def test_inputs_are_not_overwritten(run, model, table):
    for arguments in (
        ["predict", model, table, "-o", model],
        ["predict", model, table, "-o", table],
        ["propagate", table, "-t", "species", "-o", table],
        ["report", model, "-o", model],
    ):
        code, _, err = run(*arguments)
        assert code == 2
        assert "is an input of this command and would be overwritten" in err


def test_a_file_of_a_pattern_and_a_database_are_not_overwritten(run, iris, model, tmp_path):
    iris.to_csv(tmp_path / "part-1.csv", index=False)
    with duckdb.connect(tmp_path / "shop.duckdb") as database:
        database.execute("CREATE TABLE flowers AS SELECT * FROM iris")
    for arguments in (
        ["predict", model, "part-*.csv", "-o", "part-1.csv"],
        ["predict", model, "shop.duckdb::flowers", "-o", f"{tmp_path}/shop.duckdb::Flowers"],
        ["fit", "shop.duckdb::flowers", "-t", "species", "-o", "shop.duckdb"],
    ):
        code, _, err = run(*arguments)
        assert (code, "is an input of this command and would be overwritten" in err) == (2, True)


def test_a_table_without_rows_gets_the_new_columns(run, model, tmp_path):
    header = "sepal length,sepal width,petal length,petal width\n"
    (tmp_path / "none.csv").write_text(header)
    code, out, _ = run("predict", model, "none.csv")
    assert code == 0
    assert out == header.rstrip() + ",predicted species,P(setosa),P(versicolor),P(virginica)\n"


def test_classes_and_categories_of_a_test_file_are_read_as_in_the_table(run, tmp_path):
    lines = ["01,01\n", "02,02\n", "x,x\n"] * 40
    (tmp_path / "train.csv").write_text("".join(["k,y\n", *lines]))
    few = [line for line in lines if "x" not in line]
    (tmp_path / "test.csv").write_text("".join(["k,y\n", *few]))
    _, out, _ = run("fit", "train.csv", "-t", "y", "--test-file", "test.csv", "--json")
    found = json.loads(out)["evaluation"]
    assert (found["n_test"], found["measures"]["accuracy"]["mean"]) == (80, 1.0)


def test_a_test_file_is_read_like_the_table_and_may_have_one_class(run, iris, tmp_path):
    text = iris.to_csv(index=False, sep=";", decimal=",")
    (tmp_path / "train.csv").write_text(text)
    lines = text.splitlines(keepends=True)
    (tmp_path / "test.csv").write_text("".join([lines[0], *lines[1:21]]))
    options = ("--delimiter", ";", "--decimal", ",")
    code, out, _ = run("fit", "train.csv", "-t", "species", "--test-file", "test.csv", *options)
    assert code == 0
    printed = " ".join(out.split())
    assert "accuracy 1.000" in printed
    assert "AUC not defined" in printed
    assert "{setosa} is 33.3% of the training rows but 100% of the test rows" in printed
    assert (
        "'petal width' is distributed differently in the two tables: (0.45, inf) holds 68%"
        in printed
    )


def test_missing_values_that_training_never_saw_are_noted_on_standard_error(run, model, tmp_path):
    header = "sepal length,sepal width,petal length,petal width\n"
    (tmp_path / "new.csv").write_text(header + "5.1,3.5,,0.2\n")
    code, out, err = run("predict", model, "new.csv")
    assert code == 0
    assert len(out.splitlines()) == 2
    assert (
        "'petal length' is missing in 1 row but was never missing in the training data"
        in " ".join(err.split())
    )


def test_a_category_never_seen_adds_nothing_to_a_prediction(run, tmp_path):
    rng = np.random.default_rng(0)
    color = rng.choice(["red", "blue", "green"], 300)
    size = rng.random(300)
    good = np.where((color == "red") ^ (rng.random(300) < 0.1), "yes", "no")
    frame = pd.DataFrame({"size": size + 0.3 * (good == "yes"), "color": color, "good": good})
    frame.to_csv(tmp_path / "train.csv", index=False)
    frame.assign(color="violet").to_csv(tmp_path / "new.csv", index=False)
    assert run("fit", "train.csv", "-t", "good", "-q")[0] == 0
    code, _, err = run(
        "predict", "train.good.modlearn.json", "new.csv", "-o", "s.csv", "--explain", "2"
    )
    assert (code, err) == (0, "")
    scored = pd.read_csv(tmp_path / "s.csv")
    model = modlearn.load(tmp_path / "train.good.modlearn.json")
    explained = model.explain(frame)
    others = [name != "color" for name in explained.names]
    assert not all(others)
    scores = explained.base + explained.contributions[:, others].sum(axis=1)
    odds = np.exp(scores[:, 1] - scores[:, 0])
    np.testing.assert_allclose(scored["P(yes)"], odds / (1 + odds), rtol=1e-9)
    assert not scored["reason 1"].fillna("").str.contains("color").any()


@pytest.fixture
def dated(tmp_path):
    """A file of dates, the second half late, and another one whose dates are ambiguous."""
    days = pd.date_range("2012-01-01", periods=200)
    late = np.where(np.arange(200) < 100, "no", "yes")
    frame = pd.DataFrame({"when": days.strftime("%d/%m/%Y"), "late": late})
    frame.to_csv(tmp_path / "dated.csv", index=False)
    pd.DataFrame({"when": ["01/02/2012", "02/05/2012"]}).to_csv(tmp_path / "new.csv", index=False)
    return "dated.csv"


def test_predict_reads_dates_in_the_format_of_the_training_data(run, dated, tmp_path):
    assert run("fit", dated, "-t", "late", "--trend", "when", "-q")[0] == 0
    code, out, err = run("predict", "dated.late.modlearn.json", "new.csv")
    assert (code, err) == (0, "")
    assert [line.split(",")[1] for line in out.splitlines()[1:]] == ["no", "yes"]
    frame = pd.read_csv(tmp_path / "new.csv")
    assert modlearn.load("dated.late.modlearn.json").predict(frame).tolist() == ["no", "yes"]


def test_predict_reads_dates_in_another_format_if_it_is_named(run, dated):
    assert run("fit", dated, "-t", "late", "--trend", "when", "-q")[0] == 0
    arguments = ("predict", "dated.late.modlearn.json", "new.csv", "--date-format", "when=%m/%d/%Y")
    code, out, _ = run(*arguments)
    assert code == 0
    assert [line.split(",")[1] for line in out.splitlines()[1:]] == ["no", "no"]


def test_a_test_file_is_read_in_the_format_of_the_training_data(run, dated, tmp_path):
    test = pd.DataFrame({"when": ["01/02/2012", "02/05/2012"] * 20, "late": ["no", "yes"] * 20})
    test.to_csv(tmp_path / "test.csv", index=False)
    arguments = ("fit", dated, "-t", "late", "--trend", "when", "--test-file", "test.csv")
    code, out, _ = run(*arguments, "--json")
    assert code == 0
    assert json.loads(out)["evaluation"]["measures"]["accuracy"]["mean"] == 1


def test_dates_may_be_requested_and_are_noted_if_they_are_ambiguous(run, dated):
    code, out, err = run("analyze", dated, "-t", "late", "--as-date", "when", "--trend", "when")
    assert (code, err) == (0, "")
    assert re.search("datetime +when", out)
    assert run("analyze", dated, "-t", "late", "--as-date", "wehn")[0] == 1
    code, _, err = run("analyze", dated, "-t", "late", "--date-format", "%d/%m/%Y")
    assert code == 2
    assert "pass both, as in when=%d/%m/%Y" in err


def test_a_sheet_of_a_workbook_is_a_table(run, iris, tmp_path):
    rows = [list(iris.columns), *iris.to_numpy().tolist()]
    write_workbook(tmp_path / "book.xlsx", {"About": [["a"], ["b"]], "Iris": rows})
    assert run("fit", "book.xlsx::Iris", "-t", "species", "-q")[0] == 0
    model = "Iris.species.modlearn.json"
    code, out, err = run("predict", model, "book.xlsx::Iris", "--keep", "species", "-q")
    assert (code, err) == (0, "")
    assert out.splitlines()[1].startswith("setosa,setosa,")
    code, _, err = run("analyze", "book.xlsx", "-t", "species")
    assert code == 1
    assert "species" in err


def test_columns_may_be_called_like_the_words_around_them(run, tmp_path):
    rng = np.random.default_rng(0)
    names = [": level ", " × ", "(a, b]"]
    frame = pd.DataFrame(rng.random((300, 3)).round(3), columns=names)
    good = (frame[": level "] > 0.5) ^ (frame[" × "] > 0.5) ^ (rng.random(300) < 0.05)
    frame["good"] = np.where(good | (frame["(a, b]"] > 0.9), "(yes]", ": no")
    frame.to_parquet(tmp_path / "table.parquet", index=False)
    code, out, err = run("fit", "table.parquet", "-t", "good", "--pairs", "all")
    assert (code, err) == (0, "")
    assert "(a, b]" in out
    code, out, _ = run("report", "table.good.modlearn.json", "--json")
    assert code == 0
    found = json.loads(out)
    assert {variable["name"] for variable in found["variables"]} == set(names)
    code, _, err = run(
        "predict", "table.good.modlearn.json", "table.parquet", "-o", "scored.parquet"
    )
    assert (code, err) == (0, "")
    scored = pd.read_parquet(tmp_path / "scored.parquet")
    model = modlearn.load(tmp_path / "table.good.modlearn.json")
    expected = model.predict_proba(frame[names])
    np.testing.assert_array_equal(scored[["P((yes])", "P(: no)"]].to_numpy(), expected)


def test_propagate_labels_rows_and_says_what_is_unknown(run, iris, tmp_path):
    few = iris.assign(species=iris["species"].where(iris.index % 10 == 0))
    few.to_csv(tmp_path / "few.csv", index=False)
    code, out, _ = run("propagate", "few.csv", "-t", "species", "-o", "all.csv")
    assert code == 0
    assert "150 rows: 15 had a label, 135 got one" in out
    found = pd.read_csv(tmp_path / "all.csv")
    assert (found["predicted species"] == iris["species"]).mean() > 0.85
    assert found["unknown"].between(0, 1).all()


def test_json_and_a_table_do_not_share_standard_output(run, model, table):
    code, out, err = run("predict", model, table, "--json")
    assert (code, out) == (2, "")
    assert "--out" in err


def test_completion_of_a_shell_is_printed(run):
    code, out, _ = run("completion", "bash")
    assert code == 0
    assert "_MODLEARN_COMPLETE=bash_complete" in out


def command(*arguments, **options):
    code = "from modlearn.cli import main; main()"
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], **options)


def test_standard_input_is_a_table(iris, tmp_path):
    text = iris.to_csv(index=False).encode()
    process = command(
        "analyze", "-", "-t", "species", "--json", "--no-report",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path,
    )  # fmt: skip
    out, _ = process.communicate(text)
    assert process.returncode == 0
    assert json.loads(out)["data"]["n_rows"] == 150


def test_a_reader_that_stops_early_is_not_an_error(model, iris, tmp_path):
    pd.concat([iris] * 100).to_csv(tmp_path / "long.csv", index=False)
    process = command(
        "predict", model, "long.csv", stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    )
    process.stdout.close()
    with process:
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_more_threads_than_cores_are_reported_and_not_started(run, iris):
    iris.to_csv("iris.csv", index=False)
    fit = "fit", "iris.csv", "-t", "species", "--no-report", "--jobs", 100_000
    code, _, err = run(*fit)
    assert code == 0
    assert f"--jobs is 100000: one thread per core is used, {cpu_count()} in all." in err
    assert run(*fit, "-q") == (0, "", "")


def test_a_termination_ends_with_143_whatever_error_it_causes(run, monkeypatch):
    # DuckDB turns any signal that arrives during a query into an interruption.
    def query(*_, **__):
        with pytest.raises(SystemExit):
            signal.raise_signal(signal.SIGTERM)
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "main", query)
    before = signal.getsignal(signal.SIGTERM)
    try:
        assert run("fit") == (143, "", "")
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.skipif(os.name != "posix", reason="signals are those of Unix")
def test_an_interruption_ends_with_130_and_leaves_nothing_behind(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((3000, 40))).rename(columns=str)
    frame.assign(y=rng.integers(0, 9, 3000)).to_csv(tmp_path / "long.csv", index=False)
    process = command(
        "fit", "long.csv", "-t", "y", "--pairs", "all",
        stderr=subprocess.PIPE, cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert [p.name for p in tmp_path.iterdir()] == ["long.csv"]


INTERRUPTED_IMPORT = """
import runpy, sys
class Interruption:
    def find_spec(self, name, *_):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interruption())
sys.argv = ["modlearn", "--help"]
runpy.run_module("modlearn", run_name="__main__")
"""


@pytest.mark.parametrize("module", ["click", "modlearn.cli.commands"])
def test_an_interruption_while_the_command_is_imported_ends_with_130_and_one_line(module):
    code = INTERRUPTED_IMPORT.format(module=module)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


def test_a_kill_at_any_moment_leaves_the_old_files_or_the_new_ones_whole(iris, tmp_path):
    iris.to_csv(tmp_path / "iris.csv", index=False)
    model, page = tmp_path / "iris.species.modlearn.json", tmp_path / "iris.species.modlearn.html"
    whole = command("fit", "iris.csv", "-t", "species", "-q", cwd=tmp_path)
    start = time.perf_counter()
    assert whole.wait() == 0
    took = time.perf_counter() - start
    rng = np.random.default_rng(0)
    for moment in (0.5 + 0.5 * rng.random(6)) * took:
        process = command("fit", "iris.csv", "-t", "species", "--pairs", "all", "-q", cwd=tmp_path)
        time.sleep(moment)
        process.kill()
        process.wait()
        assert len(modlearn.load(model).classifier.classes_) == 3
        text = page.read_text().rstrip()
        # Between the two files, the page says that its model is being replaced.
        assert text.endswith(
            ("</html>", "<code>modlearn report iris.species.modlearn.json</code></p>")
        )


@pytest.mark.parametrize("command", ["fit", "analyze"])
def test_a_note_is_shown_once_to_a_person_and_in_the_object_to_a_script(run, table, command):
    few = pd.read_csv(table)
    few.loc[::10, "species"] = None
    few.to_csv(table, index=False)
    asked = (command, table, "-t", "species", "--no-report")
    code, _, err = run(*asked)
    assert (code, err.count("15 rows have no label")) == (0, 1)
    code, out, err = run(*asked, "--json")
    assert (code, err) == (0, "")
    (note,) = json.loads(out)["data"]["notes"]
    assert (note["kind"], note["numbers"]) == ("unlabeled", {"rows": 15})
    assert "15 rows have no label" in note["text"]


def test_unlabeled_rows_are_not_predicted_where_nobody_could_read_it(run, table, monkeypatch):
    def refuse(*arguments):
        pytest.fail("The command predicts unlabeled rows, and drops what it found.")

    monkeypatch.setattr("modlearn._jobs.unlabeled.predict_unlabeled", refuse)
    few = pd.read_csv(table)
    few.loc[few.index % 5 > 0, "species"] = None
    few.to_csv(table, index=False)
    code, _, err = run("fit", table, "-t", "species", "--no-report")
    assert code == 0
    assert "In Python, modlearn.fit also predicts them" in " ".join(err.split())
    few.dropna().to_csv(table, index=False)
    assert "In Python" not in run("fit", table, "-t", "species", "--no-report")[2]


def test_the_name_of_a_table_is_shown_as_it_is(run, iris, tmp_path):
    iris.to_csv(tmp_path / "iris[red].csv", index=False)
    code, out, _ = run("analyze", "iris[red].csv", "-t", "species", "--no-report")
    assert code == 0
    assert out.splitlines()[1] == "iris[red].csv"


def test_warnings_spell_the_option_that_helps(run, iris, tmp_path):
    leak = iris.assign(**{"code of it": iris["species"].astype("category").cat.codes})
    leak[["sepal width", "code of it", "species"]].to_csv(tmp_path / "leak.csv", index=False)
    _, out, _ = run("fit", "leak.csv", "-t", "species")
    assert "leave it out with --drop 'code of it'." in " ".join(out.split())
    assert "--drop &#39;code of it&#39;." in (tmp_path / "leak.species.modlearn.html").read_text()
    _, out, _ = run("analyze", "leak.csv", "-t", "species", "--json", "--no-report")
    (warning,) = json.loads(out)["warnings"]
    assert (warning["kind"], warning["columns"]) == ("leak", ["code of it"])
    assert warning["text"].endswith("leave it out with --drop 'code of it'.")


def test_the_summary_is_made_once(run, table, monkeypatch):
    from modlearn._jobs import result

    calls = []
    summarize = result.summarize
    monkeypatch.setattr(result, "summarize", lambda *a: calls.append(1) or summarize(*a))
    for command in ("fit", "analyze"):
        run(command, table, "-t", "species")
    assert len(calls) == 2


OPTIONS = [
    pytest.param(command, option, id=f"{name} {option.name}")
    for name, command in commands.commands.items()
    for option in command.params
    if option.param_type_name == "option"
]


@pytest.mark.parametrize(("command", "option"), OPTIONS)
def test_every_option_has_a_help_text_that_stands_alone(command, option):
    assert option.help[0].isupper()
    assert option.help.endswith(".")
    assert not option.help.startswith(("Of ", "The same", "What "))


def test_the_share_of_the_latest_rows_has_its_default_in_the_help(run):
    code, out, _ = run("fit", "--help")
    assert code == 0
    shown = " ".join(out.split())
    assert "Share of rows, the latest ones, to hold out with --time. [default: (0.3); " in shown


@pytest.fixture
def visits(tmp_path):
    """A table of 60 customers with 5 visits each, on 300 days."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"customer": [f"c{i}" for i in np.repeat(np.arange(60), 5)]})
    table["when"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.permutation(300), unit="D")
    table["amount"] = rng.random(300)
    table["buys"] = np.where(rng.random(300) < table["amount"], "yes", "no")
    table.to_csv(tmp_path / "visits.csv", index=False)
    return "visits.csv"


@pytest.mark.parametrize(
    ("options", "shown", "how", "group", "time"),
    [
        (
            ["--group", "customer"],
            "no “customer” in both training and test rows",
            "cross-validation",
            "customer",
            None,
        ),
        (["--time", "when"], "forward in time, 3 parts", "forward in time", None, "when"),
        (["--test-last", "0.2"], "forward in time, 3 parts", "forward in time", None, "when"),
        (
            ["--group", "customer", "--time", "when", "--test-last", "0.5"],
            "forward in time, 3 parts, no “customer” in both training and test rows",
            "forward in time",
            "customer",
            "when",
        ),
    ],
    ids=["group", "time", "last", "both"],
)
def test_fit_divides_rows_by_groups_and_times(run, visits, options, shown, how, group, time):
    code, out, err = run("fit", visits, "-t", "buys", *options)
    assert code == 0
    tested = "note: The date 'when' itself is not used: in 4 tests on later rows, the log-loss is"
    assert " ".join(err.split()).startswith(tested) if time else err == ""
    words = " ".join(out.split())
    assert shown in words[words.index("Evaluation (") :]
    assert ("used only to split the rows" in words) == (group is not None)
    code, out, _ = run("fit", visits, "-t", "buys", *options, "--json")
    found = json.loads(out)["evaluation"]
    assert (code, found["how"], found["group"], found["time"]) == (0, how, group, time)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--group", "custmer"], 1, "did you mean 'customer'?"),
        (["--time", "customer"], 1, "which does not hold dates or numbers"),
        (["--trend", "when_"], 1, "--trend names the column 'when_'"),
        (["--test", "0.3", "--test-last", "0.3"], 2, "--test and --test-last cannot be combined"),
        (["--test-last", "1"], 2, "'--test-last'"),
    ],
)
def test_fit_refuses_divisions_that_cannot_be_made(run, visits, options, code, message):
    found, out, err = run("fit", visits, "-t", "buys", *options)
    assert (found, out) == (code, "")
    assert message in err
    assert "Traceback" not in err


def test_fit_uses_a_date_itself_only_if_it_is_asked_for(run, visits):
    out = run("fit", visits, "-t", "buys")[1]
    assert "when: weekday" in out
    assert "to use the date itself, too, pass --trend" in " ".join(out.split())
    found = json.loads(run("fit", visits, "-t", "buys", "--trend", "when", "--json")[1])
    assert {"when", "when: weekday"} <= {one["name"] for one in found["variables"]}
    assert found["data"]["left_out"] == []


@pytest.fixture
def decided(run, table):
    """A model of two species that misses no virginica lightly, and its table."""
    frame = pd.read_csv(table)
    frame = frame[frame["species"] != "setosa"]
    frame.to_csv("two.csv", index=False)
    code, out, err = run(
        "fit", "two.csv", "-t", "species", "--cost", "virginica:versicolor=20", "-o", "two.json"
    )
    assert (code, err) == (0, "")
    return out


def test_a_decision_is_stated_and_kept(run, decided):
    text = " ".join(decided.split())
    assert "“virginica” is predicted if its probability is at least 4.8%, because missing" in text
    assert "cost per row" in text
    code, out, err = run("predict", "two.json", "two.csv", "-o", "scored.csv")
    assert (code, err) == (0, "")
    assert "at least 4.8%" in " ".join(out.split())
    assert "Evaluation (100 rows whose class is known)" in out
    assert "predicted virginica" in out
    scored = pd.read_csv("scored.csv")
    expected = np.where(scored["P(virginica)"] >= 1 / 21, "virginica", "versicolor")
    assert scored["predicted species"].tolist() == expected.tolist()
    code, out, _ = run("report", "two.json", "--json")
    assert json.loads(out)["decision"]["threshold"] == 1 / 21
    assert "at least 4.8%" in Path("two.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("command", "default"),
    [
        ("fit", "the more probable class"),
        ("predict", "that of the model"),
        ("sql", "that of the model"),
        ("export", "that of the model"),
    ],
)
def test_the_default_of_a_threshold_is_what_is_predicted_without_it(run, command, default):
    code, out, _ = run(command, "--help")
    text = " ".join(out.replace("│", " ").split())
    assert code == 0
    assert f"if its probability is at least this. [default: ({default}); 0<x<1]" in text


def test_a_decision_can_be_changed_when_predicting(run, decided):
    code, out, _ = run(
        "predict", "two.json", "two.csv", "--threshold", "0.9", "-o", "scored.csv", "--json"
    )
    found = json.loads(out)
    assert (code, found["decision"]["threshold"]) == (0, 0.9)
    scored = pd.read_csv("scored.csv")
    assert found["rows"]["virginica"] == (scored["P(virginica)"] >= 0.9).sum()
    assert found["evaluation"]["n_test"] == 100


def test_an_evaluation_does_not_get_into_the_table_on_standard_output(run, decided):
    code, out, err = run("predict", "two.json", "two.csv")
    assert code == 0
    assert len(out.splitlines()) == 101
    assert "Evaluation (100 rows" in err
    code, out, err = run("predict", "two.json", "two.csv", "--quiet")
    assert (code, len(out.splitlines()), err) == (0, 101, "")


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (["--cost", "a:b=2", "--threshold", "0.2"], 2, "--cost and --threshold cannot be combined"),
        (["--cost", "setos:virginica=2"], 1, "--cost names 'setos', which is not a class"),
        (["--cost", "setosa=2"], 2, "such as yes:no=10"),
        (["--cost", "setosa:virginica"], 2, "such as yes:no=10"),
        (["--threshold", "0.2"], 1, "--threshold needs two classes, and there are 3: pass --cost"),
        (["--threshold", "20"], 2, "--threshold"),
        (["--test", "0.2", "--test-last", "0.2"], 2, "--test and --test-last cannot be combined"),
        (["--trend", "petals"], 1, "--trend names the column 'petals'"),
        (["--trend", "species"], 1, "--trend names the column 'species', which is the target"),
        (["--as-date", "species"], 1, "--as-date names the column 'species', which is the target"),
        (["--date-format", "species=%Y"], 1, "--date-format names the column 'species', which is"),
        (["--encoding", "latin-0"], 1, "is not known: with --encoding, name one"),
    ],
)
def test_options_are_spelled_as_they_are_typed(run, table, options, code, sentence):
    ended, out, err = run("fit", "iris.csv", "-t", "species", *options)
    assert (ended, out) == (code, "")
    assert sentence in err


@pytest.fixture
def iris_model(iris, tmp_path):
    path = tmp_path / "iris.modlearn.json"
    modlearn.fit(iris, "species").save(path)
    return path


def test_sql_prints_the_statement_of_a_model(run, iris_model, iris):
    pytest.importorskip("sqlglot")
    options = ("--dialect", "duckdb", "--table", "iris", "--keep", "petal width")
    code, sql, error = run("sql", iris_model, *options, "--explain", 1)
    assert (code, error) == (0, "")
    found = duckdb.execute(sql).df()
    wanted = modlearn.load(iris_model).predict(iris)
    assert list(found)[:2] == ["petal width", "predicted species"]
    assert found["predicted species"].tolist() == wanted.tolist()
    assert list(found)[-1] == "reason 1"


def test_sql_needs_a_dialect(run, iris_model):
    code, _, error = run("sql", iris_model)
    assert code == 2
    assert "Name the dialect with --dialect: bigquery, duckdb" in error


def test_the_command_knows_all_dialects():
    from modlearn._export.dialects import DIALECTS
    from modlearn.cli import options

    assert sorted(DIALECTS) == list(options.DIALECTS)


@pytest.mark.parametrize("ending", EXPORT_FORMATS)
def test_export_writes_what_the_name_says(run, iris_model, tmp_path, ending):
    name = f"iris{ending}"
    pytest.importorskip("onnx" if ending == ".onnx" else "sqlglot")
    options = ("--dialect", "sqlite") if EXPORT_FORMATS[ending].is_sql else ()
    code, out, _ = run("export", iris_model, "-o", name, "--json", *options)
    assert code == 0
    assert json.loads(out) == {"written": {"export": name}}
    start = (tmp_path / name).read_bytes()[:60]
    assert start.startswith({".pmml": b"<?xml", ".sql": b"WITH"}.get(ending, b""))


def test_export_refuses_other_names_and_keeps_files(run, iris_model, tmp_path):
    code, _, error = run("export", iris_model, "-o", "iris.txt")
    assert code == 2
    assert f"'iris.txt' does not end in {ENDINGS}: change --out" in error
    (tmp_path / "iris.sql").write_text("old")
    code, _, error = run("export", iris_model, "-o", "iris.sql")
    assert code == 2
    assert "Name the dialect" in error
    assert (tmp_path / "iris.sql").read_text() == "old"


def test_sql_decides_as_the_model_does(run, decided):
    pytest.importorskip("sqlglot")
    for options, threshold in (((), 1 / 21), (("--threshold", "0.9"), 0.9)):
        code, sql, _ = run("sql", "two.json", "--dialect", "duckdb", "--table", "two.csv", *options)
        assert code == 0
        found = duckdb.execute(sql.replace('"two"."csv"', "'two.csv'")).df()
        assert found["predicted species"].nunique() == 2
        is_virginica = found["P(virginica)"] >= threshold
        assert ((found["predicted species"] == "virginica") == is_virginica).all()


def test_options_for_reading_are_spelled_as_they_are_typed(run, tmp_path):
    Path("torn.csv").write_text("a,b\n" + "1,x\n" * 30 + "1,x,2\n", encoding="utf-8")
    code, _, err = run("fit", "torn.csv", "-t", "b")
    assert code == 1
    assert "or name the delimiter with --delimiter." in err
    with pytest.raises(FileError, match=r"with --delimiter on the command line\.$"):
        modlearn.fit("torn.csv", "b")


def test_a_target_of_numbers_is_declared_as_it_is_typed(run, tmp_path):
    pd.DataFrame({"x": range(90), "the price": range(90)}).to_csv("prices.csv", index=False)
    code, _, err = run("fit", "prices.csv", "-t", "the price")
    assert code == 1
    assert err.endswith("really are classes, pass --as-categorical 'the price'.\n")


def test_an_option_that_takes_one_column_is_not_passed_twice(run, table):
    code, _, err = run("fit", table, "-t", "species", "--group", "a", "--group", "b")
    assert code == 2
    assert "--group': pass one column, not 'a' and 'b'." in " ".join(err.split())


def test_a_class_that_is_never_predicted_is_not_an_error(run, iris, tmp_path):
    few = iris.assign(rare=np.where(np.arange(len(iris)) % 30 == 0, "yes", "no"))
    few[["sepal width", "rare"]].to_csv(tmp_path / "rare.csv", index=False)
    code, out, _ = run("fit", "rare.csv", "-t", "rare", "--threshold", "0.9")
    assert code == 0
    assert "This finds 0% of the “yes” rows, because it is never predicted." in " ".join(
        out.split()
    )
