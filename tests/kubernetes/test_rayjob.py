"""A command written into a RayJob."""

from __future__ import annotations

import copy
import shlex

import pytest

from ifbench.errors import ConfigError
from ifbench.kubernetes.rayjob import (
    MOST_CONF_BYTES,
    check_name,
    default_name,
    entrypoint,
    settings_of,
    written,
)


def make_job(entry: str = "python /app/jobs/evaluate.py store.uri=/store seed=1") -> dict:
    def pod(name: str, image: str = "r/ifbench:1") -> dict:
        mounts = [{"name": "tmp", "mountPath": "/tmp"}]
        return {
            "containers": [{"name": name, "image": image, "volumeMounts": mounts}],
            "volumes": [{"name": "tmp", "emptyDir": {}}],
        }

    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayJob",
        "metadata": {"name": "x", "namespace": "ifbench", "labels": {"a": "b"}},
        "spec": {
            "entrypoint": entry,
            "submitterPodTemplate": {"spec": pod("submitter")},
            "rayClusterSpec": {
                "headGroupSpec": {"template": {"spec": pod("head")}},
                "workerGroupSpecs": [
                    {"groupName": "cpu", "template": {"spec": pod("worker")}},
                    {"groupName": "other", "template": {"spec": pod("worker", "r/other:2")}},
                ],
            },
        },
    }


def images(job: dict) -> list[str]:
    cluster = job["spec"]["rayClusterSpec"]
    pods = [
        job["spec"]["submitterPodTemplate"]["spec"],
        cluster["headGroupSpec"]["template"]["spec"],
        *(group["template"]["spec"] for group in cluster["workerGroupSpecs"]),
    ]
    return [pod["containers"][0]["image"] for pod in pods]


def test_where_a_run_works_stays_the_overlays_and_what_it_evaluates_does_not():
    job = make_job(
        "python /app/jobs/evaluate.py execution=ray execution.address=auto "
        "\"store.uri='s3://b/p?a=1&b=2'\" store=local 'candidates=[m]' judge=j storey=1"
    )
    assert settings_of(job) == (
        "execution=ray",
        "execution.address=auto",
        "store.uri='s3://b/p?a=1&b=2'",
        "store=local",
    )


@pytest.mark.parametrize(
    "override",
    [
        "candidates=[a,b]",
        "benchmark.where={modality: text}",
        "store.uri='s3://b/p?a=1&b=2'",
        "benchmark.data='it''s; rm -rf $HOME `x` \"y\" \\ *'",
        "~judge.sampling.max_tokens",
        "é=ü",
    ],
)
def test_an_override_reaches_the_program_as_it_was_typed(override):
    assert shlex.split(entrypoint([override]))[2:] == [override]


@pytest.mark.parametrize("override", ["benchmark.data='$(HOME)/x'", "benchmark.data='a\nb'"])
def test_what_kubernetes_would_change_is_refused(override):
    with pytest.raises(ConfigError, match=r"no `\$\(` and no line break"):
        entrypoint([override])


def test_name_image_and_namespace_are_set_and_the_overlay_is_untouched():
    job = make_job()
    before = copy.deepcopy(job)
    (made,) = written(job, "true", name="n", image="r/mine:3", namespace="ns")
    assert job == before
    assert made["metadata"] == {"name": "n", "namespace": "ns", "labels": {"a": "b"}}
    assert made["spec"]["entrypoint"] == "true"
    assert images(made) == ["r/mine:3", "r/mine:3", "r/mine:3", "r/other:2"]


def test_without_an_image_and_a_namespace_those_of_the_overlay_stay():
    (made,) = written(make_job(), "true", name="n")
    assert images(made) == images(make_job())
    assert made["metadata"]["namespace"] == "ifbench"


def test_own_files_are_mounted_where_the_driver_is():
    files = {"model/a.yaml": "engine: scripted\n", "evaluate.yaml": "seed: 1\n"}
    conf, made = written(make_job(), "true", name="n", conf=files)
    assert conf["kind"] == "ConfigMap"
    assert conf["metadata"]["name"] == "n"
    head = made["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]
    (volume,) = [one for one in head["volumes"] if one["name"] == "conf"]
    assert {i["path"]: conf["data"][i["key"]] for i in volume["configMap"]["items"]} == files
    assert head["containers"][0]["volumeMounts"][-1]["mountPath"] == "/conf"
    assert shlex.split(entrypoint(["a=1"], has_conf=True))[2:] == ["--config-dir", "/conf", "a=1"]
    worker = made["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]["template"]["spec"]
    assert [one["name"] for one in worker["volumes"]] == ["tmp"]


def test_files_that_no_configmap_holds_are_refused():
    with pytest.raises(ConfigError, match="too large"):
        written(make_job(), "true", name="n", conf={"a.yaml": "x" * (MOST_CONF_BYTES + 1)})


def test_the_same_command_has_the_same_name_and_another_has_another():
    name = default_name("api", ["candidates=[a]", "judge=b"])
    assert name == default_name("api", ("candidates=[a]", "judge=b"))
    assert check_name(name) == name
    assert name != default_name("gpu", ["candidates=[a]", "judge=b"])
    assert name != default_name("api", ["candidates=[a]"])


@pytest.mark.parametrize("name", ["", "A", "1a", "a-", "a_b", "a.b", "a" * 48])
def test_a_name_that_kuberay_refuses_is_refused(name):
    with pytest.raises(ConfigError, match="--name"):
        check_name(name)
