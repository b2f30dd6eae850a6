"""The command line: one command, one line of work. Nothing heavy is imported before it is needed.

Exit codes: 0 complete, 2 bad configuration or data, 3 finished with samples owed,
130 interrupted, 1 a fault of ours.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from ifbench import __version__
from ifbench.errors import IfbenchError
from ifbench.logs import Logging, form_of_environment, start_logging
from ifbench.visible import visible_lines

EXIT_OK = 0
EXIT_FINDINGS = 1
EXIT_BAD_INPUT = 2
EXIT_OWED = 3
EXIT_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parse(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # where few characters can be written: `?`
            stream.reconfigure(errors="replace")
    start_logging(
        Logging(form=options.log_format or form_of_environment(), verbosity=options.verbose)
    )
    try:
        # A name from our own table below, never a user's.
        return int(import_module(f"ifbench.commands.{options.module}").run(options))
    except IfbenchError as error:
        say_error(error)
        return EXIT_BAD_INPUT
    except KeyboardInterrupt:
        say("ifbench: interrupted")
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        sys.stderr.close()
        return EXIT_OK
    except OSError as error:  # a full disk under our output, say
        say_error(error)
        return EXIT_BAD_INPUT


def say_error(error: Exception) -> None:
    """Print an error, in one or more lines; it may quote whatever stands in a file."""
    say(f"ifbench: {error}")


def say(words: str) -> None:
    """Tell the user beside the output, in one or more lines, whatever the words quote."""
    print(visible_lines(words), file=sys.stderr, flush=True)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command and its options; KEY=VALUE may stand before, between and behind options."""
    parser = _parser()
    options, rest = parser.parse_known_args(arguments)
    stray = [word for word in rest if word.startswith("-") or not hasattr(options, "overrides")]
    if stray:
        parser.error(f"unrecognized arguments: {' '.join(stray)}")
    if rest:
        options.overrides = [*options.overrides, *rest]
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ifbench",
        description="Evaluate how well multimodal models follow instructions.",
        epilog="Every KEY=VALUE of a configuration can be given; see docs/configuration.md.",
    )
    parser.add_argument("--version", action="version", version=f"ifbench {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def add(name: str, words: str, module: str | None = None) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name, help=words, description=words[0].upper() + words[1:] + "."
        )
        command.set_defaults(module=module or name)
        command.add_argument("-v", "--verbose", action="count", default=0, help="log more: -v, -vv")
        command.add_argument(
            "--log-format", choices=("text", "json"), help="of log lines; default: $IFBENCH_LOG"
        )
        return command

    evaluate = add("evaluate", "ask models, verify their answers, and leave scores and a table")
    _configured(evaluate, can_sweep=True)
    plan = add("plan", "show what `evaluate` would do: calls, tokens, cost, time; asks nobody")
    _configured(plan, can_sweep=True)

    submit = add("submit", "write a RayJob that evaluates on a Kubernetes cluster, or apply it")
    submit.add_argument(
        "--overlay",
        type=_word,
        default="local",
        metavar="NAME",
        help="local, api or gpu (k8s/overlays), or a folder of your own; default: local",
    )
    submit.add_argument("--image", type=_word, help="default: what the overlay says")
    submit.add_argument("--namespace", type=_word, help="default: what the overlay says")
    submit.add_argument(
        "--name", type=_word, help="default: made of the command, so that it finds its run"
    )
    action = submit.add_mutually_exclusive_group()
    action.add_argument("--render", action="store_true", help="write the YAML (the default)")
    action.add_argument("--apply", action="store_true", help="hand it to the cluster; asks kubectl")
    submit.add_argument("-o", "--output", type=_path, help="default: standard output")
    submit.add_argument("--context", help="which cluster of the kubeconfig")
    submit.add_argument("--kubeconfig", type=_path, help="default: kubectl's own")
    _configured(submit, can_sweep=True)

    report = add("report", "print the tables of stored runs")
    report.add_argument(
        "runs",
        nargs="*",
        metavar="RUN",
        help="a run's id, or enough of it; default: the latest; several for a table of all",
    )
    report.add_argument(
        "--against", metavar="RUN", help="another run of the same samples, to be set beside"
    )
    _stored(report)
    report.add_argument("--list", action="store_true", help="list the runs of the store instead")
    report.add_argument(
        "--by",
        action="append",
        metavar="FACET",
        help="only these breakdowns: a facet; group, domain, constraint; family, access, billions, "
        "thinking (means over models); several as A+B",
    )
    report.add_argument(
        "--only",
        action="append",
        metavar="TABLE",
        help="only this table: overall, correctness, association, answers, or a breakdown's name; "
        "with --against: difference, correct, agreement, or a facet",
    )
    report.add_argument(
        "--format",
        choices=("terminal", "markdown", "csv", "json", "latex", "arrow"),
        default="terminal",
        help="arrow: typed columns in the file of -o; several tables go to out.TABLE.arrow",
    )
    report.add_argument(
        "--paper", action="store_true", help="the paper's printed figures beside ours"
    )
    report.add_argument("-o", "--output", type=_path, help="default: standard output")

    status = add("status", "show how runs stand, also while they go on, from another terminal")
    status.add_argument(
        "runs",
        nargs="*",
        metavar="RUN",
        help="a run's id, or enough of it; default: all that go on, or else those of the latest command",
    )
    _stored(status)
    status.add_argument("--watch", action="store_true", help="again and again until they end")
    status.add_argument("--format", choices=("terminal", "json"), default="terminal")

    verify = add("verify", "score answers that you have: lines of id, constraint, params, response")
    verify.add_argument("file", type=_path, help="JSON Lines; `-` reads standard input")
    verify.add_argument("-o", "--output", type=_path, help="default: standard output")
    _configured(verify)

    constraints = add("constraints", "list every constraint with its parameters and an example")
    constraints.add_argument("id", nargs="*", help="only these")
    constraints.add_argument("--json", action="store_true", help="as one JSON array")
    constraints.add_argument("--markdown", action="store_true", help="as a reference to read")

    show = add(
        "show", "show one sample: its instruction, its checklist and, once run, its verdicts"
    )
    show.add_argument("sample", nargs="?", metavar="ID", help="the sample's id")
    show.add_argument("--run", help="a run's id, or enough of it; default: the latest with it")
    _configured(show)

    doctor = add("doctor", "say what is installed, reachable and writable, and how to mend it")
    _configured(doctor)

    answers = add("answers", "take in answers that you have, or give a run's in the release's form")
    exchanges = answers.add_subparsers(title="actions", metavar="ACTION", required=True)
    taken = exchanges.add_parser("import", help="store answers as if the candidate had been asked")
    taken.add_argument("file", type=_path, help="JSON Lines of id and response, or *.response.json")
    taken.set_defaults(action="import")
    _configured(taken)
    given = exchanges.add_parser("export", help="files in the release's form, for its scorer")
    given.add_argument("run", nargs="?", help="a run's id, or enough of it; default: the latest")
    given.add_argument("-o", "--output", type=_path, required=True, metavar="FOLDER")
    given.add_argument("--candidate", help="which, where the run has several")
    given.set_defaults(action="export")
    _stored(given)

    data = add("data", "make data sets from the files of known sources")
    actions = data.add_subparsers(title="actions", metavar="ACTION", required=True)
    source = actions.add_parser("from-source", help="read a source's own format, add constraints")
    source.add_argument("source", metavar="NAME", help="mol_instructions or llm4mat_bench")
    source.add_argument("file", type=_path, metavar="FILE")
    source.add_argument("-o", "--output", type=_path, required=True, metavar="OUT.jsonl")
    source.add_argument("--seed", type=int, default=0)
    source.add_argument("--per-sample", type=int, default=3, help="most general constraints of one")
    source.add_argument("--limit", type=int, help="at most so many samples")
    source.add_argument("--max-characters", type=int, help="cut longer texts of the source")
    source.set_defaults(action="from_source")
    check = actions.add_parser("check", help="list what would make a score meaningless")
    check.add_argument(
        "file", type=_said, metavar="FILE", help="a file, a release's folder, or builtin:NAME"
    )
    check.add_argument("--json", action="store_true", help="a JSON object a line")
    check.set_defaults(action="check")
    return parser


def _said(text: str) -> str:
    """An argument that may not be blank: an empty path would be the working folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError(f"a path is expected, found {text!r}")
    return text


def _word(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError(f"a word is expected, found {text!r}")
    return text


def _path(text: str) -> Path:
    return Path(_said(text))


def _configured(command: argparse.ArgumentParser, *, can_sweep: bool = False) -> None:
    command.add_argument(
        "overrides", nargs="*", metavar="KEY=VALUE", help="judge=NAME, benchmark.limit=20, …"
    )
    command.add_argument(
        "--config-dir", type=_path, help="a folder like conf/ that is searched first"
    )
    if can_sweep:
        command.add_argument(
            "-m",
            "--multirun",
            action="store_true",
            help="a run for each combination of KEY=A,B,… (Hydra's sweeps), all of them as one",
        )


def _stored(command: argparse.ArgumentParser) -> None:
    command.add_argument("--store", type=_said, default="store", help="the store's folder or URI")


if __name__ == "__main__":
    sys.exit(main())
