"""The manifests for Kubernetes are valid, fit each other, and give each process what it needs."""

from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from trilha import settings

FOLDER = Path(__file__).parents[2] / "deploy" / "kubernetes"
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
VERSIONS = ("1.29", "1.37")


def documents() -> list[dict[str, Any]]:
    return [
        document
        for name in KUSTOMIZATION["resources"]
        for document in yaml.safe_load_all((FOLDER / name).read_text())
    ]


def pods() -> dict[str, dict[str, Any]]:
    return {
        document["metadata"]["name"]: document["spec"]["template"]
        for document in documents()
        if document["kind"] in ("Deployment", "Job")
    }


def test_every_file_is_a_resource() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {"kustomization.yaml", *KUSTOMIZATION["resources"]}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "document", documents(), ids=lambda each: f"{each['kind']}-{each['metadata']['name']}"
)
def test_a_manifest_is_valid(document: dict[str, Any], version: str) -> None:
    kubernetes_validate.validate(document, version, strict=True)


def test_a_wrong_manifest_is_refused() -> None:
    wrong = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"}, "spec": {"port": 80}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[0], strict=True)


def test_settings_exist_and_are_valid() -> None:
    (config,) = [document for document in documents() if document["kind"] == "ConfigMap"]
    values = {name: value for name, value in config["data"].items() if name.startswith("TRILHA_")}
    loaded = settings.load(values)
    assert loaded.env == "production"
    settings.check_content(loaded)


def test_selectors_find_pods() -> None:
    labels = [pod["metadata"]["labels"] for pod in pods().values()]
    selectors = [
        document["spec"].get("selector", document["spec"].get("podSelector"))
        for document in documents()
        if document["kind"] in ("Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy")
    ]
    assert len(selectors) == 8
    for selector in selectors:
        wanted = selector.get("matchLabels", selector)
        assert any(wanted.items() <= each.items() for each in labels), selector


def test_pods_run_without_rights() -> None:
    """As the namespace's policy demands, and as compose.yaml does."""
    for name, pod in pods().items():
        assert pod["spec"]["securityContext"]["runAsNonRoot"], name
        assert not pod["spec"]["automountServiceAccountToken"], name
        for container in pod["spec"]["containers"]:
            context = container["securityContext"]
            assert context["readOnlyRootFilesystem"], name
            assert context["capabilities"]["drop"] == ["ALL"], name
            assert {mount["mountPath"] for mount in container["volumeMounts"]} == {"/var/lib/trilha", "/tmp"}


def test_only_the_job_knows_the_owner() -> None:
    for name, pod in pods().items():
        (container,) = pod["spec"]["containers"]
        secrets = {each["secretRef"]["name"] for each in container["envFrom"] if "secretRef" in each}
        assert ("trilha-owner" in secrets) == (name == "trilha-migrate")


def test_a_server_leaves_the_service_before_it_stops() -> None:
    (config,) = [document for document in documents() if document["kind"] == "ConfigMap"]
    delay = int(config["data"]["TRILHA_SHUTDOWN_DELAY"])
    (container,) = pods()["trilha-serve"]["spec"]["containers"]
    probe = container["readinessProbe"]
    assert (probe["httpGet"]["path"], probe["httpGet"]["port"]) == ("/readyz", "http")
    assert probe["failureThreshold"] * (probe["periodSeconds"] + probe["timeoutSeconds"]) < delay
    assert pods()["trilha-serve"]["spec"]["terminationGracePeriodSeconds"] >= delay + 30


def test_prometheus_reaches_every_process_at_its_port() -> None:
    (config,) = [document for document in documents() if document["kind"] == "ConfigMap"]
    ports = {
        name: {port["name"]: port["containerPort"] for port in pod["spec"]["containers"][0].get("ports", [])}
        for name, pod in pods().items()
    }
    assert ports["trilha-work"] == {"metrics": int(config["data"]["TRILHA_METRICS_PORT"])}
    open_to = {
        document["metadata"]["name"]: {
            (source["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"], port["port"])
            for rule in document["spec"].get("ingress", [])
            for source in rule["from"]
            for port in rule["ports"]
        }
        for document in documents()
        if document["kind"] == "NetworkPolicy"
    }
    assert open_to == {
        "trilha": set(),
        "trilha-serve": {("ingress-nginx", "http"), ("monitoring", "http")},
        "trilha-work": {("monitoring", "metrics")},
    }
