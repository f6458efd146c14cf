"""Hints for what people type before they know the commands: other names, another order."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

__all__ = ["HintedCommand", "HintedGroup"]

COMMANDS = {
    "fit": ("train", "learn", "build", "model", "evaluate", "run"),
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
    "--out": ("--output", "--save", "--to", "--out-file", "--output-file", "--model"),
    "--jobs": ("--n-jobs", "--threads", "--cores", "--workers", "-j", "-n"),
    "--test": ("--test-size", "--holdout", "--split", "--validation"),
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

MODEL_MARK = b'"format": "modlearn model"'
MOST_BYTES = 50_000_000
"""A larger table is not opened just to name its columns."""


class HintedGroup(click.Group):
    """Lists the commands in the order in which they are needed; knows other names for them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of their definition."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that a line begins with."""
        first, rest = args[0], args[1:]
        known = next((known for known, names in COMMANDS.items() if first.lower() in names), None)
        if first not in self.commands and known:
            raise click.UsageError(
                f"There is no command {first!r}. Type: {_line('modlearn', known, *rest)}", ctx
            )
        if first not in self.commands and Path(first).is_file():
            line = _line("modlearn", "analyze", *args)
            raise click.UsageError(f"A command comes before the table. Type, say: {line}", ctx)
        return super().resolve_command(ctx, args)


class HintedCommand(click.Command):
    """Explains a wrong line by the line that was probably meant."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return the words that are left, or raise with the line that was probably meant."""
        typed = list(args)
        try:
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            self._refuse_guessed(ctx, typed, error.option_name)
            raise
        except click.UsageError as error:
            if type(error) in (click.UsageError, click.MissingParameter):
                self._refuse_misplaced(ctx, typed)
            raise
        _refuse_swapped(ctx)
        return rest

    def _refuse_guessed(self, ctx: click.Context, typed: list[str], guess: str) -> None:
        """Raise with the line in which an option has the name it has here."""
        options = {name: p for p in self.params for name in p.opts if isinstance(p, click.Option)}
        known = next((o for o, names in OPTIONS.items() if guess in names and o in options), None)
        if known is None:
            if guess in ("-t", "--target"):
                raise click.UsageError(
                    f"There is no option {guess}: the model knows its target. Leave it out.", ctx
                )
            return
        multiple = getattr(options[known], "multiple", False)
        line = _line(ctx.command_path, *_replaced(typed, guess, known, multiple))
        raise click.UsageError(f"There is no option {guess}. Type: {line}", ctx)

    def _refuse_misplaced(self, ctx: click.Context, typed: list[str]) -> None:
        """Raise with the line in which each word stands after its option."""
        found, extra, _ = self.make_parser(ctx).parse_args(args=list(typed))
        first = found.get("table")
        if isinstance(first, str) and self._lacks_target(found):
            if not extra:
                _refuse_no_target(ctx, first)
            if len(extra) == 1:
                table, target = sorted([first, *extra], key=lambda word: not Path(word).exists())
                rest = [word for word in typed if word not in (first, *extra)]
                line = _line(ctx.command_path, table, "--target", target, *rest)
                raise click.UsageError(f"The target is named with --target. Type: {line}", ctx)
        self._refuse_several_values(ctx, typed, extra)

    def _lacks_target(self, found: dict[str, Any]) -> bool:
        """Whether the command has a target that the line does not name."""
        takes_target = any(parameter.name == "target" for parameter in self.params)
        return takes_target and not isinstance(found.get("target"), str)

    def _refuse_several_values(
        self, ctx: click.Context, typed: list[str], extra: Sequence[str]
    ) -> None:
        """Raise if words follow the value of an option that must be repeated for each of them."""
        several = {name for p in self.params for name in p.opts if getattr(p, "multiple", False)}
        option, corrected = "", []
        for i, word in enumerate(typed):
            if word.startswith("-"):
                option = word
            elif word in extra and typed[i - 1] != option and option in several:
                corrected.append(option)
            corrected.append(word)
        if len(corrected) > len(typed):
            line = _line(ctx.command_path, *corrected)
            raise click.UsageError(f"An option is repeated for each value. Type: {line}", ctx)


def _line(*words: str) -> str:
    """Return a command line that can be copied."""
    command, *rest = words
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


def _refuse_no_target(ctx: click.Context, table: str) -> None:
    """Raise with the names of the columns, to choose the target from."""
    from modlearn._tables.files.formats import open_source
    from modlearn.schema import listed

    if not Path(table).is_file() or Path(table).stat().st_size > MOST_BYTES:
        return
    try:
        with open_source(table) as source:
            names = source.names
    except Exception:  # what is wrong with the table is not the question yet
        return
    line = _line(ctx.command_path, table, "--target", names[-1])
    raise click.UsageError(
        f"Name the column to predict with --target: {listed(names, 20)}. Type, say: {line}", ctx
    )


def _refuse_swapped(ctx: click.Context) -> None:
    """Raise if two arguments are probably swapped, or a table is passed where a model is needed."""
    given: dict[str, Any] = ctx.params
    table, target, model = (given.get(name) for name in ("table", "target", "model"))
    if table and target and not _may_be_table(table) and Path(target).is_file():
        line = _line(ctx.command_path, target, "--target", table)
        raise click.UsageError(f"Table and target are swapped. Type: {line}", ctx)
    if model and not _is_model(model):
        if table and _is_model(table):
            line = _line(ctx.command_path, table, model)
            raise click.UsageError(f"Model and table are swapped. Type: {line}", ctx)
        if Path(model).suffix != ".json":
            line = _line("modlearn", "fit", model, "--target", "COLUMN")
            raise click.UsageError(f"{model!r} is not a model file. To train one: {line}", ctx)


def _may_be_table(name: str) -> bool:
    """Whether a name is that of a file, a pattern, a table of a database, or a stream."""
    return name == "-" or Path(name).exists() or any(mark in name for mark in ("::", "*", "?", "["))


def _is_model(path: str) -> bool:
    """Whether a file begins like a model file."""
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return MODEL_MARK in file.read(200)
