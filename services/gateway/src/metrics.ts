import { closingData, revokedData } from '@inventory/contracts/http/stream-frames';
import { billingRefusalCodes } from '@inventory/contracts/refusal';
import { instrumentsOf, secondsBuckets } from '@inventory/runtime/instruments';
import { metrics } from '@opentelemetry/api';
import type { ClosingReason, RevocationReason } from './streams/event-frame.domain.ts';

const { counter, gauge, histogram, upDownCounter } = instrumentsOf(
  metrics.getMeter('@inventory/gateway'),
);

const askResults = ['reply', 'not_sent', 'unknown'] as const;
type AskResult = (typeof askResults)[number];

const decisionWait = histogram({
  name: 'inventory.gateway.decision_wait',
  description: 'Time a refresh request waited for the decision on its admission',
  unit: 's',
  labels: { result: askResults },
  buckets: secondsBuckets,
});
const chargeWait = histogram({
  name: 'inventory.gateway.charge_wait',
  description: 'Time a page read waited for its billing outcome',
  unit: 's',
  labels: { result: askResults },
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
const cancelResults = ['cancelling', 'already_completed', 'not_found'] as const;
const cancelsAcknowledged = counter({
  name: 'inventory.gateway.pending_cancels_acknowledged',
  description: 'Attempts of unknown outcome whose cancel the collector has acknowledged',
  labels: { result: cancelResults },
});
const capturesCompleted = counter({
  name: 'inventory.gateway.captures_completed',
  description: 'Chains of Live Pages sent to be saved as a revision',
});
const captureEnds = ['staging', 'rules', 'store', 'reversed', 'deadline', 'evidence'] as const;
const capturesEnded = counter({
  name: 'inventory.gateway.captures_ended',
  description: 'Chains of Live Pages that stopped capturing, by reason; reading may continue',
  labels: { reason: captureEnds },
});
const unknownKeysRefused = counter({
  name: 'inventory.gateway.unknown_keys_refused',
  description: 'Requests with an unknown key that were refused without a look-up',
});
const connectionLimits = ['peer', 'total'] as const;
const connectionsRefused = counter({
  name: 'inventory.gateway.connections_refused',
  description:
    'Connections to the public port that were closed at once, by the limit that they exceed',
  labels: { limit: connectionLimits },
});
const waitingReplies = gauge({
  name: 'inventory.gateway.replies_waiting',
  description: 'Requests of this replica that wait for a reply',
});
const waitingRefreshes = gauge({
  name: 'inventory.gateway.refresh_waits',
  description: 'Status requests of this replica that wait for a refresh to become terminal',
});
const openStreams = gauge({
  name: 'inventory.gateway.streams_open',
  description: 'Open event streams of this replica',
});
const followedProjects = gauge({
  name: 'inventory.gateway.stream_projects',
  description: 'Projects whose latest events this replica caches',
});
const streamEnds = [
  ...closingData.shape.reason.options,
  ...revokedData.shape.reason.options,
] as const satisfies readonly (ClosingReason | RevocationReason)[];
const streamsClosed = counter({
  name: 'inventory.gateway.streams_closed',
  description: 'Event streams closed by this replica, by reason',
  labels: { reason: streamEnds },
});
const deliveryDelay = histogram({
  name: 'inventory.stream.delivery.delay',
  description:
    'Time from the append of an event to its log until its frame was written to the open streams',
  unit: 's',
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
});
const streamFrames = counter({
  name: 'inventory.stream.frames',
  description: 'Event frames written to open streams on arrival; replays are not counted',
});

export function decisionWaited(durationMs: number, result: AskResult): void {
  decisionWait.record(durationMs / 1_000, { result });
}

export function chargeWaited(durationMs: number, result: AskResult): void {
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

export function pendingCancelAcknowledged(result: (typeof cancelResults)[number]): void {
  cancelsAcknowledged.add(1, { result });
}

export function unknownKeyRefused(): void {
  unknownKeysRefused.add(1);
}

export function connectionRefused(limit: (typeof connectionLimits)[number]): void {
  connectionsRefused.add(1, { limit });
}

export function captureCompleted(): void {
  capturesCompleted.add(1);
}

export type CaptureEnd = (typeof captureEnds)[number];

export function chainEnded(reason: CaptureEnd): void {
  capturesEnded.add(1, { reason });
}

/** Reports the replies awaited by this replica until the returned function is called. */
export function observeWaitingReplies(count: () => number): () => void {
  return waitingReplies.observe((observe) => observe(count()));
}

/** Reports the long polls of this replica until the returned function is called. */
export function observeWaitingRefreshes(count: () => number): () => void {
  return waitingRefreshes.observe((observe) => observe(count()));
}

export function countStreamClosed(reason: ClosingReason | RevocationReason): void {
  streamsClosed.add(1, { reason });
}

/**
 * Records events written to this number of streams, with the delay of each since its append; null
 * where that time is unknown.
 */
export function eventsDelivered(delaysMs: readonly (number | null)[], streams: number): void {
  for (const delayMs of delaysMs) {
    if (delayMs !== null) deliveryDelay.record(Math.max(0, delayMs) / 1_000);
  }
  streamFrames.add(delaysMs.length * streams);
}

/** Reports the streams of this replica until the returned function is called. */
export function observeStreams(
  streams: { readonly size: number },
  hubs: { readonly size: number },
): () => void {
  const ends = [
    openStreams.observe((observe) => observe(streams.size)),
    followedProjects.observe((observe) => observe(hubs.size)),
  ];
  return () => {
    for (const end of ends) end();
  };
}
