"""Generated from docs/generated/openapi.json by scripts/generate.js: responses as they are on the wire.

Enums are open: a later version may add values, and fields.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class AccountRateLimit(TypedDict):
    """The limit of the Service account."""

    limit_per_minute: int


class AccountServiceAccount(TypedDict):
    """Its active Credentials share the limit."""

    id: str
    rate_limit: AccountRateLimit


class AccountCredential(TypedDict):
    credential_id: str
    project_id: str
    scopes: list[Literal["platform.inventory.refresh.v1", "platform.inventory.current.page.v1", "platform.inventory.page.v1", "customer.events.read.v1", "customer.webhooks.manage.v1", "customer.account.read.v1", "customer.account.manage.v1", "customer.credentials.manage.v1", "*"] | str]
    expires_at: str | None


class AccountSpendCapsItem(TypedDict):
    project_id: str
    cap: int
    spent: int
    resets_at: str


class AccountCredentialSpendCapsItem(TypedDict):
    credential_id: str
    cap: int
    spent: int
    resets_at: str


class AccountBalanceAlert(TypedDict):
    threshold: int


class Account(TypedDict):
    account_id: str
    balance: Amounts
    funding: CreditFunding | SubscriptionFunding
    rate_limit: AccountRateLimit
    service_account: AccountServiceAccount
    traffic_limit: AccountRateLimit
    events_enabled: bool
    credential: AccountCredential
    spend_caps: NotRequired[list[AccountSpendCapsItem]]
    credential_spend_caps: NotRequired[list[AccountCredentialSpendCapsItem]]
    balance_alert: NotRequired[AccountBalanceAlert | None]


class Amounts(TypedDict):
    total: int
    held: int
    available: int


class Asset(TypedDict):
    """One item instance."""

    appid: int
    contextid: str
    assetid: str
    classid: str
    instanceid: str
    amount: str
    currencyid: NotRequired[str]
    asset_properties: NotRequired[list[dict[str, Any]]]


class BalanceLowEventData(TypedDict):
    available: int
    threshold: int


class BalanceLowEventLinks(TypedDict):
    """Relative to the base address."""

    account: str


class BalanceLowEvent(TypedDict):
    """Less is available than the threshold of the account's balance alert."""

    id: str
    version: int
    occurred_at: str
    project_id: str
    environment: NotRequired[Literal["live", "sandbox"] | str]
    type: Literal["account.balance.low"]
    data: BalanceLowEventData
    links: BalanceLowEventLinks


class ChangesPageScanWindow(TypedDict):
    started_at: str
    completed_at: str


class ChangesPageChangedItem(TypedDict):
    """An asset of both revisions with another amount, classid or instanceid."""

    asset: Asset
    amount_before: str
    classid_before: NotRequired[str]
    instanceid_before: NotRequired[str]


class ChangesPageCounts(TypedDict):
    """Of the whole difference, not of the page."""

    added: int
    removed: int
    changed: int


class ChangesPage(TypedDict):
    scope: Scope
    from_revision_id: str
    to_revision_id: str
    observation_id: str
    verified_at: str
    age_seconds: int
    scan_window: ChangesPageScanWindow
    added: list[Asset]
    removed: list[Asset]
    changed: list[ChangesPageChangedItem]
    descriptions: list[Description]
    counts: ChangesPageCounts
    pagination: Pagination


class CreditFunding(TypedDict):
    mode: Literal["credits"]


class CurrentPage(TypedDict):
    scope: Scope
    revision_id: str
    observation_id: str
    verified_at: str
    age_seconds: int
    scan_window: ChangesPageScanWindow
    assets: list[Asset]
    descriptions: list[Description]
    total_count: int
    total_amount: int
    reported_total_count: int
    not_in_revision: NotRequired[list[str]]
    pagination: Pagination


class Description(TypedDict):
    """Texts and properties shared by all assets of one classid + instanceid."""

    appid: int
    classid: str
    instanceid: str
    market_hash_name: NotRequired[str]
    tradable: NotRequired[int]


class EventPageItemsItem(TypedDict):
    cursor: str
    event: ProjectEvent


class EventPage(TypedDict):
    items: list[EventPageItemsItem]
    pagination: Pagination


