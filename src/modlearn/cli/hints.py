"""Hints for what people type before they know the commands: other names, another order.

They are looked for only after a command has failed.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from modlearn._addresses import is_address, without_password
from modlearn._files import MODEL_MARK

__all__ = ["hinted"]

COMMANDS = {
    "fit": ("train", "learn", "build", "model", "run", "evaluate", "eval", "test", "validate"),
    "analyze": ("describe", "profile", "explore", "summarize", "summary", "inspect"),
    "predict": ("score", "apply", "classify", "infer", "predict_proba", "explain"),
    "propagate": ("spread", "label"),
    "report": ("show", "open", "view"),
}
"""What a command may be called by someone who guesses."""

OPTIONS = {
    "--target": ("--label", "--labels", "--class", "--y", "-y", "--outcome", "--response"),
    "--drop": ("--exclude", "--ignore", "--remove", "--skip", "--without", "--drop-columns", "-x"),
    "--only": ("--columns", "--features", "--feature", "--include", "--use", "--select", "--cols"),
    "--keep": ("--columns", "--include", "--select", "--only", "--cols", "--id"),
    "--as-categorical": ("--categorical", "--categories", "--nominal", "--factor", "--category"),
    "--as-date": ("--date", "--dates", "--parse-dates", "--datetime"),
    "--out": ("--output", "--save", "--to", "--out-file", "--output-file", "--model"),
    "--memory": ("--mem", "--ram", "--max-memory", "--memory-limit", "--maxmem"),
    "--jobs": ("--n-jobs", "--threads", "--cores", "--workers", "-j", "-n"),
    "--test": ("--test-size", "--holdout", "--split", "--validation"),
    "--group": ("--groups", "--group-by", "--groupby", "--group-column"),
    "--time": ("--time-column", "--order-by"),
    "--cost": ("--costs", "--cost-matrix"),
    "--threshold": ("--cutoff", "--cut-off", "--decision-threshold"),
    "--test-file": ("--test-data", "--test-table", "--valid"),
    "--seed": ("--random-state", "--random-seed", "--random"),
    "--positive": ("--pos-label", "--positive-class", "--class-of-interest"),
    "--delimiter": ("--sep", "--separator", "--delim", "-d"),
    "--missing": ("--na", "--na-values", "--null", "--nan", "--missing-values"),
    "--neighbors": ("--n-neighbors", "--k", "-k"),
    "--explain": ("--reasons", "--why", "--explanations"),
    "--quiet": ("--silent",),
}
"""What an option may be called by someone who guesses."""

CROSS_VALIDATION = (
    "fit already uses ten-fold cross-validation; pass --test 0.3 to hold out a share of the rows "
    "instead (in Python, test=KFold(5) also works)."
)
PROBABILITIES = "the output already has a column with the probability of each class."
EVALUATION = "predict reports how good the predictions are if the table has the target column."

ANSWERS = {
    ("fit",): dict.fromkeys(
        ("--cv", "--folds", "--n-folds", "--n-splits", "--kfold", "--k-fold"), CROSS_VALIDATION
    ),
    ("predict",): {
        **dict.fromkeys(("--proba", "--probs", "--probability", "--probabilities"), PROBABILITIES),
        **dict.fromkeys(("--evaluate", "--score", "--metrics", "--test"), EVALUATION),
    },
    ("predict", "report"): dict.fromkeys(("-t", "--target"), "the model knows its target."),
}
"""Answers to options that have no counterpart, by command."""

MOST_BYTES = 50_000_000
"""A larger table is not opened just to name its columns."""


def hinted(error: Exception, typed: list[str], commands: click.Group) -> Exception:
    """Return an error with the line that was probably meant, or the error itself.

    `typed` are the words after ``modlearn``.
    """
    if not typed:
        return error
    first, *rest = typed
    command = commands.commands.get(first)
    if command is None:
        hint = _other_command(first, rest, commands)
        return click.UsageError(hint) if hint else error
    context = click.Context(command, info_name=f"modlearn {first}")
    hint = _other_words(context, rest, error)
    return click.UsageError(hint, context) if hint else error


def _other_words(context: click.Context, typed: list[str], error: Exception) -> str | None:
    """Return a hint for what follows the name of a command."""
    if isinstance(error, click.NoSuchOption):
        return _other_option(context, typed, error.option_name)
    return _other_order(context, typed, error)


def _other_command(first: str, rest: list[str], commands: click.Group) -> str | None:
    """Return a hint that names the command that was meant."""
    known = next((known for known, names in COMMANDS.items() if first.lower() in names), None)
    models = [word for word in rest if _is_model(word)]
    if known == "fit" and models and len(rest) > 1:
        others = [word for word in rest if word not in models]
        line = _line("modlearn", "predict", models[0], *others, "--out", "predicted.csv")
        return (
            f"There is no command {first!r}. If the table has the target, predict shows how good "
            f"the model is. Type: {line}"
        )
    if known:
        if first.lower() == "explain" and "--explain" not in rest:
            rest = [*rest, "--explain", "3"]
        # What follows may be wrong as well: the line that is shown should work.
        context = click.Context(commands.commands[known], info_name=f"modlearn {known}")
        hint = _other_words(context, rest, _first_error(context, rest))
        hint = hint or f"Type: {_line('modlearn', known, *rest)}"
        return f"There is no command {first!r}. {hint}"
    if _is_file(first):
        line = _line("modlearn", "analyze", first, *rest)
        return f"The command comes before the table. For example: {line}"
    return None


def _first_error(context: click.Context, typed: list[str]) -> Exception:
    """Return what is wrong with the words after a command, as far as no file is opened for it."""
    parameters = context.command.params
    try:
        found, extra, _ = context.command.make_parser(context).parse_args(args=list(typed))
    except click.UsageError as error:
        return error
    if extra:
        return click.UsageError("Too many words.", context)
    missing = [p for p in parameters if p.required and not found.get(str(p.name))]
    if missing and "help" not in found:
        return click.MissingParameter(ctx=context, param=missing[0])
    return ValueError("No word is misplaced.")


def _other_option(context: click.Context, typed: list[str], guess: str) -> str | None:
    """Return a hint that names the option that was meant."""
    options = {name: p for p in context.command.params for name in p.opts}
    known = next((o for o, names in OPTIONS.items() if guess in names and o in options), None)
    if known is None:
        name = context.command.name
        answers = [said[guess] for of, said in ANSWERS.items() if name in of and guess in said]
        return f"There is no option {guess}: {answers[0]}" if answers else None
    multiple = getattr(options[known], "multiple", False)
    line = _line(context.command_path, *_replaced(typed, guess, known, multiple))
    return f"There is no option {guess}. Type: {line}"


def _other_order(context: click.Context, typed: list[str], error: Exception) -> str | None:
    """Return a hint with the line in which every word is where it belongs."""
    try:
        found, extra, _ = context.command.make_parser(context).parse_args(args=list(typed))
    except click.UsageError:  # the line is wrong in a way that its error explains
        return None
    given = {name: value for name, value in found.items() if isinstance(value, str)}
    if "model" not in given and _is_model(given.get("table", "")):
        line = _line("modlearn", "predict", given["table"], "TABLE")
        return f"{given['table']!r} is a model, not a table. To predict a table with it: {line}"
    if not isinstance(error, click.UsageError):
        return _swapped(context, given)
    takes_target = any(parameter.name == "target" for parameter in context.command.params)
    if "table" in given and takes_target and "target" not in given and len(extra) < 2:
        if not extra:
            is_missing = isinstance(error, click.MissingParameter)
            return _which_target(context, given["table"]) if is_missing else None
        words = [given["table"], *extra]
        table, target = sorted(words, key=lambda word: not (_exists(word) or is_address(word)))
        rest = [word for word in typed if word not in words]
        line = _line(context.command_path, table, "--target", target, *rest)
        return f"Name the target with --target. Type: {line}"
    return _several_values(context, typed, extra)


def _several_values(context: click.Context, typed: list[str], extra: Sequence[str]) -> str | None:
    """Return a hint if words follow the value of an option that is repeated for each value."""
    parameters = context.command.params
    several = {name for p in parameters for name in p.opts if getattr(p, "multiple", False)}
    option, corrected = "", []
    for i, word in enumerate(typed):
        if word.startswith("-"):
            option = word
        elif word in extra and typed[i - 1] != option and option in several:
            corrected.append(option)
        corrected.append(word)
    if len(corrected) == len(typed):
        return None
    line = _line(context.command_path, *corrected)
    return f"Repeat the option for each value. Type: {line}"


def _line(*words: str) -> str:
    """Return a command line that can be copied; passwords are to be filled in."""
    command, *rest = map(without_password, words)
    return " ".join([command, *map(shlex.quote, rest)])


def _replaced(typed: list[str], guess: str, known: str, multiple: bool) -> list[str]:
    """Return the words with another option; a list of values with commas is taken apart."""
    words = [part for word in typed for part in _parts(word, guess)]
    corrected: list[str] = []
    for i, word in enumerate(words):
        if word == guess:
            corrected.append(known)
        elif i and words[i - 1] == guess and multiple:
            first, *others = word.split(",")
            corrected += [first, *(part for other in others for part in (known, other.strip()))]
        else:
            corrected.append(word)
    return corrected


def _parts(word: str, guess: str) -> list[str]:
    """Return an option and its value, which may follow it after an equals sign."""
    return [guess, word[len(guess) + 1 :]] if word.startswith(f"{guess}=") else [word]


def _which_target(context: click.Context, table: str) -> str | None:
    """Return a hint with the names of the columns, to choose the target from."""
    from modlearn._tables.files.formats import open_source
    from modlearn.schema import listed

    if not _is_file(table) or Path(table).stat().st_size > MOST_BYTES:
        return None
    try:
        with open_source(table) as source:
            names = source.names
    except Exception:  # what is wrong with the table is not the question yet
        return None
    line = _line(context.command_path, table, "--target", names[-1])
    return f"Name the column to predict with --target: {listed(names, 20)}. For example: {line}"


def _swapped(context: click.Context, given: dict[str, str]) -> str | None:
    """Return a hint if two arguments are swapped, or a table stands where a model is needed."""
    table, target, model = (given.get(name) for name in ("table", "target", "model"))
    if table and target and not _may_be_table(table) and _is_file(target):
        line = _line(context.command_path, target, "--target", table)
        return f"Table and target are swapped. Type: {line}"
    if model and not _is_model(model):
        if table and _is_model(table):
            line = _line(context.command_path, table, model)
            return f"Model and table are swapped. Type: {line}"
        companion = str(Path(model).with_suffix(".json"))
        if _is_model(companion):
            line = _line(context.command_path, companion, *([table] if table else []))
            return f"{model!r} is a report; its model lies next to it. Type: {line}"
        if not _is_json(model):
            line = _line("modlearn", "fit", model, "--target", "COLUMN")
            return f"{model!r} is not a model file. To train one: {line}"
    return None


def _may_be_table(name: str) -> bool:
    """Whether a name is that of a file, a pattern, a table of a database, or a stream."""
    marks = ("::", "*", "?", "[")
    return name == "-" or is_address(name) or any(mark in name for mark in marks) or _exists(name)


def _exists(name: str) -> bool:
    """Whether something has this name, which may be longer than names of files can be."""
    if is_address(name):
        return False
    try:
        return Path(name).exists()
    except OSError:
        return False


def _is_file(name: str) -> bool:
    return _exists(name) and Path(name).is_file()


def _is_model(path: str) -> bool:
    """Whether a file begins like a model file."""
    return MODEL_MARK in _start(path)


def _is_json(path: str) -> bool:
    """Whether a file is called JSON and begins like an object."""
    return Path(path).suffix == ".json" and _start(path).lstrip().startswith(b"{")


def _start(path: str) -> bytes:
    """Return the first bytes of a file; none if there is no file."""
    if not _is_file(path):
        return b""
    with Path(path).open("rb") as file:
        return file.read(200)
