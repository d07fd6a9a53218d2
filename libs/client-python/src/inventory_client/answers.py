"""Responses: the content of a success, the error of any other."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import ApiError, ConnectionFailedError, InventoryError, UnexpectedAnswerError
from .errors import error_family

Fields = dict[str, Any]

# Upper bound of Retry-After: that of the service is at most an hour.
_retry_after_max = 3600.0


@dataclass(frozen=True)
class Success:
    """The content of a success response."""

    data: Fields
    meta: Any
    retry_after: float | None
    replayed: bool


def read_answer(call: str, status: int, headers: Mapping[str, str], text: str) -> Success:
    """The content of a success response; raises the error of any other."""
    body = parsed(text)
    if not 200 <= status <= 299:
        refusal = body or {}
        request_id = fields(refusal.get("error")).get("request_id") or headers.get("x-request-id")
        charged = number_in(fields(refusal.get("meta")).get("credits_charged"))
        raise api_error(refusal, call, status, request_id, retry_after_in(headers), charged)
    # Truncated by a proxy that ended the response properly.
    if body is None:
        raise ConnectionFailedError(f"{call}: the response is no JSON object")
    data, meta = body.get("data"), fields(body.get("meta"))
    if body.get("success") is not True or not isinstance(data, dict) or "request_id" not in meta:
        raise UnexpectedAnswerError(f"{call}: the response has an unexpected shape.")
    return Success(data, meta, retry_after_in(headers), is_replayed(headers))


def api_error(
    refusal: Fields,
    of: str,
    status: int,
    request_id: str | None,
    retry_after: float | None,
    charged: int | None = None,
) -> ApiError:
    """The error of a refusal, of a response or of an item."""
    error = fields(refusal.get("error"))
    code = text_in(error.get("code")) or f"http_{status}"
    message = text_in(error.get("message")) or "The response is not from the service."
    return error_family(code, status)(
        f"{message} ({of}: {status})",
        code,
        status,
        request_id=request_id,
        detail=fields(error.get("detail"), None),
        retry_after=retry_after,
        credits_charged=charged,
    )


def is_replayed(headers: Mapping[str, str]) -> bool:
    """Whether the key was used before, so that nothing is charged."""
    return headers.get("idempotency-replayed") == "true"


def retry_after_in(headers: Mapping[str, str]) -> float | None:
    seconds = headers.get("retry-after", "")
    return min(float(seconds), _retry_after_max) if re.fullmatch("[0-9]{1,9}", seconds) else None


def retry_after_of(error: InventoryError) -> float | None:
    return error.retry_after if isinstance(error, ApiError) else None


def parsed(text: str) -> Fields | None:
    """A JSON object with whole numbers of any size; None for anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def fields(value: object, other: Any = {}) -> Any:
    """The value as an object whose shape is not known yet."""
    return value if isinstance(value, dict) else other


def present(values: Mapping[str, Any]) -> Fields:
    return {name: value for name, value in values.items() if value is not None}


def text_in(value: object) -> str | None:
    return value if isinstance(value, str) else None


def number_in(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def unexpected(field: str) -> UnexpectedAnswerError:
    return UnexpectedAnswerError(f"The response has no valid {field}.")
