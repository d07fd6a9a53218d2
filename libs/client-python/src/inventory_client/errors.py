"""Errors of the client. An invalid argument is a ValueError or TypeError, and nothing is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


class InventoryError(Exception):
    """Base of every error of this client."""

    retryable = False
    """Whether the same call may succeed later. The client has retried already, in its limits."""


class ConnectionFailedError(InventoryError):
    """No response, or an incomplete one. The request may have had its effect."""

    retryable = True


class UnexpectedAnswerError(InventoryError):
    """A success response that breaks the interface."""


class RefreshNotFinishedError(InventoryError):
    """A refresh that is still running at the deadline. It continues: wait for it by its id."""

    retryable = True

    def __init__(self, refresh_id: str) -> None:
        super().__init__(f"Refresh {refresh_id} is not finished yet; it continues.")
        self.refresh_id = refresh_id


@dataclass(frozen=True)
class ExportProgress:
    """How far an export is: `row` of all `rows` of the inventory."""

    row: int
    rows: int
    revision_id: str
    observation_id: str


class ExportNotFinishedError(InventoryError):
    """An export that was cut, and is not resumed because that might be charged once more.

    `from_row` and `observation_id` of another call, from `progress.row` and
    `progress.observation_id`, continue it for the price of the rows that are left.
    """

    def __init__(self, progress: ExportProgress) -> None:
        super().__init__(f"The export was cut before row {progress.row} of {progress.rows}.")
        self.progress = progress


class AuthorizationRevokedError(InventoryError):
    """The Credential may no longer read the stream. Reconnecting with the same key fails."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The permission to read the stream was revoked: {reason}.")
        self.reason = reason


@dataclass(frozen=True)
class EventGap:
    """Expired events between two cursors: they cannot be recovered."""

    reason: Literal["cursor_too_old", "log_epoch_changed"] | str
    last_cursor: str | None
    earliest_as_of: str | None
    resume_cursor: str


class RecoveryRequiredError(InventoryError):
    """Events after the last cursor have expired.

    Read the refreshes you wait for, then follow from `gap.resume_cursor`; or pass `on_gap`.
    """

    def __init__(self, gap: EventGap) -> None:
        super().__init__(f"Events are missing ({gap.reason}): see RecoveryRequiredError.")
        self.gap = gap


class WebhookVerificationError(InventoryError):
    """A request that is not a webhook of the service, or is too old."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The webhook cannot be verified: {reason}.")
        self.reason = reason


class ApiError(InventoryError):
    """An error response of the service; its subclasses are families of codes."""

    def __init__(
        self,
        message: str,
        code: str,
        status: int,
        *,
        request_id: str | None = None,
        detail: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
        credits_charged: int | None = None,
    ) -> None:
        """`request_id` is for support, `retry_after` in seconds, the charge of the failed call."""
        super().__init__(message)
        self.code, self.status, self.request_id, self.detail = code, status, request_id, detail
        self.retry_after, self.credits_charged = retry_after, credits_charged


class AuthenticationError(ApiError):
    """The API key is missing, unknown, revoked, expired or suspended."""


class PermissionDeniedError(ApiError):
    """The API key is valid and lacks the permission."""


class InvalidRequestError(ApiError):
    """The request is invalid; `detail["issues"]` has its problems."""


class NotFoundError(ApiError):
    """There is no such refresh, Project or route, or no saved revision of the inventory."""


class CursorExpiredError(ApiError):
    """The revision of the cursor has expired: start again at the first page.

    Or what changed since a revision is no longer kept: read the latest, `detail["revision_id"]`.
    """


class InventoryNotReadableError(ApiError):
    """The platform confirmed that the inventory is private or does not exist."""


class PaymentRequiredError(ApiError):
    """Credits, units or a spend cap do not suffice."""


class ConflictError(ApiError):
    """A conflict with an earlier request: another use of the key, a completed refresh."""

    def __init__(self, message: str, code: str, status: int, **rest: Any) -> None:
        super().__init__(message, code, status, **rest)
        self.retryable = code == "idempotency_in_progress"


class LimitExceededError(ApiError):
    """Too many requests, outstanding refreshes or streams."""

    retryable = True


class TemporarilyUnavailableError(ApiError):
    """Admission is closed, the platform or a component is unavailable, or the service stops."""

    retryable = True


class ServerError(ApiError):
    """An internal error of the service, or an error response of a proxy."""

    retryable = True


_families: Mapping[int, type[ApiError]] = {
    401: AuthenticationError,
    402: PaymentRequiredError,
    403: PermissionDeniedError,
    404: NotFoundError,
    408: TemporarilyUnavailableError,
    409: ConflictError,
    410: CursorExpiredError,
    429: LimitExceededError,
    502: TemporarilyUnavailableError,
    503: TemporarilyUnavailableError,
    504: TemporarilyUnavailableError,
}


def error_family(code: str, status: int) -> type[ApiError]:
    """The class of a response, also of one without a code, and of a code of a later version."""
    if code in ("inventory_private", "inventory_not_found"):
        return InventoryNotReadableError
    other = ServerError if status >= 500 else InvalidRequestError if status >= 400 else ApiError
    return _families.get(status, other)
