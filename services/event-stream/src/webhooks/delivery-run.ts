import type { EndpointPace, WebhookDelivery, WebhookEndpoint } from './webhook-document.ts';

/** What one claim of an endpoint delivers. */
export interface DeliveryRun {
  /** As read last. */
  endpoint: WebhookEndpoint;
  readMs: number;
  /** As its inserted deliveries follow it. */
  readonly first: WebhookEndpoint;
  /** After its inserted deliveries. */
  nextPosition: number;
  pace: EndpointPace;
  readonly begunMs: number;
  /** When the endpoint is due next, as far as is known. */
  dueAtMs: number | null;
  /** As stored with its end. */
  lateSinceMs: number | null;
  waiting: WebhookDelivery[];
  sent: number;
  /** Changes of the endpoint by its results, one after the other. */
  results: Promise<void>;
  readonly permits: { release: () => void }[];
}

export function newDeliveryRun(endpoint: WebhookEndpoint, nowMs: number): DeliveryRun {
  const { nextPosition, pace } = endpoint;
  return {
    endpoint,
    first: endpoint,
    pace,
    nextPosition,
    readMs: nowMs,
    begunMs: nowMs,
    dueAtMs: null,
    lateSinceMs: null,
    waiting: [],
    sent: 0,
    results: Promise.resolve(),
    permits: [],
  };
}

/** The endpoint is due then at the latest. */
export function dueBy(run: DeliveryRun, dueAtMs: number): void {
  run.dueAtMs = Math.min(run.dueAtMs ?? dueAtMs, dueAtMs);
}
