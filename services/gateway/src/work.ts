import { outboxWork } from '@inventory/work/outbox';
import type { WorkRow } from '@inventory/work/work-row';

/** Longer than any wait for a reply; the owner reads what was sent before, so nothing is lost. */
const command = {
  /** More than are sent in a second: one without a reply costs the others nothing but a slot. */
  slots: 400,
  again: { firstMs: 10_000, maxMs: 60_000 },
  pollEveryMs: 1_000,
} as const;

/** Everything that may be pending in this service. Any replica does it. */
export const work = {
  reversals: {
    name: 'page reversals',
    collection: 'page_intents',
    what: 'the charge of a page that was not delivered is reversed (`pages/page-reversals`)',
    ...command,
    afterCrash: 'the reversal is re-sent',
    givesUp: 'never; of an account in quarantine it is tried every ten minutes',
  },
  cancels: {
    name: 'pending cancels',
    collection: 'pending_cancels',
    what: 'an attempt without a key that was not decided in time is cancelled (`refreshes/pending-cancels`)',
    ...command,
    afterCrash: 'without a key the gateway durably cancels',
    givesUp: 'never',
  },
  captures: {
    name: 'captures',
    collection: 'captures',
    what: 'a paid chain of Live Pages is completed as a scan (`captures/complete-captures`)',
    slots: 5,
    again: { firstMs: 500, maxMs: 10_000 },
    pollEveryMs: 500,
    afterCrash: 'the command is re-sent; the scan exists already',
    givesUp: 'at the deadline of its chain, or when its staged pages are not those of its cursors',
  },
  slots: {
    name: 'stream slots',
    collection: 'stream_replicas',
    what: 'the open streams of a replica count against the limits of their Projects (`streams/stream-slots`)',
    slots: 'one of each replica',
    leaseMs: 20_000,
    afterCrash: 'its slots are free once the lease has expired and a full Project needs one',
    givesUp: 'when the service stops, which frees the slots at once',
  },
  watches: {
    name: 'watches',
    collection: 'watches',
    what: 'the run of a watch is requested at its time, or skipped, or its watch paused (`watches/run-watch`)',
    slots: 40,
    /** Longer than a decision is waited for. */
    again: { firstMs: 30_000, maxMs: 120_000 },
    pollEveryMs: 1_000,
    afterCrash: 'the watch is claimed again, and finds the run under the id of its due time',
    givesUp:
      'when its watch is deleted; a run that its collector has not decided on is recorded at the sixth try, and the next claim finds out',
  },
  watchEvents: outboxWork('watches'),
  accounts: outboxWork('accounts'),
  projects: outboxWork('projects'),
  serviceAccounts: outboxWork('service_accounts'),
  credentials: outboxWork('credentials'),
} as const satisfies Record<string, WorkRow>;
