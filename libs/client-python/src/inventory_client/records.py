"""Results: records as they are on the wire (`inventory_client.wire`), and what belongs to them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from .errors import ApiError
from .wire import Asset, Description, PageReadMeta, RefreshStatus

Page = TypeVar("Page")


@dataclass(frozen=True)
class RefreshAnswer:
    """A refresh as of one response."""

    record: RefreshStatus
    meta: Mapping[str, Any]  # with `credits_reserved` where it was accepted
    retry_after: float | None  # seconds to the next poll; None once all of it is terminal
    replayed: bool  # the Idempotency-Key was used before: the refresh of its first use


@dataclass(frozen=True)
class BatchResult:
    """The result of one refresh of a batch: an answer, or an error."""

    idempotency_key: str  # where the error is retryable, it may be sent again with the same inputs
    answer: RefreshAnswer | None = None
    error: ApiError | None = None


@dataclass(frozen=True)
class PageAnswer(Generic[Page]):
    """A page with what it cost."""

    page: Page
    meta: PageReadMeta
    replayed: bool  # it was charged before for the same Idempotency-Key, and not again


class DescribedAsset(NamedTuple):
    """An asset with its description; None where the platform has none."""

    asset: Asset
    description: Description | None
