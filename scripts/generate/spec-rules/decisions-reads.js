'use strict';

/** Decisions on reads, money, V1, events and operating: rule, meaning, titles that hold it. */
module.exports = [
  [
    'Prices',
    'Versioned with an effective date; a hold keeps its version',
    /price list|Reads: prices/,
  ],
  [
    'credits_remaining',
    'Available: total less held',
    /balance is available|available, less held|credits_remaining/,
  ],
  ['page_size', '1 to 2000, may vary within a chain', /page_size/],
  [
    'Descriptions',
    "Exactly those of the page's assets, once each; a missing one stays absent",
    /Reads: page_size, chains, descriptions|upstream 6\.1[45]|description.*(once|absent|missing)/,
  ],
  [
    'Platform fields',
    'Pass through; odd lists; missing instanceid; asset_properties; currency rows',
    /Reads: platform fields|currency row|asset_properties|instanceid|odd lists/,
  ],
  ['total_amount', 'An exact integer beyond 2^53', /total_amount/],
  [
    'Another language',
    'Same assets, texts fall back, headers name the language',
    /another language|language of the descriptions/,
  ],
  [
    'Cursors',
    'Encrypted, authenticated, bound',
    /Reads: cursors|cursor is never opened|sealed-cursor/,
  ],
  [
    'Superseded stays 24 h, the head 180 days',
    '',
    /24 hours, 180 days|superseded revisions, the head|head 180 days/,
  ],
  ['Erase', 'An operator can erase an inventory', /\berase/],
  [
    'Subscription meta',
    'Units charged and remaining; credit fields 0',
    /Reads: subscription|\(Subscription funding\)|subscription\.test/,
  ],
  [
    'Units by month',
    'UTC calendar month; released into a past one expires',
    /The beginning of a month|in a new month|month that is over|The month of an allowance/,
  ],
  [
    'Charging a page read',
    'Final once the first byte is written, reversed otherwise',
    /Charging a page read|page is paid exactly/,
  ],
  [
    'Idempotency-Key of page reads',
    '10 min, three free replays',
    /Reads: Idempotency-Key|read-keys/,
  ],
  ['Live Page waits', 'At most 20 s', /Live Page.*(20 s|waits)|longest wait/],
  ['Spend cap', 'Counts charges and open holds', /spend cap/],
  ['Rate limit', 'Fixed minutes, exactly the limit, headers', /[Rr]ate limit/],
  ['V1 deprecation headers', 'Deprecation and Link', /[Dd]eprecat/],
  [
    'V1 credit headers',
    'X-Credits-Charged, X-Credits-Remaining, units',
    /V1 rule 4|no charge was decided/,
  ],
  [
    'Events: checkpoint',
    'First frame; its id is where the connection resumes',
    /Events: checkpoint/,
  ],
  [
    'Events: gapless',
    'After the checkpoint everything, once, in order',
    /\(Events\)|in the order of the log/,
  ],
  ['Events: cursors', 'Forged or foreign: 422 before the stream opens', /Events: invalid_cursor/],
  ['Events: recovery', 'Too old, or of another epoch', /Events: recovery|log_epoch_changed/],
  ['Events: kept log', '7 days; the newest always stays', /kept log/],
  ['Events: heartbeat', '15 s, staggered', /Events: heartbeat/],
  ['Events: life', '10 to 15 min, then stream.closing', /max_age/],
  ['Events: closing', 'Reason and retry_after_ms, also as retry', /stream\.closing|draining/],
  [
    'Events: revoked',
    'Within 2 s of a change, else 30 s',
    /authorization_revoked|networks a stream is read from|revoked stream/,
  ],
  ['Events: control frames', 'No id, always a data line', /control frames|Events: frames/],
  ['Events: slow consumer', '25 s or 256 KiB', /slow consumer/],
  ['Events: places', '4 per Project and replica, 429', /stream_limit_exceeded/],
  ['Events list', 'Cursors of the stream, too old 410', /Events list|events.*list|list of events/],
  [
    'Webhooks: Standard Webhooks',
    'Signed, two secrets while one is replaced',
    /standardwebhooks|Standard Webhooks|secret is replaced|either secret/,
  ],
  [
    'Webhooks: retries',
    'The schedule, Retry-After, 410, five days',
    /tried eight times|five days|\(410\)|Retry-After makes the next/,
  ],
  [
    'Webhooks: addresses',
    'https, no private address, no redirect',
    /address that webhooks|private address|refused and nothing is sent|[Rr]edirects? (is|are) /,
  ],
  ['Webhooks: ten endpoints', '', /ten endpoints/],
  [
    'Webhooks: managing',
    'Create, change, rotate, test, deliveries, redeliver',
    /gateway\/test\/webhooks|webhook-endpoints|time range/,
  ],
  ['account.balance.low', 'Once per crossing', /balance\.low|low balance/],
  [
    'Operator API',
    'Own token, own port, every verb with --json',
    /gateway\/test\/operator-|e2e\/operator|Operating surface/,
  ],
  [
    'Bookings',
    'Each with its own idempotency key, reason required',
    /operator-money|own key|top-up/,
  ],
  ['Ledger verify', '', /verify-journal|Verification of|found by verify/],
  [
    'Account self-service',
    'Balance, statement, usage, alert',
    /Account self-service|gateway\/test\/account|GET usage|decisions: statement row/,
  ],
];
