import { closingData, revokedData } from '@inventory/contracts/http/stream-frames';
import { counter, gauge, histogram } from '@inventory/runtime/instruments';
import type { ClosingReason, RevocationReason } from './event-frame.domain.ts';

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
