'use strict';

/** Decisions on identifiers, tenancy, transport and errors: rule, meaning, titles that hold it. */
module.exports = [
  [
    'request_id',
    'On every answer, also in X-Request-ID; an inbound one is ignored',
    /X-Request-ID|names its request/,
  ],
  [
    'Event id',
    'UUIDv5 of refresh and event type: one event however often it is produced',
    /one event per refresh|keeps its one event/,
  ],
  ['Identifiers', 'Prefixes, UUIDv7, one table', /contracts.*\bids?\b|UUIDv[57]/],
  [
    'Credential secret',
    'Form, checksum without a store read, digest alone stored',
    /secret has the published form|without a store read|issued keys stay readable|only its digest/,
  ],
  [
    'Credential state',
    'Revoked, expired, suspended owner: one answer',
    /unknown, malformed, revoked, expired/,
  ],
  [
    'Client address',
    'The peer; X-Forwarded-For through trusted proxies only',
    /client address is|trusted|Forwarded/,
  ],
  [
    'Scopes',
    'The wildcard grants the three inventory scopes and no other',
    /wildcard|Authentication: explicit/,
  ],
  [
    'Events switched off',
    'Open streams end; the log is written all the same',
    /events_disabled|events are switched|without events nothing is sent/,
  ],
  [
    'Shared inventories',
    'Any account reads Current of what anybody refreshed',
    /any account may read/,
  ],
  [
    'Projects are apart',
    "Another Project's refresh has the bytes of an unknown one",
    /an unknown one|anybody else|own Project only|nothing to another account|endpoints of a Project are nothing/,
  ],
  ['JSON only', '406 where JSON is refused', /is not offered|406/],
  ['Compression', 'gzip and br from 1 KiB, never on a stream', /packs from 1 KiB|packed/],
  ['No caching, no CORS', '', /forbids caching/],
  ['HEAD is 405', '', /HEAD is 405/],
  [
    'Path values',
    'Bounds of platform_id, app_id, context_id; twice is 422; unknown query ignored',
    /malformed requests each|platform_id|given twice is refused|may be given only once|path, query, header/,
  ],
  [
    'Lists',
    'limit 1 to 100, 50 when absent, pagination',
    /refresh-reads.*(page|list)|over its pages|operator-refusals/,
  ],
  [
    'Error codes',
    'One code, one status, closed list',
    /one status|every code of the closed list|answers .code as documented/,
  ],
  ['Errors: meta', 'Product, price, zero charge, rate limit', /Errors: meta/],
  ['All problems at once', 'detail.issues[]', /all problems of path|problems.*at once/],
  ['Body limits', '16 KiB, batch 64 KiB, 413', /past 16 KiB|exactly the bound|is refused with 413/],
  ['max_credits_too_low', '422 with minimum 125', /max_credits/],
  ['cursor_expired', '410 free of charge', /ends with 410|cursor_expired/],
  [
    'inventory_private, inventory_not_found',
    'Charged, with their reason',
    /confirmed .* is answered with|private_confirmed|denial/,
  ],
  [
    'insufficient_credits, insufficient_units',
    '402 with required and available',
    /insufficient_|402/,
  ],
  ['spend_cap_reached', '402 with cap, spent, resets_at', /spend.cap|spend cap/i],
  [
    'product_unavailable',
    '503 with admission_state and reason',
    /product_unavailable|closed door|admission.*(close|open)s|closes at the|by an operator, on every/,
  ],
  [
    'upstream_unavailable, upstream_timeout',
    'Nothing charged, Retry-After, reason',
    /a time to wait, and nothing charged|throttled/,
  ],
  [
    'billing_unavailable',
    'Nothing is charged in the end',
    /billing_unavailable|billing is too slow|does not answer in time is 503/,
  ],
  [
    'service_unavailable',
    '503, and outcome unknown once sent',
    /refresh-undecided|answered 503 with Retry-After|is 503/,
  ],
  ['internal_error', 'No internals', /without internals|answered without its text/],
];
