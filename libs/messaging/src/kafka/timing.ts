import type { KafkaTiming } from '@inventory/runtime/kafka-access';

const defaults: KafkaTiming = {
  requestTimeoutMs: 10_000,
  sessionTimeoutMs: 15_000,
  // A rebalance waits for the next heartbeat of each member.
  heartbeatIntervalMs: 1_000,
  // An idle consumer sends one fetch between two heartbeats.
  fetchWaitMs: 1_000,
  handlersDeadlineMs: 6_000,
  commitDeadlineMs: 2_000,
  leaveDeadlineMs: 3_000,
  // Within the two minutes of the startup probe.
  topicsTimeoutMs: 90_000,
};

export function timingOf(timing?: Partial<KafkaTiming>): KafkaTiming {
  return { ...defaults, ...timing };
}
