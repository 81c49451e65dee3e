"""SCORM 2004 sequencing of an item, in the form that scorm-again takes (IMS Simple Sequencing 1.0).

Only what the manifest says is written: the defaults are the runtime's. Words that are none of the standard's
are left out.
"""

from collections.abc import Callable, Mapping
from typing import Any
from xml.etree.ElementTree import Element

from trilha.training.scorm.package.report import clean_text
from trilha.training.scorm.package.xml import attribute, child, children, local, text_of

_ValueReader = Callable[[str], Any]


def truth(text: str) -> bool | None:
    return {"true": True, "1": True, "false": False, "0": False}.get(text.lower())


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if -1e9 < number < 1e9 else None


def _whole(text: str) -> int | None:
    number = _number(text)
    return int(number) if number is not None and number >= 0 else None


def _one_of(*words: str) -> _ValueReader:
    return lambda text: text if text in words else None


def _name(text: str) -> str | None:
    return clean_text(text, 4000) or None


_TIMING = _one_of("never", "once", "onEachNewAttempt")
_REQUIRED_WHEN = _one_of("always", "ifAttempted", "ifNotSkipped", "ifNotSuspended")
# By element: its attributes, the runtime's names for them, and their types.
_CONTROL_MODE = dict.fromkeys(
    (
        *("choice", "choiceExit", "flow", "forwardOnly"),
        *("useCurrentAttemptObjectiveInfo", "useCurrentAttemptProgressInfo"),
    ),
    truth,
)
_CONSTRAINED_CHOICE: dict[str, _ValueReader] = {"preventActivation": truth, "constrainChoice": truth}
_ROLLUP: dict[str, _ValueReader] = {
    "rollupObjectiveSatisfied": truth,
    "rollupProgressCompletion": truth,
    "objectiveMeasureWeight": _number,
}
_RANDOMIZATION: dict[str, _ValueReader] = {
    "randomizationTiming": _TIMING,
    "selectCount": _whole,
    "reorderChildren": truth,
    "selectionTiming": _TIMING,
}
_DELIVERY: dict[str, _ValueReader] = dict.fromkeys(
    ("tracked", "completionSetByContent", "objectiveSetByContent"), truth
)
_LIMITS: dict[str, _ValueReader] = {
    "attemptLimit": _whole,
    "attemptAbsoluteDurationLimit": _name,
    "activityAbsoluteDurationLimit": _name,
}
_CONSIDERATIONS: dict[str, _ValueReader] = {
    "requiredForSatisfied": _REQUIRED_WHEN,
    "requiredForNotSatisfied": _REQUIRED_WHEN,
    "requiredForCompleted": _REQUIRED_WHEN,
    "requiredForIncomplete": _REQUIRED_WHEN,
    "measureSatisfactionIfActive": truth,
}
_THRESHOLD: dict[str, _ValueReader] = {
    "completedByMeasure": truth,
    "minProgressMeasure": _number,
    "progressWeight": _number,
}
_MAP: dict[str, _ValueReader] = {
    "targetObjectiveID": _name,
    **dict.fromkeys(
        (
            *("readSatisfiedStatus", "readNormalizedMeasure", "readCompletionStatus", "readProgressMeasure"),
            *("readRawScore", "readMinScore", "readMaxScore"),
            *("writeSatisfiedStatus", "writeNormalizedMeasure", "writeCompletionStatus"),
            *("writeProgressMeasure", "writeRawScore", "writeMinScore", "writeMaxScore"),
        ),
        truth,
    ),
}
_SHARED_DATA: dict[str, _ValueReader] = {"targetID": _name, "readSharedData": truth, "writeSharedData": truth}
_COMBINATION = _one_of("all", "any")
_CONDITION = _one_of(
    *("satisfied", "objectiveStatusKnown", "objectiveMeasureKnown", "objectiveMeasureGreaterThan"),
    *("objectiveMeasureLessThan", "completed", "activityProgressKnown", "attempted"),
    *("attemptLimitExceeded", "timeLimitExceeded", "outsideAvailableTimeRange", "always", "never"),
)
_RULES: dict[str, tuple[str, _ValueReader]] = {
    "preConditionRules": (
        "preConditionRule",
        _one_of("skip", "disabled", "hiddenFromChoice", "stopForwardTraversal"),
    ),
    "exitConditionRules": ("exitConditionRule", _one_of("exit")),
    "postConditionRules": (
        "postConditionRule",
        _one_of("exitParent", "exitAll", "retry", "retryAll", "continue", "previous"),
    ),
}
_ROLLUP_ACTION = _one_of("satisfied", "notSatisfied", "completed", "incomplete")
_CHILD_SET = _one_of("all", "any", "none", "atLeastCount", "atLeastPercent")
_HIDDEN_CONTROL = _one_of("continue", "previous", "exit", "exitAll", "abandon", "abandonAll", "suspendAll")