class InventorySummaryPendingRefresh(TypedDict):
    refresh_id: str
    state: Literal["accepted", "queued", "collecting", "settling", "completed"] | str
    requested_at: str


class InventorySummary(TypedDict):
    scope: Scope
    revision_id: str
    observation_id: str
    verified_at: str
    scan_window: ChangesPageScanWindow
    observed_by: Literal["refresh", "capture"] | str
    language: Language
    total_count: int
    hidden_count: int
    description_count: int | None
    age_seconds: int
    pending_refresh: InventorySummaryPendingRefresh | None


class LivePagePagination(TypedDict):
    has_more: bool
    next_cursor: NotRequired[str]


class LivePage(TypedDict):
    assets: list[Asset]
    descriptions: list[Description]
    total_count: int
    pagination: LivePagePagination


class PageReadMeta(TypedDict):
    request_id: str
    environment: NotRequired[Literal["live", "sandbox"] | str]
    product_code: Literal["platform.inventory.refresh.v1", "platform.inventory.watch.v1", "platform.inventory.current.page.v1", "platform.inventory.changes.page.v1", "platform.inventory.page.v1"] | str
    price_version: int
    credits_charged: int
    credits_remaining: int
    billing_disposition: Literal["reserved", "charged", "not_charged", "allowance_used"] | str
    billing_reason: Literal["no_revision", "no_changes", "private_confirmed", "not_found_confirmed", "subscription_allowance", "idempotent_replay"] | str | None
    funding: NotRequired[Literal["subscription"]]
    units_charged: NotRequired[int]
    units_remaining: NotRequired[int]
    rate_limit: RateLimit


class Pagination(TypedDict):
    has_more: bool
    next_cursor: str | None


class PlainMeta(TypedDict):
    request_id: str
    environment: NotRequired[Literal["live", "sandbox"] | str]


class PricesRefresh(TypedDict):
    product_code: Literal["platform.inventory.refresh.v1", "platform.inventory.watch.v1", "platform.inventory.current.page.v1", "platform.inventory.changes.page.v1", "platform.inventory.page.v1"] | str
    reservation: int
    block: int
    block_assets: int
    diagnostic: int


class PricesWatch(TypedDict):
    """A run of a watch."""

    product_code: Literal["platform.inventory.refresh.v1", "platform.inventory.watch.v1", "platform.inventory.current.page.v1", "platform.inventory.changes.page.v1", "platform.inventory.page.v1"] | str
    reservation: int
    changed_block: int
    changed_block_assets: int
    unchanged_block: int
    unchanged_block_assets: int
    diagnostic: int


class PricesLivePage(TypedDict):
    product_code: Literal["platform.inventory.refresh.v1", "platform.inventory.watch.v1", "platform.inventory.current.page.v1", "platform.inventory.changes.page.v1", "platform.inventory.page.v1"] | str
    page: int


class PricesNext(TypedDict):
    price_version: int
    effective_at: str
    refresh: PricesRefresh
    watch: PricesWatch
    live_page: PricesLivePage
    current_page: PricesLivePage
    changes_page: PricesLivePage


class Prices(TypedDict):
    price_version: int
    effective_at: str
    refresh: PricesRefresh
    watch: PricesWatch
    live_page: PricesLivePage
    current_page: PricesLivePage
    changes_page: PricesLivePage
    next: PricesNext | None


class ProjectCredentialSpendCap(TypedDict):
    cap: int
    spent: int
    resets_at: str


class Project(TypedDict):
    project_id: str
    account_id: str
    name: str | None
    environment: Literal["live", "sandbox"] | str
    rate_limit: AccountRateLimit
    service_account: AccountServiceAccount
    traffic_limit: AccountRateLimit
    events_enabled: bool
    credential: AccountCredential
    credential_spend_cap: ProjectCredentialSpendCap | None
    spend_cap: NotRequired[ProjectCredentialSpendCap | None]


class RateLimit(TypedDict):
    limit_per_minute: int
    remaining: int
    reset_seconds: int


