"""Every object is one that Kubernetes, KubeRay and Kueue take, unknown fields included."""

from __future__ import annotations

import copy
from functools import cache

import pytest
from crd_schemas import crd_validators
from rendered import CRDS, OVERLAYS, needs_crds, needs_kubectl, objects, rayjob, rayjob_pods

from ifbench.kubernetes.rayjob import written

kubernetes_validate = pytest.importorskip(
    "kubernetes_validate", reason="pip install kubernetes-validate"
)
jsonschema = pytest.importorskip("jsonschema")

CUSTOM = ("ray.io/", "kueue.x-k8s.io/")
VERSIONS = ("1.32", "1.37")
"""Of Kubernetes: the oldest that KubeRay 1.7 and Kueue 0.19 are used with, and the newest."""


@cache
def schemas():
    return crd_validators(CRDS)


def mistakes(one):
    schema = schemas()[one["apiVersion"], one["kind"]]
    errors = jsonschema.Draft7Validator(schema).iter_errors(one)
    return [f"{one['kind']} {list(error.path)}: {error.message}" for error in errors]


@needs_kubectl
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_core_objects_are_what_kubernetes_takes(overlay, version):
    core = [one for one in objects(overlay) if not one["apiVersion"].startswith(CUSTOM)]
    assert len(core) >= 11
    for one in core:
        kubernetes_validate.validate(one, version, strict=True)


@needs_kubectl
@needs_crds
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_custom_objects_are_what_their_operators_take(overlay):
    custom = [one for one in objects(overlay) if one["apiVersion"].startswith(CUSTOM)]
    assert len(custom) >= (5 if overlay == "gpu" else 1)
    assert [words for one in custom for words in mistakes(one)] == []


@needs_kubectl
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_pods_inside_a_rayjob_are_what_kubernetes_takes(overlay):
    for name, pod in rayjob_pods(rayjob(overlay)):
        meta = {"name": name.replace(" ", "-"), **pod["metadata"]}
        whole = {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": pod["spec"]}
        kubernetes_validate.validate(whole, VERSIONS[-1], strict=True)


@needs_kubectl
@needs_crds
def test_what_submit_writes_is_taken_as_well():
    conf, job = written(
        rayjob("api"), "true", name="n", image="i:1", namespace="ns", conf={"model/m.yaml": "x"}
    )
    kubernetes_validate.validate(conf, VERSIONS[-1], strict=True)
    assert mistakes(job) == []


# What each check is good for: it finds these.
@needs_kubectl
@needs_crds
@pytest.mark.parametrize(
    "spoil",
    [
        lambda spec: spec.update(backOffLimit=3),
        lambda spec: spec.update(backoffLimit="three"),
        lambda spec: spec["rayClusterSpec"]["authOptions"].update(mode="tokens"),
        lambda spec: spec["rayClusterSpec"]["headGroupSpec"]["rayStartParams"].update(x=0),
        lambda spec: spec["rayClusterSpec"]["workerGroupSpecs"][0].pop("groupName"),
        lambda spec: spec["rayClusterSpec"]["headGroupSpec"]["template"]["spec"].update(volume=[]),
    ],
)
def test_a_spoiled_rayjob_is_found_out(spoil):
    job = copy.deepcopy(rayjob("local"))
    spoil(job["spec"])
    assert mistakes(job)
