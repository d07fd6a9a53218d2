'use strict';

/**
 * The rules of the specification by their ids, in parts. A test that holds a rule has its id in square
 * brackets in its title, or in that of its group.
 */
module.exports = {
  Interface: {
    'only-complete-scans':
      'Only complete scans: Only a complete successful scan becomes an inventory that Current reads',
    'current-never-starts-work':
      'Current never starts work: Current never contacts the platform and never starts hidden work',
    'empty-private-unavailable':
      'Empty, private, unavailable: Empty, private and transient failure are three outcomes; private is never empty',
    'units-or-credits':
      'Units or credits: A subscription-funded refresh reserves units and settles by the same rule, without credits',
    'post-refresh': 'POST Refresh: 202 with record, Location, Retry-After, reservation of 125',
    'idempotency-key':
      'Idempotency-Key: The same key and inputs find the same refresh; other inputs are a conflict',
    'watch-runs':
      'Watches: runs: An ordinary refresh with watch_id, in the lowest class of the planner, once per due time whatever crashes, never queued while admission is closed or its last run',
    watches:
      'Watches: PUT, GET, DELETE, list, batch, dry run, runs, test; at most 10,000 a Project; paused with a reason and one event',
    'watch-prices':
      'Watches: prices: A run that finds a change costs what a refresh does, one that finds none 1 per started 8,000 assets; the hold is a refresh’s',
    'max-age-seconds':
      'Freshness: An observation of the language, no older than max_age_seconds, responds at once: 200, nothing held, nothing charged, one event; else a scan',
    'refresh-status':
      'Refresh status: Costs nothing, counts as a request, readable within its Project only',
    polling:
      'Polling: Retry-After on every pending response, updated, omitted when both are terminal',
    'settlement-by-outcome':
      'Settlement by outcome: Observed size, diagnostic charge, or everything released',
    'refresh-charge':
      'Refresh charge: ceil(observed / 2000), at most the reservation; an empty inventory costs 0',
    'billing-of-a-refresh':
      'Billing of a refresh: reserved, pending, finalized; charged and released together are the reservation',
    'a-rejected-admission': 'A rejected admission: creates no reservation and leaves the key free',
    'current-pinned-chain':
      'Current: pinned chain: Every page of a chain is of the revision of its first page',
    'current-no-revision': 'Current: no revision: 404 inventory_revision_not_found, zero credits',
    'live-page-rule-1': 'Live Page rule 1: A privacy outcome is documented and billable',
    'live-page-rule-2': 'Live Page rule 2: Cursor chains of different customers cannot be combined',
    capture: 'Capture: A revision only from every page, in order, in time, billed, by one customer',
    'v1-bodies-and-traversal':
      'V1 bodies and traversal: Unwrapped body, more_items and last_assetid, pages of up to 2,000',
    'v1-rule-4': 'V1 rule 4: Live Page price and the credit headers',
    'v1-rule-5': 'V1 rule 5: Two dialects of failures',
    authentication:
      'Authentication: The secret in X-API-Key alone; explicit permissions; networks narrow',
    'events-applied-once':
      'Events: applied once: Deduplicate by event id, store the cursor after applying, resume from it',
  },
  'Access, transport, errors': {
    'request-id': 'request_id: On every answer, also in X-Request-ID; an inbound one is ignored',
    'event-id':
      'Event id: UUIDv5 of refresh and event type: one event however often it is produced',
    identifiers: 'Identifiers: Prefixes, UUIDv7, one table',
    'credential-secret':
      'Credential secret: Form, checksum without a store read, digest alone stored',
    'credential-state': 'Credential state: Revoked, expired, suspended owner: one answer',
    'client-address':
      'Client address: The peer; X-Forwarded-For through trusted proxies only, with or without ports',
    'unknown-keys':
      'Unknown keys: Many from one address are refused with 429; a valid key never is',
    scopes: 'Scopes: The wildcard grants the three inventory scopes and no other',
    'events-switched-off': 'Events switched off: Open streams end; the log is written all the same',
    'shared-inventories': 'Shared inventories: Any account reads Current of what anybody refreshed',
    'projects-are-apart':
      "Projects are apart: Another Project's refresh has the bytes of an unknown one",
    'json-only': 'JSON only: 406 where JSON is refused',
    'http-messages':
      'HTTP messages: RFC 9110 and 9112, whatever the form of a target, a header or a connection',
    compression: 'Compression: gzip and br from 1 KiB, never on a stream',
    'no-caching-no-cors': 'No caching, no CORS',
    'head-is-405': 'HEAD is 405',
    'path-values':
      'Path values: Bounds of platform_id, app_id, context_id; twice is 422; an unknown query parameter is 422 on V2, ignored on V1',
    lists: 'Lists: limit 1 to 100, 50 when absent, pagination',
    'error-codes': 'Error codes: One code, one status, closed list',
    'errors-meta': 'Errors: meta: Product, price, zero charge, rate limit',
    'all-problems-at-once': 'All problems at once: detail.issues[]',
    'body-limits': 'Body limits: 16 KiB, batch 64 KiB, 413',
    'max-credits-too-low': 'max_credits_too_low: 422 with minimum 125',
    'cursor-expired': 'cursor_expired: 410 free of charge',
    'inventory-private-inventory-not-found':
      'inventory_private, inventory_not_found: Charged, with their reason',
    'insufficient-credits-insufficient-units':
      'insufficient_credits, insufficient_units: 402 with required and available',
    'spend-cap-reached': 'spend_cap_reached: 402 with cap, spent, resets_at',
    'product-unavailable': 'product_unavailable: 503 with admission_state and reason',
    'upstream-unavailable-upstream-timeout':
      'upstream_unavailable, upstream_timeout: Nothing charged, Retry-After, reason',
    'billing-unavailable': 'billing_unavailable: Nothing is charged in the end',
    'service-unavailable': 'service_unavailable: 503, and outcome unknown once sent',
    'internal-error': 'internal_error: No internals',
  },
  Refreshes: {
    'order-of-checks': 'Order of checks: Rate limit, key, admission, outstanding limit, funds',
    replay: 'Replay: 202 with the record as it is now, Idempotency-Replayed',
    undecided:
      'Undecided: 503 outcome unknown; with a key it is found, without one it is cancelled',
    'keys-are-kept-30-days': 'Keys are kept 30 days',
    'states-and-outcomes': 'States and outcomes: A table; terminal once',
    'first-revision-is-changed': 'First revision is changed: complete_changed',
    unchanged:
      'Unchanged: Same assets, amounts, class and instance: same revision, new observation',
    'rows-of-an-observation':
      'Rows of an observation: Properties and their names are those of its scan',
    'each-refresh-is-charged-on-its-own': 'Each refresh is charged on its own',
    'one-scan-at-a-time-per-inventory': 'One scan at a time per inventory',
    'everything-hidden-is-complete':
      'Everything hidden is complete: total 0, reported above 0, charge 0',
    'retry-after': 'Retry-After: 1 to 60 s, from queue and pages left',
    deadlines: 'Deadlines: 30 min in the queue, 60 min of collecting, 250 pages',
    'status-wait': 'Status wait: ?wait=0..30',
    cancel: 'Cancel: 202, again 202, terminal 409',
    list: 'List: Newest first, state, refresh_id, cursor',
    batch: 'Batch: Up to 100, each admitted on its own, counts per item',
    'admission-latch': 'Admission latch: Closes at a number outstanding, opens at 90 %',
    'outstanding-limit-of-an-account': 'Outstanding limit of an account: 429',
    fairness: 'Fairness: Accounts are in rotation; a queue delays no other',
    confirmation: 'Confirmation: private and not found from a second identity',
    duplicates: 'Duplicates: Observed after dedupe, so duplicates never bill',
    'identity-silence': 'Identity silence: A breaker per identity, doubling',
    'application-breaker': 'Application breaker: Per app; closes its admission',
  },
  'Reads, money, events, operating': {
    prices: 'Prices: Versioned with an effective date; a hold keeps its version',
    'credits-remaining': 'credits_remaining: Available: total less held',
    'page-size': 'page_size: 1 to 2000, may vary within a chain',
    descriptions:
      "Descriptions: Exactly those of the page's assets, once each; a missing one stays absent",
    'platform-fields':
      'Platform fields: Pass through; odd lists; missing instanceid; asset_properties; currency rows',
    'platform-text':
      'Platform text: Digits as sent; U+FFFD for what is no Unicode; unknown optional blocks left out',
    'platform-http': 'Platform HTTP: 1xx answers; Retry-After as a date, or too long; 503 with it',
    'more-rows-than-asked': 'More rows than asked: 2000 are shown, the rest is behind the cursor',
    'platform-compression': 'Platform compression: gzip, br, deflate, zstd, bounded after decoding',
    'total-amount': 'total_amount: An exact integer beyond 2^53',
    'another-language': 'Another language: Same assets, texts fall back, headers name the language',
    'current-lookups':
      'Current lookups: Up to 100 assetid, one page in their order; not_in_revision; descriptions=none',
    export:
      'Export: All assets of one revision, joined, a line each; an end line with count and digest; paid as its pages; resumable',
    cursors: 'Cursors: Encrypted, authenticated, bound',
    'superseded-stays-24-h-the-head-180-days': 'Superseded stays 24 h, the head 180 days',
    erase: 'Erase: An operator can erase an inventory',
    'subscription-meta': 'Subscription meta: Units charged and remaining; credit fields 0',
    'units-by-month': 'Units by month: UTC calendar month; released into a past one expires',
    'charging-a-page-read':
      'Charging a page read: Final once the first byte is written, reversed otherwise',
    'idempotency-key-of-page-reads': 'Idempotency-Key of page reads: 10 min, three free replays',
    'idempotency-key-of-secrets':
      'Idempotency-Key of secrets: The same key and inputs show the same secret for a day and issue nothing more; it is not stored',
    'live-page-waits': 'Live Page waits: At most 20 s',
    'capture-is-optional':
      'Capture is optional: By account (capture on, off), by chain (capture=false), by application',
    'spend-cap': 'Spend cap: Counts charges and open holds',
    'rate-limit': 'Rate limit: Fixed minutes, exactly the limit, headers',
    'v1-deprecation-headers': 'V1 deprecation headers: Deprecation and Link',
    'v1-credit-headers': 'V1 credit headers: X-Credits-Charged, X-Credits-Remaining, units',
    'events-checkpoint': 'Events: checkpoint: First frame; its id is where the connection resumes',
    'events-gapless': 'Events: gapless: After the checkpoint everything, once, in order',
    'events-cursors': 'Events: cursors: Forged or foreign: 422 before the stream opens',
    'events-recovery': 'Events: recovery: Too old, or of another epoch',
    'events-kept-log': 'Events: kept log: 7 days; the newest always stays',
    'events-heartbeat': 'Events: heartbeat: 15 s, staggered',
    'events-framing': 'Events: framing: Chunks on HTTP/1.1',
    'events-life': 'Events: life: 10 to 15 min, then stream.closing',
    'events-closing': 'Events: closing: Reason and retry_after_ms, also as retry',
    'events-revoked': 'Events: revoked: Within 2 s of a change, else 30 s',
    'events-control-frames': 'Events: control frames: No id, always a data line',
    'events-slow-consumer': 'Events: slow consumer: 25 s or 256 KiB',
    'events-slots':
      'Events: slots: 4 per Project over all replicas, then 429, which ends none; free within 45 s of a loss',
    'events-list': 'Events list: Cursors of the stream, too old 410',
    'webhooks-standard-webhooks':
      'Webhooks: Standard Webhooks: Signed, two secrets while one is replaced',
    'webhooks-retries': 'Webhooks: retries: The schedule, Retry-After, 410, five days',
    'webhooks-addresses': 'Webhooks: addresses: https, no private address, no redirect',
    'webhooks-ten-endpoints': 'Webhooks: ten endpoints',
    'webhooks-managing': 'Webhooks: managing: Create, change, rotate, test, deliveries, redeliver',
    'account-balance-low': 'account.balance.low: Once per crossing',
    'operator-api': 'Operator API: Own token, own port, every verb with --json',
    bookings: 'Bookings: Each with its own idempotency key, reason required',
    'ledger-verify': 'Ledger verify',
    'status-page': 'Status: Without a key, cached 5 s, a bucket per peer; no figures of a customer',
    console:
      'Console: A page over the public API alone: its key in memory, under 120 KB, strict policy, pictures from the host of the setting alone, off by a setting',
    'account-self-service': 'Account self-service: Balance, statement, usage, alert',
    'free-look':
      'Free look: What is saved of an inventory, without its rows, for any Credential and free',
    sandbox:
      'Sandbox: An account has one, of its own money, Projects, events and limits; nothing of one environment is read, charged or resolved in the other',
    'credential-spend-cap':
      'Spend cap per Credential: Beside the Project’s, of every purchase by it, runs of its watches too; never above that of who sets it',
    'own-project':
      'Project: Name, environment, limits and what the key may do, for any Credential of it',
    'self-service-credentials':
      'Self-service Credentials: At most the authority of the issuer; the secret shown once',
  },
  'Changes since a revision': {
    'changes-are-a-function-of-two-revisions':
      'Changes: Of two revisions alone; paging never repeats, misses or restarts',
    'changes-are-saved-with-their-revision':
      'Change sets: In the write that moves the head, captures included; erased with the inventory',
    'a-chain-of-changes-is-few-sets': 'Chain: Few sets lead from any revision to any other',
    'changes-stay-30-days-longer': 'Kept 30 days longer than the revisions that they join',
    'revision-expired': 'Expired: 410 with the newest revision and its link; unknown: 422',
    'changes-are-charged-as-current': 'Charge: Of a Current page; no difference is free',
    'links-to-changes': 'Links: Status and event lead to the changes of their revision',
  },
};
