"""Results: records as they are on the wire (`inventory_client.wire`), and what belongs to them."""

from dataclasses import dataclass
from typing import Generic, NamedTuple, NotRequired, TypeVar

from .errors import ApiError
from .wire import Asset, Description, PlainMeta, RateLimit, RefreshStatus

Page = TypeVar("Page")


class Meta(PlainMeta):
    """Request and billing information; which fields are present depends on the operation."""

    product_code: NotRequired[str]
    price_version: NotRequired[int]
    credits_reserved: NotRequired[int]
    credits_charged: NotRequired[int]
    credits_remaining: NotRequired[int]
    units_reserved: NotRequired[int]
    units_charged: NotRequired[int]
    units_remaining: NotRequired[int]
    billing_disposition: NotRequired[str]
    billing_reason: NotRequired[str | None]
    rate_limit: NotRequired[RateLimit]


@dataclass(frozen=True)
class RefreshAnswer:
    """A refresh as of one response."""

    record: RefreshStatus
    meta: Meta
    retry_after: float | None
    """Seconds to the next poll; None once collection and billing are both terminal."""
    replayed: bool
    """The Idempotency-Key was used before: this is the refresh of its first use."""


@dataclass(frozen=True)
class BatchResult:
    """The result of one refresh of a batch: an answer, or an error."""

    idempotency_key: str
    """Where the error is retryable, the same key and inputs may be sent again."""
    answer: RefreshAnswer | None = None
    error: ApiError | None = None


@dataclass(frozen=True)
class PageAnswer(Generic[Page]):
    """A page with what it cost."""

    page: Page
    meta: Meta
    replayed: bool
    """It was charged before for the same Idempotency-Key, and not again."""


class DescribedAsset(NamedTuple):
    """An asset with its description; None where the platform has none."""

    asset: Asset
    description: Description | None
