import { metrics } from '@opentelemetry/api';

const meter = metrics.getMeter('@inventory/gateway');
const secondsBuckets = {
  advice: {
    explicitBucketBoundaries: [
      0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30,
    ],
  },
};

const requestDuration = meter.createHistogram('http.server.request.duration', {
  description: 'Time from the arrival of a request until its connection took the whole answer',
  unit: 's',
  ...secondsBuckets,
});
const decisionWait = meter.createHistogram('inventory.gateway.decision_wait', {
  description: 'Time a refresh request waited for the decision on its admission',
  unit: 's',
  ...secondsBuckets,
});
const chargeWait = meter.createHistogram('inventory.gateway.charge_wait', {
  description: 'Time a page read waited for its billing outcome',
  unit: 's',
  ...secondsBuckets,
});
const openIntents = meter.createUpDownCounter('inventory.gateway.intents_open', {
  description: 'Charge intents of this replica whose page is neither delivered nor given up',
});
const givenAway = meter.createCounter('inventory.gateway.pages_given_away', {
  description: 'Delivered pages whose intent could not be deleted: their charge will be reversed',
});
const reversals = meter.createCounter('inventory.gateway.reversals', {
  description: 'Page charges undone, by what the ledger answered',
});
const cancelsAcknowledged = meter.createCounter('inventory.gateway.pending_cancels_acknowledged', {
  description: 'Attempts of unknown outcome whose cancel the collector has acknowledged',
});
const capturesCompleted = meter.createCounter('inventory.gateway.captures_completed', {
  description: 'Chains of Live Pages handed over to be saved as a revision',
});
const capturesEnded = meter.createCounter('inventory.gateway.captures_ended', {
  description: 'Chains of Live Pages that stopped capturing, by why; they may be read on',
});
const waitingReplies = meter.createObservableGauge('inventory.gateway.replies_waiting', {
  description: 'Requests of this replica that wait for a reply',
});
const waitingRefreshes = meter.createObservableGauge('inventory.gateway.refresh_waits', {
  description: 'Status requests of this replica that wait for a refresh to become terminal',
});

const openStreams = meter.createObservableGauge('inventory.gateway.streams_open', {
  description: 'Event streams that this replica holds',
});
const followedProjects = meter.createObservableGauge('inventory.gateway.stream_projects', {
  description: 'Projects whose events this replica keeps at hand',
});
const streamsClosed = meter.createCounter('inventory.gateway.streams_closed', {
  description: 'Event streams that this replica ended, by why',
});

export interface ServedRequest {
  readonly durationMs: number;
  readonly method: string;
  /** The route's template; absent where none matched. */
  readonly route: string | undefined;
  readonly status: number;
  readonly errorCode: string | undefined;
}

export function requestServed(served: ServedRequest): void {
  requestDuration.record(served.durationMs / 1000, {
    'http.request.method': served.method,
    'http.response.status_code': served.status,
    ...(served.route === undefined ? {} : { 'http.route': served.route }),
    ...(served.errorCode === undefined ? {} : { 'error.type': served.errorCode }),
  });
}

export function decisionWaited(durationMs: number, result: string): void {
  decisionWait.record(durationMs / 1000, { result });
}

export function chargeWaited(durationMs: number, result: string): void {
  chargeWait.record(durationMs / 1000, { result });
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

export function chargeReversed(result: string): void {
  reversals.add(1, { result });
}

export function pendingCancelAcknowledged(result: string): void {
  cancelsAcknowledged.add(1, { result });
}

export function captureCompleted(): void {
  capturesCompleted.add(1);
}

export type CaptureEnd = 'staging' | 'rules' | 'store' | 'reversed' | 'deadline' | 'evidence';

export function chainEnded(reason: CaptureEnd): void {
  capturesEnded.add(1, { reason });
}

/** Reports the replies awaited by this replica until the returned function is called. */
export function observeWaitingReplies(count: () => number): () => void {
  const observe = (result: { observe(value: number): void }) => result.observe(count());
  waitingReplies.addCallback(observe);
  return () => waitingReplies.removeCallback(observe);
}

/** Reports the long polls of this replica until the returned function is called. */
export function observeWaitingRefreshes(count: () => number): () => void {
  const observe = (result: { observe(value: number): void }) => result.observe(count());
  waitingRefreshes.addCallback(observe);
  return () => waitingRefreshes.removeCallback(observe);
}

export function countStreamClosed(reason: string): void {
  streamsClosed.add(1, { reason });
}

/** Reports the streams of this replica until the returned function is called. */
export function observeStreams(
  streams: { readonly size: number },
  hubs: { readonly size: number },
): () => void {
  const observers = [
    { gauge: openStreams, of: streams },
    { gauge: followedProjects, of: hubs },
  ].map(({ gauge, of }) => {
    const observe = (result: { observe(value: number): void }) => result.observe(of.size);
    gauge.addCallback(observe);
    return () => gauge.removeCallback(observe);
  });
  return () => {
    for (const stop of observers) stop();
  };
}
