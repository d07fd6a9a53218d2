import { scanPagesMax } from '@inventory/contracts/internal/inventory';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { MessageBus } from '@inventory/messaging/bus';
import { createRecentlyUsed } from '@inventory/runtime/recently-used';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import { currentTrace } from '@inventory/runtime/tracing';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { startWorker } from '@inventory/work/start-worker';
import type { Db } from 'mongodb';
import type { Capture } from './capture.domain.ts';
import type { CaptureConfig } from './capture-config.ts';
import {
  beginPageCapture,
  type ChainEnd,
  type ChainPage,
  type PageCapture,
} from './capture-page.ts';
import { createCaptureStore } from './capture-store.ts';
import { captureWork } from './complete-captures.ts';
import { endCheckStart, isCapturing, type LiveChain } from './live-chain.domain.ts';
import { openStagingBreaker, type StagingClient } from './staging-client.ts';

/** The capture of chains of Live Pages. */
export type Captures = ReturnType<typeof openCaptures>;

/** Intents of a chain are closed soon after its last page. */
const firstPollMs = 250;
/** Inventories of which the end of a chain is known. */
const endsMax = 10_000;

/** Staging, and the sweeper that sends the complete captures of all replicas. */
export function openCaptures(
  context: ServiceContext<ServiceConfig & CaptureConfig>,
  {
    db,
    bus,
    intents,
    staging,
  }: {
    readonly db: Db;
    readonly bus: MessageBus;
    readonly intents: { hasOpenIntent(chainId: string): Promise<boolean> };
    readonly staging: StagingClient;
  },
) {
  const { config, clock, logger } = context;
  const { deadlines, captures: times } = config;
  const { chainDeadlineMs, settleWithinMs } = times;
  const store = createCaptureStore(db, deadlines, logger);
  const { publish } = bus;
  const { pending: queue } = store;
  const completing = captureWork({
    queue,
    intents,
    revisions: staging,
    publish,
    settleWithinMs,
    clock,
    logger,
  });
  const { wakeIn } = startWorker(completing, context);

  async function insertCapture(capture: Capture, nowMs: number): Promise<void> {
    await store.insertCapture(capture, currentTrace(), nowMs + firstPollMs);
    wakeIn(firstPollMs);
  }
  const captures = { insertCapture, excludeChain: store.excludeChain };
  const rules = { chainDeadlineMs, settleWithinMs, pagesMax: scanPagesMax };
  const guarded = openStagingBreaker(staging, clock);
  const ends = createRecentlyUsed<string, ChainEnd>(endsMax, { ttl: chainDeadlineMs });
  const capturing = { staging: guarded, captures, ends, rules, clock, logger };
  return {
    /**
     * The epoch of the inventory before the next page of its chain is read; null where the chain does not
     * capture, or the store does not respond: its capture ends with the page.
     */
    async readEpoch(chain: LiveChain, scope: InventoryKey): Promise<string | null> {
      if (!isCapturing(chain, rules, clock.now())) return null;
      return await guarded.readEpoch(scope).catch((error: unknown) => {
        logger.info({ err: error, chainId: chain.chainId }, 'epoch of the inventory not known');
        return null;
      });
    },
    /** Starts to stage a page; its `conclude` returns the state of the chain after it. */
    beginPage: (page: ChainPage): PageCapture => beginPageCapture(capturing, page),
    /** Whether inventories of the application may be saved. */
    supportsApp: (appId: number): boolean => !times.appsExcluded.includes(appId),
    /**
     * Start of the page that a last page without assets is checked against; undefined when the chain
     * needs no check.
     */
    endCheckStart: (chain: LiveChain): string | null | undefined =>
      endCheckStart(chain, rules, clock.now()),
    /** Excludes the chain: a page of it was not delivered or not paid. */
    excludeChain: (chainId: string): Promise<void> => store.excludeChain(chainId, clock.now()),
  };
}
