import type { RefreshView } from '@inventory/contracts/internal/refresh';
import { scenarioInventory } from '@inventory/platform-simulator/scenarios';
import { invariant } from '@inventory/runtime/bug';
import { systemClock } from '@inventory/runtime/clock';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { openCollections } from '../src/collections.ts';
import { loadConfig } from '../src/config.ts';
import { nextRequestMs } from '../src/egress/egress-identity.domain.ts';
import { createIdentityStore } from '../src/egress/identity-store.ts';
import type { RefreshDocument } from '../src/saga/refresh-document.ts';
import { type CollectorHarness, openCollectorHarness } from './collector-harness.ts';
import { expectedOutcomes, spreadApp } from './expected-outcomes.ts';
import { farMs } from './quick-config.ts';
import { requiredSettings } from './required-settings.ts';

const dayMs = 86_400_000;

/** What is configured where nothing is set. */
export const defaults = loadConfig(requiredSettings);

/** The end of one refresh, and what it cost. */
export interface DefaultRateRefresh {
  readonly view: RefreshView;
  readonly stored: RefreshDocument;
  /** Requests that the platform received for it. */
  readonly requests: number;
  readonly assets: number;
}

/**
 * A collector with the one default identity at its default rate, on a platform with its usual limits.
 * Both have one clock, which stands still while a request is in flight and then moves to the next
 * request that the rate allows: an hour of pages takes seconds, and no slow machine loses one.
 */
export interface DefaultRateCollector {
  start(timeoutMs?: number): Promise<void>;
  stop(): Promise<void>;
  /** Requests an inventory of this scenario that no other test reads; returns its refresh, queued. */
  request(scenario: string): Promise<string>;
  untilRequested(scenario: string, requests: number): Promise<void>;
  completed(scenario: string): Promise<DefaultRateRefresh>;
  close(): Promise<void>;
}

export async function openDefaultRateCollector(): Promise<DefaultRateCollector> {
  const clock = createTestClock(systemClock.now());
  const harness: CollectorHarness = await openCollectorHarness({
    now: () => clock.now(),
    limits: {},
    latency: { slowMs: farMs },
  });
  const { refreshes, identities: stored } = openCollections(harness.database);
  const identities = createIdentityStore(stored, testLogger);
  const refreshIds = new Map<string, string>();
  let collector: Awaited<ReturnType<CollectorHarness['startCollector']>>;

  /**
   * Moves the clock until `isDone`. The next request is that of before the check: one that is sent
   * and fails meanwhile is not followed by another.
   */
  async function moveUntil(isDone: () => Promise<boolean>): Promise<boolean> {
    const [identity] = await identities.loadIdentities(defaults.platform.egress);
    if (await isDone()) return true;
    if (identity?.inFlight === null) {
      clock.set(Math.max(clock.now(), nextRequestMs(identity, defaults.identities)));
    }
    return false;
  }

  async function requestsFor(scenario: string): Promise<number> {
    const { platformId } = inventoryOf(scenario);
    const { accounts } = await harness.control('GET', `/counters?platform_id=${platformId}`);
    const counted = accounts as Record<string, { readonly requests: number }>;
    return counted[platformId]?.requests ?? 0;
  }

  /** The clock may move by hours: a command that is handled after that is too old. */
  const decisionOn = (refreshId: string) =>
    waitFor(`refresh ${refreshId} is decided`, async () => {
      const found = await refreshes.findOne({ _id: refreshId, phase: { $ne: 'accepted' } });
      return found?.phase;
    });

  return {
    async start(timeoutMs = farMs) {
      collector = await harness.startCollector(
        {
          platform: { egress: defaults.platform.egress, timeoutMs },
          identities: defaults.identities,
          // The clock jumps to the next request: the planner checks soon after.
          scheduling: { leaseMs: dayMs, idleMs: 20 },
          resend: { firstMs: dayMs, maxMs: dayMs },
        },
        clock,
      );
    },
    async stop() {
      await harness.stopCollectors();
      const [identity] = await identities.loadIdentities(defaults.platform.egress);
      // The clock would stand still for ever.
      invariant(identity?.inFlight === null, 'a stopped collector has no request in flight');
    },
    async request(scenario) {
      const { platformId, appId, contextId } = inventoryOf(scenario);
      const index = expectedOutcomes.findIndex(([name]) => name === scenario);
      const app_id = spreadApp(index, appId);
      const scope = { platform_id: platformId, app_id, context_id: contextId };
      // Refused while the plan is one of before the end of the last refresh: as a client does, again.
      const refreshId = await waitFor(`${scenario} is admitted`, async () => {
        const requested = await harness.request({ scope, requestedAtMs: clock.now() });
        return (await decisionOn(requested.refreshId)) !== 'refused' && requested.refreshId;
      });
      refreshIds.set(scenario, refreshId);
      return refreshId;
    },
    async untilRequested(scenario, requests) {
      const isRequested = async () => (await requestsFor(scenario)) >= requests;
      await waitFor(`request ${requests} for ${scenario}`, () => moveUntil(isRequested));
    },
    async completed(scenario) {
      const refreshId = refreshIds.get(scenario) ?? '';
      const ended = () => refreshes.findOne({ _id: refreshId, terminal: true });
      const hasEnded = async () => (await ended()) !== null;
      await waitFor(`${scenario} ended`, () => moveUntil(hasEnded), { everyMs: 20 });
      const stored = await ended();
      invariant(stored !== null, 'a refresh that ended is kept');
      return {
        view: await harness.completed(collector, refreshId),
        stored,
        requests: await requestsFor(scenario),
        assets: harness.store.committed.get(refreshId)?.length ?? 0,
      };
    },
    close: () => harness.close(),
  };
}

const serial = 701;
const inventoryOf = (scenario: string) => scenarioInventory(scenario, serial);
