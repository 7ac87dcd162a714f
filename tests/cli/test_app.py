"""The program as a whole: help, version, completion."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from . import run, succeed

COMMANDS = [
    "report",
    "relevance",
    "neighbors",
    "embed",
    "cluster",
    "outliers",
    "fit",
    "query",
]
EVIDENCE = ["demo", "reproduce", "bench"]


def test_the_program_runs_as_a_process_and_help_names_every_command():
    program = Path(sys.executable).with_name("urerf")
    done = subprocess.run([program, "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr == ""
    for word in [*COMMANDS, *EVIDENCE, "--version"]:
        assert word in done.stdout


def test_the_program_is_also_a_module():
    command = [sys.executable, "-m", "urerf", "--version"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == f"urerf {version('urerf')}\n"
    wrong = subprocess.run([*command[:3], "nonsense"], capture_output=True, text=True)
    assert wrong.returncode == 2


def test_help_imports_nothing_heavy():
    heavy = "{'numba', 'matplotlib', 'numpy', 'sklearn'}"
    code = f"import sys, urerf.cli; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_and_fits_on_a_terminal(command):
    text = succeed(command, "--help", env={"COLUMNS": "80"}).stdout
    assert f"urerf {command} " in text.split("Examples:")[1]
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("command", [[], ["bench"], *([name] for name in COMMANDS + EVIDENCE)])
def test_help_has_no_types_of_python(command):
    text = succeed(*command, "--help").stdout
    for kind in ("<bool>", "<str>", "<int", "<path>", "<float", "list["):
        assert kind not in text


def test_version():
    assert succeed("--version").stdout == f"urerf {version('urerf')}\n"


def test_usage_names_arguments_as_manuals_do():
    assert "query [OPTIONS] MODEL FILE" in succeed("query", "--help").stdout


def test_without_a_command_help_is_shown():
    result = run()
    assert result.exit_code in (0, 2)  # depends on the version of Typer
    assert "demo" in result.output


def test_completion_can_be_shown(monkeypatch):
    # Otherwise Typer looks for the shell that called it.
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    assert "urerf" in succeed("--show-completion", "bash").stdout