def read(element: Element | None) -> dict[str, Any]:
    """Of an item or an organization."""
    hidden = child(element, "presentation", "navigationInterface")
    maps = [_read(each, _SHARED_DATA) for each in children(child(element, "data"), "map")]
    return _rules(child(element, "sequencing")) | _present(
        completionThreshold=_read(child(element, "completionThreshold"), _THRESHOLD),
        hideLmsUi=[
            word for each in children(hidden, "hideLMSUI") if (word := _HIDDEN_CONTROL(text_of(each)))
        ],
        sharedDataMaps=[each for each in maps if "targetID" in each],
    )


def read_collections(root: Element) -> dict[str, dict[str, Any]]:
    """What the sequencing of items refers to, by its ID."""
    collection = child(root, "sequencingCollection")
    return {
        clean_text(id): _rules(each)
        for each in children(collection, "sequencing")
        if (id := attribute(each, "ID"))
    }


def _rules(element: Element | None) -> dict[str, Any]:
    randomization = _read(child(element, "randomizationControls"), _RANDOMIZATION)
    if "reorderChildren" in randomization:
        randomization["randomizeChildren"] = randomization.pop("reorderChildren")
    controls = (
        _read(child(element, "controlMode"), _CONTROL_MODE)
        | _read(child(element, "constrainedChoiceConsiderations"), _CONSTRAINED_CHOICE)
        | _read(child(element, "rollupRules"), _ROLLUP)
        | randomization
    )
    return _read(child(element, "limitConditions"), _LIMITS) | _present(
        sequencingControls=controls,
        sequencingRules=_sequencing_rules(child(element, "sequencingRules")),
        rollupRules=_rollup_rules(child(element, "rollupRules")),
        rollupConsiderations=_read(child(element, "rollupConsiderations"), _CONSIDERATIONS),
        deliveryControls=_read(child(element, "deliveryControls"), _DELIVERY),
        sequencingIdRef=clean_text(attribute(element, "IDRef")),
        **_objectives(child(element, "objectives")),
    )


def _objectives(element: Element | None) -> dict[str, Any]:
    primary = child(element, "primaryObjective")
    return {
        "primaryObjective": _objective(primary) | {"isPrimary": True} if primary is not None else {},
        "objectives": [_objective(each) for each in children(element, "objective")],
    }


def _objective(element: Element) -> dict[str, Any]:
    maps = [_read(each, _MAP) for each in children(element, "mapInfo")]
    return {"objectiveID": clean_text(attribute(element, "objectiveID"), 4000)} | _present(
        satisfiedByMeasure=truth(attribute(element, "satisfiedByMeasure")),
        minNormalizedMeasure=_number(text_of(child(element, "minNormalizedMeasure"))),
        mapInfo=[each for each in maps if "targetObjectiveID" in each],
    )


def _sequencing_rules(element: Element | None) -> dict[str, Any]:
    found = {}
    for name, (tag, action_of) in _RULES.items():
        rules = [_rule(each, action_of) for each in children(element, tag)]
        if kept := [rule for rule in rules if rule]:
            found[name] = kept
    return found


def _rule(element: Element, action_of: _ValueReader) -> dict[str, Any]:
    action = action_of(attribute(child(element, "ruleAction"), "action"))
    conditions = child(element, "ruleConditions")
    kept = [_condition(each) for each in children(conditions, "ruleCondition")]
    if action is None or None in kept:
        return {}  # half a rule would have another meaning
    combination = _COMBINATION(attribute(conditions, "conditionCombination"))
    return {"action": action, "conditions": kept} | _present(conditionCombination=combination)


def _rollup_rules(element: Element | None) -> dict[str, Any]:
    rules = [rule for each in children(element, "rollupRule") if (rule := _rollup_rule(each))]
    return {"rules": rules} if rules else {}


def _rollup_rule(element: Element) -> dict[str, Any]:
    action = _ROLLUP_ACTION(attribute(child(element, "rollupAction"), "action"))
    conditions = child(element, "rollupConditions")
    kept = [_condition(each) for each in children(conditions, "rollupCondition")]
    if action is None or None in kept:
        return {}
    return {"action": action, "conditions": kept} | _present(
        conditionCombination=_COMBINATION(attribute(conditions, "conditionCombination")),
        consideration=_CHILD_SET(attribute(element, "childActivitySet")),
        minimumCount=_whole(attribute(element, "minimumCount")),
        minimumPercent=_number(attribute(element, "minimumPercent")),
    )


def _condition(element: Element) -> dict[str, Any] | None:
    condition = _CONDITION(attribute(element, "condition"))
    if condition is None:
        return None
    threshold = _number(attribute(element, "measureThreshold"))
    return {"condition": condition} | _present(
        operator="not" if attribute(element, "operator") == "not" else None,
        referencedObjective=clean_text(attribute(element, "referencedObjective"), 4000),
        parameters={} if threshold is None else {"threshold": threshold},
    )


def _read(element: Element | None, attributes: Mapping[str, _ValueReader]) -> dict[str, Any]:
    """The attributes that are there and can be read."""
    if element is None:
        return {}
    given = {local(name): value.strip() for name, value in element.items()}
    return _present(
        **{
            name: value
            for name, read in attributes.items()
            if (text := given.get(name.lower())) and (value := read(text)) is not None
        }
    )


def _present(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, "", [], {})}
