import type { PlatformSimulator } from '@inventory/platform-simulator/platform-simulator';
import type { testServiceConfig } from '@inventory/testkit/test-service';
import type { RefreshCollectorConfig } from '../src/config.ts';
import type { FakeRevisionStore } from './fake-revision-store.ts';

/** No machine is so slow that a time this far out is reached. */
export const farMs = 600_000;

export const identitiesOf = (simulator: PlatformSimulator, count: number): string[] =>
  Array.from({ length: count }, (_, index) => simulator.proxyUrl(`egress-${index + 1}`));

/** Short pauses and far timeouts; otherwise what is configured in production. */
export function quickConfig(
  simulator: PlatformSimulator,
  store: FakeRevisionStore,
): Omit<RefreshCollectorConfig, keyof ReturnType<typeof testServiceConfig>> {
  return {
    revisionStoreUrl: store.url,
    billingLedgerUrl: store.url,
    platform: {
      baseUrl: simulator.url,
      egress: identitiesOf(simulator, 4),
      timeoutMs: farMs,
      connectTimeoutMs: farMs,
      bodyBytesMax: 8 * 1024 * 1024,
      userAgent: 'test',
    },
    identities: {
      requestsPerMinute: 60_000,
      burst: 1_000,
      cooldownFirstMs: 150,
      cooldownMaxMs: 300,
      unreachableFirstMs: 150,
      unreachableMaxMs: 300,
    },
    pages: {
      triesMax: 5,
      throttledMax: 6,
      retryMs: 20,
      duplicateRetryMs: 40,
      count: 2_000,
      smallerCount: 1_000,
    },
    live: {
      triesMax: 3,
      retryMs: 20,
      denialMs: 60_000,
      limits: { perKeyMax: 100, totalMax: 1_000 },
      waitMaxMs: farMs,
    },
    scheduling: {
      pagesMax: 250,
      leaseMs: farMs,
      scansMax: 64,
      scansPerAccountMax: 16,
      idleMs: 250,
    },
    deadlines: { queueMs: 1_800_000, collectMs: 3_600_000, settleGraceMs: 600_000 },
    admission: { outstandingMax: 10_000, outstandingPerAccountMax: 1_000 },
    retention: { terminalMs: 86_400_000, refusedMs: 86_400_000 },
    resend: { firstMs: 10_000, maxMs: 20_000 },
    holds: { sweepMs: 600_000, ageSeconds: 3_600 },
    watchMs: 250,
  };
}
