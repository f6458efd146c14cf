"""What people type before they know the commands is answered with what to type."""

import pytest

from modlearn.cli import main
from modlearn.cli.commands import commands
from modlearn.cli.hints import ANSWERS, COMMANDS, OPTIONS


@pytest.fixture
def answer(capsys, tmp_path, monkeypatch):
    """Runs a wrong line in a folder with a table and a file that begins like a model."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tea.csv").write_text("leaf,cup,good\n1,2,yes\n3,4,no\n")
    (tmp_path / "model.json").write_text('{\n "format": "modlearn model"}')

    def answer(line):
        with pytest.raises(SystemExit) as end:
            main(line.split())
        printed = capsys.readouterr()
        assert (end.value.code, printed.out) == (2, "")
        return printed.err.splitlines()[-1].removeprefix("Error: ")

    return answer


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("train tea.csv -t good", "fit tea.csv -t good"),
        ("Score model.json tea.csv", "predict model.json tea.csv"),
        ("describe tea.csv", "analyze tea.csv"),
        ("fit tea.csv -t good --exclude cup", "fit tea.csv -t good --drop cup"),
        ("fit tea.csv -t good --exclude cup,leaf", "fit tea.csv -t good --drop cup --drop leaf"),
        ("fit tea.csv --columns=cup -t good", "fit tea.csv --only cup -t good"),
        ("fit tea.csv -t good --features cup", "fit tea.csv -t good --only cup"),
        ("fit tea.csv --label good", "fit tea.csv --target good"),
        ("fit tea.csv -y good", "fit tea.csv --target good"),
        ("predict model.json tea.csv --columns cup", "predict model.json tea.csv --keep cup"),
        ("fit tea.csv good", "fit tea.csv --target good"),
        ("fit good tea.csv --jobs 1", "fit tea.csv --target good --jobs 1"),
        ("propagate -t tea.csv good", "propagate tea.csv --target good"),
        ("predict tea.csv model.json", "predict model.json tea.csv"),
        ("fit tea.csv -t good --drop cup leaf", "fit tea.csv -t good --drop cup --drop leaf"),
        ("evaluate tea.csv -t good", "fit tea.csv -t good"),
        ("evaluate model.json tea.csv", "predict model.json tea.csv --out predicted.csv"),
        ("eval tea.csv model.json", "predict model.json tea.csv --out predicted.csv"),
        ("fit tea.csv -t good --groups cup", "fit tea.csv -t good --group cup"),
        ("train tea.csv good", "fit tea.csv --target good"),
        ("train tea.csv --label good", "fit tea.csv --target good"),
        ("score tea.csv model.json", "predict model.json tea.csv"),
        ("explain model.json tea.csv", "predict model.json tea.csv --explain 3"),
        ("explain model.json tea.csv --explain 1", "predict model.json tea.csv --explain 1"),
        ("train --help", "fit --help"),
        ("predict model.json tea.csv --cutoff 0.2", "predict model.json tea.csv --threshold 0.2"),
    ],
)
def test_the_line_that_was_meant_is_shown(answer, typed, meant):
    assert answer(typed).endswith(f"Type: modlearn {meant}")


def test_without_a_target_the_columns_are_listed(answer):
    assert answer("fit tea.csv") == (
        "Name the column to predict with --target: 'leaf', 'cup', 'good'. For example: modlearn "
        "fit tea.csv --target good"
    )


def test_another_command_without_a_target_is_answered_with_one_and_the_columns(answer):
    assert answer("train tea.csv") == (
        "There is no command 'train'. Name the column to predict with --target: 'leaf', 'cup', "
        "'good'. For example: modlearn fit tea.csv --target good"
    )


def test_a_table_that_cannot_be_opened_lists_no_columns(answer, tmp_path):
    (tmp_path / "bad.parquet").write_text("not Parquet")
    assert answer("fit bad.parquet") == "Missing option '-t' / '--target'."
    assert answer("fit nothing.csv") == "Missing option '-t' / '--target'."


def test_another_error_is_not_replaced_by_a_hint(answer):
    assert answer("analyze tea.csv -o tea.csv").startswith("'tea.csv' is an input")
    assert answer("fit tea.csv -t good -o -").startswith("A model and its report cannot go")


def test_a_table_alone_is_answered_with_a_command(answer):
    assert answer("tea.csv").endswith("For example: modlearn analyze tea.csv")


def test_a_table_in_place_of_a_model_says_how_to_train_one(answer):
    expected = "'tea.csv' is not a model file. To train one: modlearn fit tea.csv --target COLUMN"
    assert answer("report tea.csv") == expected


def test_a_report_in_place_of_its_model_leads_to_the_model(answer, tmp_path):
    (tmp_path / "model.html").write_text("<!DOCTYPE html>")
    assert answer("report model.html").endswith("Type: modlearn report model.json")
    assert answer("predict model.html tea.csv").endswith("modlearn predict model.json tea.csv")


def test_a_model_knows_its_target(answer):
    assert "the model knows its target" in answer("predict model.json tea.csv -t good")


def test_what_is_already_done_is_said(answer):
    assert "already uses ten-fold cross-validation" in answer("fit tea.csv -t good --cv 5")
    assert "already has a column with the probability" in answer(
        "predict model.json tea.csv --proba"
    )
    assert "if the table has the target column" in answer("predict model.json tea.csv --evaluate")


@pytest.mark.parametrize("line", ["fit {} -t good", "analyze {}", "propagate {} -t good"])
def test_a_model_in_place_of_a_table_leads_to_predict(answer, line):
    expected = "'model.json' is a model, not a table. To predict a table with it: modlearn predict"
    assert answer(line.format("model.json")) == f"{expected} model.json TABLE"


def test_a_table_called_json_in_place_of_a_model_is_not_a_model(answer, tmp_path):
    (tmp_path / "tea.json").write_text("leaf,cup\n1,2\n")
    assert answer("predict tea.json tea.csv").startswith("'tea.json' is not a model file.")


def test_words_that_cannot_be_placed_are_named(answer):
    assert "unexpected extra argument (more)" in answer("fit tea.csv -t good more")
    assert "No such command 'xyz'" in answer("xyz")


def test_every_guess_leads_to_a_name_that_exists():
    options = {name for c in commands.commands.values() for p in c.params for name in p.opts}
    assert set(COMMANDS) <= set(commands.commands)
    assert set(OPTIONS) <= options
    for names, answers in ANSWERS.items():
        for name in names:
            own = {opt for p in commands.commands[name].params for opt in p.opts}
            assert not own & set(answers)
    guesses = {guess for names in COMMANDS.values() for guess in names}
    assert not guesses & set(commands.commands)


@pytest.mark.parametrize("command", ["fit", "analyze"])
def test_a_name_that_is_too_long_for_a_file_is_named(capsys, command):
    with pytest.raises(SystemExit, match="1"):
        main([command, "x" * 300, "--target", "y" * 300])
    assert "File name too long: 'xxx" in capsys.readouterr().err
