import type { WorkRow } from '@inventory/work/work-row';

const minuteMs = 60_000;

/** A claim of an endpoint. Claims of one pace wait for each other; accounts are in rotation. */
const claim = {
  collection: 'webhookEndpoints',
  leaseMs: 'WEBHOOK_CLAIM_MS',
  afterCrash: 're-sent under the next claim, same id and bytes',
  givesUp: 'a delivery after its schedule; an endpoint is disabled after five days of failures',
} as const;

/** Everything that may be pending in this service. Any replica does it. */
export const work = {
  pruning: {
    name: 'log pruning',
    collection: 'logPruning',
    what: 'the oldest entries of a log are deleted (`log/prune-logs`)',
    slots: 4,
    again: { firstMs: minuteMs, maxMs: 60 * minuteMs },
    pollEveryMs: minuteMs,
    afterCrash: 'the log is pruned again',
    givesUp: 'never; a log that was idle for as long as entries are kept has nothing to prune',
  },
  fast: {
    name: 'webhooks to fast endpoints',
    what: 'what is due to an endpoint that responds within a second is sent (`webhooks/serve-endpoint`)',
    slots: '`WEBHOOK_REQUESTS_MAX` endpoints and half as many requests, a quarter per account',
    ...claim,
  },
  new: {
    name: 'webhooks to new endpoints',
    what: 'what is due to an endpoint without a response yet is sent',
    slots: 'a quarter of `WEBHOOK_REQUESTS_MAX`, a quarter of them per account',
    ...claim,
  },
  slow: {
    name: 'webhooks to slow endpoints',
    what: 'what is due to an endpoint that takes longer than a second is sent',
    slots: 'a quarter of `WEBHOOK_REQUESTS_MAX`, a quarter of them per account',
    ...claim,
  },
} as const satisfies Record<string, WorkRow>;
