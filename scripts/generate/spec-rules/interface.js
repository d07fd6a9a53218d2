'use strict';

/** The interface on reads and billing: rule, meaning, titles that hold it. */
module.exports = [
  [
    'Only complete scans',
    'Only a complete successful scan becomes an inventory that Current reads',
    /half.*never|Refresh: commit|complete and never|never an empty|incomplete/,
  ],
  [
    'Current never starts work',
    'Current never contacts the platform and never starts hidden work',
    /every collector dead \(Current\)|Current: never starts work/,
  ],
  [
    'Empty, private, unavailable',
    'Empty, private and transient failure are three outcomes; private is never empty',
    /never by an empty inventory|empty inventory|\(upstream 6\.[12]\)|Live Page rule 1/,
  ],
  [
    'Units or credits',
    'A subscription-funded refresh reserves units and settles by the same rule, without credits',
    /Subscription funding|funded by subscription/,
  ],
  [
    'POST Refresh',
    '202 with record, Location, Retry-After, reservation of 125',
    /\(POST Refresh\)|refresh-admission\.test/,
  ],
  [
    'Idempotency-Key',
    'The same key and inputs find the same refresh; other inputs are a conflict',
    /Idempotency-Key|\(Refresh: key\)|one key/,
  ],
  [
    'Refresh status',
    'Costs nothing, counts as a request, readable within its Project only',
    /\(Refresh status\)|\(Status\)/,
  ],
  [
    'Polling',
    'Retry-After on every pending answer, updated, omitted when both are terminal',
    /\(Polling\)|Retry-After alone|Without Retry-After|without Retry-After/,
  ],
  [
    'Settlement by outcome',
    'Observed size, diagnostic charge, or everything released',
    /Settlement by outcome|Settlement:|outcomes and settlement/,
  ],
  [
    'Refresh charge',
    'ceil(observed / 2000), at most the reservation; an empty inventory costs 0',
    /\(Refresh charge\)|Limits: refresh charge/,
  ],
  [
    'Billing of a refresh',
    'reserved, pending, finalized; charged and released together are the reservation',
    /Billing of a refresh|charged and released are together/,
  ],
  [
    'A rejected admission',
    'creates no reservation and leaves the key free',
    /rejected admission|leaves the key free|holds nothing/,
  ],
  [
    'Current: pinned chain',
    'Every page of a chain is of the revision of its first page',
    /stays with its revision and observation|Reads: page_size, chains/,
  ],
  [
    'Current: no revision',
    '404 inventory_revision_not_found, zero credits',
    /without a saved revision the answer is 404/,
  ],
  ['Live Page rule 1', 'A privacy outcome is documented and billable', /Live Page rule 1/],
  [
    'Live Page rule 2',
    'Cursor chains of different customers cannot be combined',
    /Live Page rule 2|other account's, scope's/,
  ],
  [
    'Capture',
    'A revision only from every page, in order, in time, billed, by one customer',
    /\(Capture|Reads: Capture\)|e2e\/capture/,
  ],
  [
    'V1 bodies and traversal',
    'Unwrapped body, more_items and last_assetid, pages of up to 2,000',
    /V1 traversal|V1: both arrays|V1 rule 2/,
  ],
  ['V1 rule 4', 'Live Page price and the credit headers', /V1 rule 4|Live Page price/],
  ['V1 rule 5', 'Two dialects of failures', /V1 rule 5|V1 status codes/],
  [
    'Authentication',
    'The secret in X-API-Key alone; explicit permissions; networks narrow',
    /\(Authentication|\(Scopes/,
  ],
  [
    'Events: applied once',
    'Deduplicate by event id, store the cursor after applying, resume from it',
    /Events: rule [457]|read every event through the reconnects/,
  ],
];
