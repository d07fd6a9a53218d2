import { billingRefusalCodes } from '@inventory/contracts/refusal';
import { instrumentsOf, secondsBuckets } from '@inventory/runtime/instruments';
import { metrics } from '@opentelemetry/api';
import { type ReplyResult, replyResults } from '../commands/request-reply-client.ts';

const { counter, histogram, upDownCounter } = instrumentsOf(metrics.getMeter('@inventory/gateway'));

const chargeWait = histogram({
  name: 'inventory.gateway.charge_wait',
  description: 'Time a page read waited for its billing outcome',
  unit: 's',
  labels: { result: replyResults },
  buckets: secondsBuckets,
});
const openIntents = upDownCounter({
  name: 'inventory.gateway.intents_open',
  description: 'Charge intents of this replica whose page is neither delivered nor abandoned',
});
const givenAway = counter({
  name: 'inventory.gateway.pages_given_away',
  description: 'Delivered pages whose intent could not be deleted: their charge will be reversed',
});
const reversalResults = ['applied', 'refused', ...billingRefusalCodes] as const;
const reversals = counter({
  name: 'inventory.gateway.reversals',
  description: 'Page charges reversed, by outcome of the ledger',
  labels: { result: reversalResults },
});

const exportEnds = ['completed', 'cut', 'expired'] as const;
const exportsSent = counter({
  name: 'inventory.gateway.exports',
  description:
    'Exports whose sending began, by end: cut by client, time or fault, or no longer saved',
  labels: { end: exportEnds },
});

export function exportEnded(end: (typeof exportEnds)[number]): void {
  exportsSent.add(1, { end });
}

export function chargeWaited(durationMs: number, result: ReplyResult<unknown>['result']): void {
  chargeWait.record(durationMs / 1_000, { result });
}

export function intentOpened(): void {
  openIntents.add(1);
}

export function intentClosed(): void {
  openIntents.add(-1);
}

export function pageGivenAway(): void {
  openIntents.add(-1);
  givenAway.add(1);
}

export function chargeReversed(result: (typeof reversalResults)[number]): void {
  reversals.add(1, { result });
}
