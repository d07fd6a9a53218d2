'use strict';

/** Decisions on refreshes: rule, meaning, titles that hold it. */
module.exports = [
  [
    'Order of checks',
    'Rate limit, key, admission, outstanding limit, funds',
    /checks come in one order|a replay gets through/,
  ],
  ['Replay', '202 with the record as it is now, Idempotency-Replayed', /replay/i],
  [
    'Undecided',
    '503 outcome unknown; with a key it is found, without one it is cancelled',
    /undecided/,
  ],
  ['Keys are kept 30 days', '', /kept for 30 days|Idempotency-Keys? (is|are) kept/],
  ['States and outcomes', 'A table; terminal once', /refresh-saga|one table/],
  ['First revision is changed', 'complete_changed', /first revision changed/],
  [
    'Unchanged',
    'Same assets, amounts, class and instance: same revision, new observation',
    /Refresh: unchanged|\(Unchanged\)/,
  ],
  ['Each refresh is charged on its own', '', /charged each on its own/],
  ['One scan at a time per inventory', '', /one scan at a time/],
  [
    'Everything hidden is complete',
    'total 0, reported above 0, charge 0',
    /everything is hidden|all-hidden/,
  ],
  [
    'Retry-After',
    '1 to 60 s, from queue and pages left',
    /domain\/retry-after|\(Refresh: Retry-After\)|Retry-After alone|\(Polling\)/,
  ],
  ['Deadlines', '30 min in the queue, 60 min of collecting, 250 pages', /Refresh: Deadlines/],
  ['Status wait', '?wait=0..30', /refresh-wait|waiting status/],
  ['Cancel', '202, again 202, terminal 409', /refresh-collector.*cancel|gateway.*cancel/],
  ['List', 'Newest first, state, refresh_id, cursor', /refresh-reads|list of refreshes/],
  ['Batch', 'Up to 100, each admitted on its own, counts per item', /\(Batch\)|refresh-batch/],
  ['Admission latch', 'Closes at a number outstanding, opens at 90 %', /Refresh: Admission/],
  ['Outstanding limit of an account', '429', /outstanding_limit/],
  [
    'Fairness',
    'Accounts take turns; a queue delays no other',
    /\(Fairness\)|scan-turns|accounts take turns/,
  ],
  [
    'Confirmation',
    'private and not found from a second identity',
    /second identity|upstream 6\.6|confirmed/,
  ],
  [
    'Duplicates',
    'Observed after dedupe, so duplicates never bill',
    /keeps each asset once|duplicate asset/,
  ],
  ['Identity silence', 'A breaker per identity, doubling', /egress-identity|upstream 6\.4/],
  ['Application breaker', 'Per app; closes its admission', /app-breaker|breaker of an application/],
];