class RefreshAcceptanceMeta(TypedDict):
    request_id: str
    environment: NotRequired[Literal["live", "sandbox"] | str]
    product_code: Literal["platform.inventory.refresh.v1", "platform.inventory.watch.v1", "platform.inventory.current.page.v1", "platform.inventory.changes.page.v1", "platform.inventory.page.v1"] | str
    price_version: int
    credits_reserved: int
    billing_disposition: Literal["reserved", "charged", "not_charged", "allowance_used"] | str
    billing_reason: NotRequired[Literal["subscription_allowance"]]
    funding: NotRequired[Literal["subscription"]]
    units_charged: NotRequired[int]
    units_remaining: NotRequired[int]
    units_reserved: NotRequired[int]
    rate_limit: RateLimit


class RefreshBilling(TypedDict):
    state: Literal["reserved", "pending", "finalized"] | str
    disposition: Literal["finalize_complete", "finalize_diagnostic", "finalize_saved", "release"] | str | None
    credits_reserved: int
    credits_charged: int | None
    credits_released: int | None
    funding: NotRequired[Literal["subscription"]]
    units_reserved: NotRequired[int]
    units_charged: NotRequired[int | None]
    units_released: NotRequired[int | None]


class RefreshCompletedEventData(TypedDict):
    refresh_id: str
    state: Literal["completed"]
    outcome: Literal["complete_changed", "complete_unchanged", "private", "not_found", "upstream_unavailable", "incomplete", "cancelled", "internal_failure"] | str
    scope: Scope
    revision_id: str | None
    watch_id: str | None
    test: NotRequired[bool]


class RefreshCompletedEventLinks(TypedDict):
    """Relative to the base address."""

    refresh: str
    current: NotRequired[str]
    changes: NotRequired[str]


class RefreshCompletedEvent(TypedDict):
    """A refresh is terminal: read its outcome, then Current."""

    id: str
    version: int
    occurred_at: str
    project_id: str
    environment: NotRequired[Literal["live", "sandbox"] | str]
    type: Literal["inventory.refresh.completed"]
    data: RefreshCompletedEventData
    links: RefreshCompletedEventLinks


class RefreshPage(TypedDict):
    items: list[RefreshRecord]
    pagination: Pagination


class RefreshRecordLinks(TypedDict):
    """Present where a revision was saved. Relative to the base address."""

    current: str
    changes: NotRequired[str]


class RefreshRecord(TypedDict):
    refresh_id: str
    scope: Scope
    state: Literal["accepted", "queued", "collecting", "settling", "completed"] | str
    requested_at: str
    completed_at: str | None
    deadline_at: str | None
    outcome: Literal["complete_changed", "complete_unchanged", "private", "not_found", "upstream_unavailable", "incomplete", "cancelled", "internal_failure"] | str | None
    revision_id: str | None
    links: NotRequired[RefreshRecordLinks]
    served_from: Literal["scan", "saved"] | str
    verified_at: str | None
    watch_id: str | None
    product_code: Literal["platform.inventory.refresh.v1", "platform.inventory.watch.v1"] | str
    billing_state: Literal["reserved", "pending", "finalized"] | str
    billing_disposition: Literal["finalize_complete", "finalize_diagnostic", "finalize_saved", "release"] | str | None
    billing: RefreshBilling


class RefreshStatus(TypedDict):
    refresh_id: str
    scope: Scope
    state: Literal["accepted", "queued", "collecting", "settling", "completed"] | str
    requested_at: str
    completed_at: str | None
    deadline_at: str | None
    outcome: Literal["complete_changed", "complete_unchanged", "private", "not_found", "upstream_unavailable", "incomplete", "cancelled", "internal_failure"] | str | None
    revision_id: str | None
    links: NotRequired[RefreshRecordLinks]
    served_from: Literal["scan", "saved"] | str
    verified_at: str | None
    watch_id: str | None
    product_code: Literal["platform.inventory.refresh.v1", "platform.inventory.watch.v1"] | str
    billing_state: Literal["reserved", "pending", "finalized"] | str
    billing_disposition: Literal["finalize_complete", "finalize_diagnostic", "finalize_saved", "release"] | str | None
    billing: RefreshBilling
    expected_completed_at: NotRequired[str | None]


