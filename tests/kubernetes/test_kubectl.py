"""What is asked of kubectl, by a stand-in that notes it; rendering is done by the real one."""

from __future__ import annotations

import sys

import pytest

from ifbench.errors import ConfigError, PrerequisiteError
from ifbench.kubernetes.kubectl import Cluster, find_kubectl
from ifbench.kubernetes.overlays import as_yaml, overlay_folder


@pytest.fixture
def kubectl(tmp_path, monkeypatch):
    """A program that notes its arguments and input, and says what `answer` holds."""
    program = tmp_path / "bin" / "kubectl"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n'
        f"case \"$*\" in *'--filename -'*) cat >> {tmp_path}/said ;; esac\n"
        f"cat {tmp_path}/answer 2>/dev/null\nexit $(cat {tmp_path}/code 2>/dev/null || echo 0)\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return tmp_path


@pytest.mark.parametrize(
    ("answer", "state"), [("", ""), ("n/", "New"), ("n/Running", "Running"), ("n/Failed", "Failed")]
)
def test_the_state_of_a_run(kubectl, answer, state):
    (kubectl / "answer").write_text(answer)
    assert Cluster("ns", ["--context", "c"]).state("n") == state
    assert (kubectl / "asked").read_text().startswith("get rayjob n --ignore-not-found ")
    assert (kubectl / "asked").read_text().endswith("--namespace ns --context c\n")


def test_what_is_applied_goes_in_by_standard_input(kubectl):
    Cluster("ns").apply("kind: RayJob\n")
    assert (kubectl / "asked").read_text() == "apply --filename - --namespace ns\n"
    assert (kubectl / "said").read_text() == "kind: RayJob\n"


def test_the_words_of_kubectl_are_handed_on(kubectl):
    (kubectl / "answer").write_text("the server is not there")
    (kubectl / "code").write_text("1")
    with pytest.raises(PrerequisiteError, match="kubectl get: the server is not there"):
        Cluster("ns").state("n")


def test_without_kubectl_it_is_said_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(PrerequisiteError, match=r"ifbench\[kubernetes\]"):
        find_kubectl()
    (tmp_path / "kubectl").touch()  # as a wheel leaves it, also where no one has activated
    assert find_kubectl() == str(tmp_path / "kubectl")


def test_an_overlay_is_a_shipped_one_or_a_folder(tmp_path):
    assert overlay_folder("api").name == "api"
    with pytest.raises(ConfigError, match=r"a shipped overlay \(api, gpu, local\)"):
        overlay_folder(str(tmp_path))
    (tmp_path / "kustomization.yaml").touch()
    assert overlay_folder(str(tmp_path)) == tmp_path


def test_yaml_repeats_what_stands_twice():
    twice = {"a": "é"}
    assert as_yaml([{"x": twice, "y": twice}]) == "x:\n  a: é\ny:\n  a: é\n"
