"""The list of features in app.py is complete: no folder declares a feature that is not in it."""

from pathlib import Path

import trilha
from trilha.app import FEATURES

SOURCE = Path(trilha.__file__).parent


def test_every_feature_file_is_on_the_list() -> None:
    folders = [path.parent.name for path in SOURCE.glob("*/*/feature.py")]
    assert sorted(folders) == sorted(feature.name for feature in FEATURES)


def test_every_module_with_error_codes_belongs_to_a_feature() -> None:
    registering = {
        path
        for path in SOURCE.glob("*/*/**/errors.py")
        if "core" not in path.parts and "\nregister(" in path.read_text()
    }
    assert len(registering) > 20
    assert registering == {Path(str(module.__file__)) for feature in FEATURES for module in feature.errors}