class Scope(TypedDict):
    platform_id: str
    app_id: int
    context_id: int


class StatementItemsItem(TypedDict):
    entry_id: str
    at: str
    kind: str
    asset: Literal["credits", "units"] | str
    change_available: int
    change_held: int
    available_after: int
    held_after: int
    product_code: Literal["platform.inventory.refresh.v1", "platform.inventory.watch.v1", "platform.inventory.current.page.v1", "platform.inventory.changes.page.v1", "platform.inventory.page.v1"] | str | None
    price_version: int | None
    project_id: str | None
    refresh_id: str | None
    request_id: str | None
    reason: str | None


class Statement(TypedDict):
    items: list[StatementItemsItem]
    pagination: Pagination


class SubscriptionFundingPeriod(TypedDict):
    """The UTC month of the available units, which expire at its end."""

    starts_at: str
    ends_at: str


class SubscriptionFundingUnits(TypedDict):
    total: int
    held: int
    available: int


class SubscriptionFunding(TypedDict):
    mode: Literal["subscription"]
    units_per_month: int
    period: SubscriptionFundingPeriod
    units: SubscriptionFundingUnits


class UsageItemsItem(TypedDict):
    day: str
    project_id: str
    product_code: Literal["platform.inventory.refresh.v1", "platform.inventory.watch.v1", "platform.inventory.current.page.v1", "platform.inventory.changes.page.v1", "platform.inventory.page.v1"] | str
    asset: Literal["credits", "units"] | str
    count: int
    charged: int
    reversed: int


Usage = TypedDict(
    "Usage",
    {
        "from": 'str',
        "to": 'str',
        "items": 'list[UsageItemsItem]',
    },
)


class Watch(TypedDict):
    watch_id: str | None
    scope: Scope
    every_seconds: int
    language: Language
    max_credits_per_day: int | None
    state: Literal["active", "paused"] | str
    paused_reason: Literal["insufficient_funds", "spend_cap_reached", "daily_limit_reached", "permission_removed", "owner_suspended", "operator_paused"] | str | None
    next_refresh_at: str | None
    last_refresh_id: str | None
    last_outcome: Literal["complete_changed", "complete_unchanged", "private", "not_found", "upstream_unavailable", "incomplete", "cancelled", "internal_failure"] | str | None
    expected_credits_per_month: int
    maximum_credits_per_month: int


class WatchPausedEventData(TypedDict):
    watch_id: str
    scope: Scope
    reason: Literal["insufficient_funds", "spend_cap_reached", "daily_limit_reached", "permission_removed", "owner_suspended", "operator_paused"] | str


class WatchPausedEventLinks(TypedDict):
    """Relative to the base address."""

    watch: str


class WatchPausedEvent(TypedDict):
    """A watch has no runs until the reason ends; it resumes by itself, or by PUT."""

    id: str
    version: int
    occurred_at: str
    project_id: str
    environment: NotRequired[Literal["live", "sandbox"] | str]
    type: Literal["inventory.watch.paused"]
    data: WatchPausedEventData
    links: WatchPausedEventLinks


class WatchRunDeliveriesItem(TypedDict):
    endpoint_id: str
    state: Literal["pending", "delivered", "failed"] | str


class WatchRun(TypedDict):
    refresh_id: str
    at: str
    outcome: Literal["complete_changed", "complete_unchanged", "private", "not_found", "upstream_unavailable", "incomplete", "cancelled", "internal_failure"] | str | None
    credits_charged: int | None
    units_charged: int | None
    event_id: str
    deliveries: list[WatchRunDeliveriesItem]


class WatchTest(TypedDict):
    event_id: str
    endpoints: list[str]


Language: TypeAlias = Literal["arabic", "brazilian", "bulgarian", "czech", "danish", "dutch", "english", "finnish", "french", "german", "greek", "hungarian", "indonesian", "italian", "japanese", "koreana", "latam", "norwegian", "polish", "portuguese", "romanian", "russian", "schinese", "spanish", "swedish", "tchinese", "thai", "turkish", "ukrainian", "vietnamese"] | str
ProjectEvent: TypeAlias = RefreshCompletedEvent | WatchPausedEvent | BalanceLowEvent
