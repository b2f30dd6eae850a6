"""What a platform engineer would look for in the manifests, and no schema says."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml
from rendered import (
    OVERLAYS,
    ROOT,
    containers,
    needs_kubectl,
    objects,
    of_kind,
    pods,
    rayjob,
)

from ifbench.commands.submit import checked
from ifbench.config.secrets import find_secret

pytestmark = needs_kubectl
every_overlay = pytest.mark.parametrize("overlay", OVERLAYS)


@every_overlay
def test_no_object_holds_a_secret(overlay):
    assert of_kind(overlay, "Secret") == []
    assert [find_secret(one) for one in objects(overlay) if find_secret(one)] == []


def test_the_example_of_a_secret_is_empty_and_in_no_kustomization():
    example = ROOT / "k8s/base/secret.example.yaml"
    assert set(yaml.safe_load(example.read_text())["stringData"].values()) == {""}
    for file in ROOT.glob("k8s/**/kustomization.yaml"):
        assert "secret" not in str(yaml.safe_load(file.read_text())["resources"])


@every_overlay
def test_every_container_says_what_it_needs_and_may_take(overlay):
    for name, one in containers(overlay):
        for side in ("requests", "limits"):
            assert {"cpu", "memory"} <= one["resources"][side].keys(), name
    for quota in (rayjob(overlay)["spec"]["rayClusterSpec"].get("autoscalerOptions") or {},):
        assert not quota or {"requests", "limits"} <= quota["resources"].keys()


@every_overlay
def test_every_pod_is_restricted(overlay):
    for name, pod in pods(overlay):
        security = pod["spec"]["securityContext"]
        assert security["runAsNonRoot"] is True, name
        assert security["runAsUser"] >= 1000, name
        assert security["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert "hostNetwork" not in pod["spec"], name
        assert all("hostPath" not in volume for volume in pod["spec"]["volumes"]), name
    (namespace,) = of_kind(overlay, "Namespace")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"


@every_overlay
def test_every_container_is_restricted(overlay):
    options = rayjob(overlay)["spec"]["rayClusterSpec"].get("autoscalerOptions")
    for name, one in [*containers(overlay), *([("autoscaler", options)] if options else [])]:
        assert one["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }, name


@every_overlay
def test_what_is_written_is_written_to_volumes(overlay):
    for name, pod in pods(overlay):
        volumes = {volume["name"]: volume for volume in pod["spec"]["volumes"]}
        for one in pod["spec"]["containers"]:
            mounted = {mount["mountPath"]: mount["name"] for mount in one["volumeMounts"]}
            assert set(mounted.values()) <= volumes.keys(), name
            assert "/tmp" in mounted, name
            if name != "submitter":
                assert {"/cache", "/dev/shm"} <= mounted.keys(), name
        for volume in volumes.values():
            if "emptyDir" in volume:
                assert volume["emptyDir"]["sizeLimit"], name


@every_overlay
def test_shared_memory_fits_into_the_memory_of_its_pod(overlay):
    for name, pod in pods(overlay):
        limit = gib(pod["spec"]["containers"][0]["resources"]["limits"]["memory"])
        for volume in pod["spec"]["volumes"]:
            if volume.get("emptyDir", {}).get("medium") == "Memory":
                assert gib(volume["emptyDir"]["sizeLimit"]) <= limit / 2, name


def gib(quantity):
    assert quantity.endswith("Gi")
    return float(quantity.removesuffix("Gi"))


@every_overlay
def test_what_stays_up_is_probed(overlay):
    for name, one in containers(overlay):
        if name != "submitter":
            assert {"startupProbe", "readinessProbe", "livenessProbe"} <= one.keys(), name


@every_overlay
def test_nodes_of_ray_let_answers_in_flight_come_in_before_they_are_stopped(overlay):
    for name, pod in pods(overlay):
        if name == "head" or name.startswith("group"):
            (one,) = pod["spec"]["containers"]
            command = one["lifecycle"]["preStop"]["exec"]["command"]
            assert command[:2] == ["python", "/app/jobs/leave.py"]
            assert float(command[-1]) < pod["spec"]["terminationGracePeriodSeconds"], name
            assert pod["spec"]["restartPolicy"] == "Never", name


@every_overlay
def test_all_pods_of_a_run_have_one_image_of_one_version(overlay):
    images = {one["image"] for name, one in containers(overlay) if name != "judge"}
    assert len(images) == 1
    for name, one in containers(overlay):
        tag = one["image"].rpartition(":")[2]
        assert re.fullmatch(r"v?\d+\.\d+\.\d+", tag), f"{name}: {one['image']}"


def test_versions_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    lock = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    (ray,) = [one["version"] for one in lock if one["name"] == "ray"]
    for overlay in OVERLAYS:
        assert rayjob(overlay)["spec"]["rayClusterSpec"]["rayVersion"] == ray
        assert {i for n, i in images(overlay) if n != "judge"} == {
            f"registry.example.com/ifbench:{project}"
        }
    assert f'image.version="{project}"' in (ROOT / "Dockerfile").read_text()


def images(overlay):
    return [(name, one["image"]) for name, one in containers(overlay)]


@every_overlay
def test_a_run_is_tried_again_a_few_times_and_leaves_no_cluster_behind(overlay):
    spec = rayjob(overlay)["spec"]
    assert 1 <= spec["backoffLimit"] <= 5
    assert spec["shutdownAfterJobFinishes"] is True
    assert spec["ttlSecondsAfterFinished"] > 0
    assert spec["activeDeadlineSeconds"] >= 3600
    assert "deletionStrategy" not in spec  # KubeRay takes it beside neither of the two above
    assert "suspend" not in spec  # applied again, it would stop a run that Kueue has started
    assert spec["rayClusterSpec"]["authOptions"] == {"mode": "token"}


@every_overlay
def test_the_head_takes_no_work_and_parameters_of_ray_are_texts(overlay):
    cluster = rayjob(overlay)["spec"]["rayClusterSpec"]
    assert cluster["headGroupSpec"]["rayStartParams"]["num-cpus"] == "0"
    for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
        assert "labels" not in group["rayStartParams"]


@pytest.mark.parametrize("overlay", ["api", "gpu"])
def test_workers_come_and_go_on_spot_nodes_and_the_head_stays(overlay):
    cluster = rayjob(overlay)["spec"]["rayClusterSpec"]
    assert cluster["enableInTreeAutoscaling"] is True
    assert cluster["autoscalerOptions"]["version"] == "v2"
    workers = cluster["workerGroupSpecs"][0]
    assert workers["minReplicas"] < workers["maxReplicas"]
    assert len(workers["template"]["spec"]["tolerations"]) >= 3
    head = cluster["headGroupSpec"]["template"]["spec"]
    assert "tolerations" not in head
    assert head["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert of_kind(overlay, "PersistentVolumeClaim") == [] or overlay == "gpu"


@every_overlay
def test_workers_are_spread_by_labels_that_they_have(overlay):
    for group in rayjob(overlay)["spec"]["rayClusterSpec"]["workerGroupSpecs"]:
        labels = group["template"]["metadata"]["labels"].items()
        for one in group["template"]["spec"]["topologySpreadConstraints"]:
            assert one["labelSelector"]["matchLabels"].items() <= labels


@every_overlay
def test_names_that_objects_call_each_other_by_exist(overlay):
    names = {(one["kind"], one["metadata"]["name"]) for one in objects(overlay)}
    for name, pod in pods(overlay):
        account = pod["spec"].get("serviceAccountName")
        assert account is None or ("ServiceAccount", account) in names, name
        for volume in pod["spec"]["volumes"]:
            claim = volume.get("persistentVolumeClaim", {}).get("claimName")
            assert claim is None or ("PersistentVolumeClaim", claim) in names, name
        for source in pod["spec"]["containers"][0].get("envFrom", ()):
            if "configMapRef" in source:
                assert ("ConfigMap", source["configMapRef"]["name"]) in names, name
            else:
                assert source["secretRef"]["name"] == "ifbench-keys"
    for binding in of_kind(overlay, "RoleBinding"):
        assert (binding["roleRef"]["kind"], binding["roleRef"]["name"]) in names
        assert all((s["kind"], s["name"]) in names for s in binding["subjects"])


@every_overlay
def test_every_object_of_a_namespace_is_in_the_one_and_says_whether_it_is_set_up_or_run(overlay):
    for one in objects(overlay):
        if one["kind"] not in {"Namespace", "ClusterQueue", "ResourceFlavor"}:
            assert one["metadata"]["namespace"] == "ifbench", one["kind"]
        part = "run" if one["kind"] == "RayJob" else "setup"
        assert one["metadata"]["labels"]["ifbench/part"] == part, one["metadata"]["name"]


@every_overlay
def test_nobody_may_do_more_than_the_autoscaler_does(overlay):
    (role,) = of_kind(overlay, "Role")
    assert of_kind(overlay, "ClusterRole") == []
    allowed = {verb for rule in role["rules"] for verb in rule["verbs"]}
    assert allowed == {"get", "list", "watch", "patch"}
    for name, pod in pods(overlay):
        wants_token = name == "head" and overlay != "local"
        assert pod["spec"]["automountServiceAccountToken"] is wants_token, name


@every_overlay
def test_the_network_is_closed_but_for_what_is_named(overlay):
    policies = {one["metadata"]["name"]: one["spec"] for one in of_kind(overlay, "NetworkPolicy")}
    assert policies["default-deny"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    for name, spec in policies.items():
        for rule in spec.get("ingress", ()):
            assert rule["from"], name
            assert rule["ports"], name
        for rule in spec.get("egress", ()):
            assert rule["to"], name
            assert rule["ports"], name
            for peer in rule["to"]:
                block = peer.get("ipBlock")
                assert block is None or "169.254.169.254/32" in block["except"], name
    selected = policies["allow-ray"]["podSelector"]["matchLabels"].items()
    for name, pod in pods(overlay):
        if name != "judge":
            assert selected <= pod["metadata"]["labels"].items(), name


@every_overlay
def test_the_quota_holds_a_whole_run(overlay):
    (quota,) = of_kind(overlay, "ResourceQuota")
    wanted = 0.0
    for name, pod in pods(overlay):
        replicas = {
            f"group {group['groupName']}": group["maxReplicas"]
            for group in rayjob(overlay)["spec"]["rayClusterSpec"]["workerGroupSpecs"]
        }.get(name, 1)
        wanted += replicas * cores(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"])
    assert wanted <= cores(quota["spec"]["hard"]["requests.cpu"])


def cores(quantity):
    text = str(quantity)
    return float(text.removesuffix("m")) / 1000 if text.endswith("m") else float(text)


@every_overlay
def test_the_shipped_command_is_one_that_evaluate_takes(overlay, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IFBENCH_VLLM_URL", "http://judge:8000/v1")
    python, script, *overrides = shlex.split(rayjob(overlay)["spec"]["entrypoint"])
    assert (python, script) == ("python", "/app/jobs/evaluate.py")
    assert (ROOT / script.removeprefix("/app/")).is_file()
    (config,) = checked(overrides, None)
    assert config.execution.address == "auto"


# ── The gpu overlay's judge and queue ────────────────────────────────────────────────


def test_the_judge_serves_the_model_that_the_configuration_asks():
    (deployment,) = of_kind("gpu", "Deployment")
    (service,) = of_kind("gpu", "Service")
    (environment,) = of_kind("gpu", "ConfigMap")
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    model = yaml.safe_load((ROOT / "conf/model/qwen3.5-35b-a3b.yaml").read_text())
    assert container["args"][0] == model["model"]
    url = f"http://{service['metadata']['name']}:{service['spec']['ports'][0]['port']}/v1"
    assert environment["data"]["IFBENCH_VLLM_URL"] == url
    labels = deployment["spec"]["template"]["metadata"]["labels"].items()
    assert service["spec"]["selector"].items() <= labels
    shards = next(a for a in container["args"] if a.startswith("--tensor-parallel-size"))
    assert shards.endswith(f"={container['resources']['limits']['nvidia.com/gpu']}")


def test_a_run_waits_in_a_queue_that_exists_and_has_room_for_it():
    job = rayjob("gpu")
    (local,) = of_kind("gpu", "LocalQueue")
    (queue,) = of_kind("gpu", "ClusterQueue")
    assert job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == local["metadata"]["name"]
    assert local["spec"]["clusterQueue"] == queue["metadata"]["name"]
    assert job["metadata"]["annotations"]["kueue.x-k8s.io/elastic-job"] == "true"
    flavors = {one["metadata"]["name"] for one in of_kind("gpu", "ResourceFlavor")}
    (group,) = queue["spec"]["resourceGroups"]
    assert {one["name"] for one in group["flavors"]} == flavors
    gpus = sum(
        int(resource["nominalQuota"])
        for one in group["flavors"]
        for resource in one["resources"]
        if resource["name"] == "nvidia.com/gpu"
    )
    workers = job["spec"]["rayClusterSpec"]["workerGroupSpecs"]
    wanted = sum(
        group["maxReplicas"]
        * int(
            group["template"]["spec"]["containers"][0]["resources"]["limits"].get(
                "nvidia.com/gpu", 0
            )
        )
        for group in workers
    )
    assert 0 < wanted <= gpus


def test_two_groups_of_workers_differ_in_nothing_but_what_they_are_for():
    cpu, gpu = rayjob("gpu")["spec"]["rayClusterSpec"]["workerGroupSpecs"]
    for field in ("envFrom", "image", "lifecycle", "livenessProbe", "securityContext"):
        first, second = (g["template"]["spec"]["containers"][0][field] for g in (cpu, gpu))
        assert json.dumps(first) == json.dumps(second), field


def test_manifests_are_shipped_with_the_package():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    assert build["targets"]["wheel"]["force-include"]["k8s"] == "ifbench/_k8s"
    assert "k8s" in build["targets"]["sdist"]["include"]
    assert Path(ROOT / "k8s/overlays").is_dir()
