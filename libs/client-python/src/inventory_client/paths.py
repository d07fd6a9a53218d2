"""Paths of the interface. Parameters are validated: a wrong id could be another route."""

import re
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlencode

from .wire import Scope

_uuid = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_wire_names = {
    "asset_ids": "assetid",
    "outcomes": "outcome",
    "refresh_ids": "refresh_id",
    "states": "state",
    "from_day": "from",
    "to_day": "to",
    "booked_from": "from",
    "booked_to": "to",
    "requested_from": "from",
    "requested_to": "to",
}
# Options that are not parameters of a query.
_own = {"deadline", "idempotency_key", "on_progress", "scope", "silence_max"}


def inventory_path(scope: Scope) -> str:
    path = "/v2/platform/users/{platform_id}/inventory/{app_id}/{context_id}"
    return path.format(**checked(scope))


def checked(scope: Scope) -> Scope:
    _require(scope["platform_id"], "[0-9]{17}", "platform_id must be text of 17 digits.")
    whole("app_id", scope["app_id"], 1)
    whole("context_id", scope["context_id"], 1)
    names = ("platform_id", "app_id", "context_id")
    return cast(Scope, {name: dict(scope)[name] for name in names})


def checked_revision(revision_id: str) -> str:
    return _require(revision_id, f"invrev_{_uuid}", "A revision id must be invrev_ and a UUID.")


def refresh_path(refresh_id: str) -> str:
    _require(refresh_id, _uuid, "The id of a refresh must be a UUID.")
    return f"/v2/platform/inventory-refreshes/{refresh_id}"


def project_path(project_id: str, rest: str = "") -> str:
    _require(project_id, f"prj_{_uuid}", "The id of a Project must be prj_ and a UUID.")
    return f"/v2/projects/{project_id}{rest and '/' + rest}"


def watch_path(project_id: str, scope: Scope) -> str:
    ids = "watches/{platform_id}/{app_id}/{context_id}".format(**checked(scope))
    return project_path(project_id, ids)


def with_query(path: str, options: Mapping[str, Any]) -> str:
    """Options that are not None; one with several values is repeated, a scope is its parts."""
    if "scope" in options:
        options = {**options, **checked(options["scope"])}
    pairs = [
        (_wire_names.get(name, name), str(one).lower() if isinstance(one, bool) else str(one))
        for name, value in options.items()
        if value is not None and name not in _own
        for one in ([value] if isinstance(value, (str, int)) else value)
    ]
    return f"{path}?{urlencode(pairs)}" if pairs else path


def checked_key(key: str) -> str:
    """Validates a key before it becomes a header."""
    pattern = r"[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?"
    return _require(key, pattern, "An idempotency key must be 1 to 255 printable ASCII characters.")


def is_cursor(cursor: object) -> bool:
    """Whether a value has the form of a cursor; it becomes a header."""
    return isinstance(cursor, str) and re.fullmatch(r"[\x21-\x7e]{1,256}", cursor) is not None


def whole(name: str, value: object, low: int, high: int | None = None) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number.")
    if value < low or (high is not None and value > high):
        raise ValueError(f"{name} must be {low} or more" + (f", at most {high}." if high else "."))


def _require(value: object, pattern: str, message: str) -> str:
    if not isinstance(value, str) or re.fullmatch(pattern, value, re.I | re.A) is None:
        raise ValueError(message)
    return value
