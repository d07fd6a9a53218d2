import { hash } from 'node:crypto';
import type { LivePageMeta } from '@inventory/contracts/internal/live-page';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { ManifestPage } from '@inventory/contracts/messages/revision';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { RecentlyUsed } from '@inventory/runtime/recently-used';
import { capturesEnded } from '../metrics.ts';
import { type Capture, type ChainOwner, captureOf } from './capture.domain.ts';
import {
  advanceLiveChain,
  type CaptureRules,
  type DigestOf,
  isCapturing,
  type LiveChain,
} from './live-chain.domain.ts';
import type { ChainPagePosition } from './staging-client.ts';

/** A page of a chain before its delivery. */
export interface ChainPage extends LivePageMeta {
  readonly chain: LiveChain;
  readonly owner: ChainOwner;
  /** The epoch of its inventory, read before it; null where it is not known, so that it is not staged. */
  readonly inventoryEpoch: string | null;
  /** The text of `"assets":[…],"descriptions":[…]` as sent to the client, in parts. */
  readonly members: readonly Buffer[];
}

export interface ChainEnd {
  readonly chainId: string;
  readonly atMs: number;
}

export interface CapturePageDeps {
  readonly staging: {
    /** Rejects when the page is not durable, or is never staged. */
    stagePage(position: ChainPagePosition, members: readonly Buffer[]): Promise<ManifestPage>;
  };
  readonly captures: {
    /** Has no effect when the chain has a capture or is excluded. */
    insertCapture(capture: Capture, nowMs: number): Promise<void>;
    /** Excludes the chain from capture, permanently. */
    excludeChain(chainId: string, nowMs: number): Promise<void>;
  };
  /** The chain that came to its end here last, by inventory and language. */
  readonly ends: RecentlyUsed<string, ChainEnd>;
  readonly rules: CaptureRules & { readonly settleWithinMs: number };
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A page that is staged while its charge is decided. */
export interface PageCapture {
  /**
   * State of the chain after this page. Awaited once the page is paid and before its first byte is
   * written: what has to be durable by then is durable. Never called for a page that is not
   * delivered.
   */
  conclude(read: { readonly replayed: boolean }): Promise<LiveChain>;
}

/** Digest that proves the pages of a chain. */
export const evidenceDigest: DigestOf = (text) => hash('sha256', text, 'base64url');

/**
 * Starts to stage a page of a chain that captures. A failure of the capture never ends the reading:
 * 1. the page is staged while its charge is decided. After a crash the store deletes it;
 * 2. a page that could not be staged, or was staged with other contents, ends the capture for every
 *    cursor of the chain; that is durable before the first byte of the page;
 * 3. the capture is durable before the first byte of the last page. A replica sends it once no page
 *    of the chain has an open intent;
 * 4. of chains of one inventory that are read at the same time the first to end is captured: a revision
 *    of the others could not become the latest.
 */
export function beginPageCapture(deps: CapturePageDeps, page: ChainPage): PageCapture {
  const { chain } = page;
  const nowMs = deps.clock.now();
  const capturing = isCapturing(chain, deps.rules, nowMs);
  const isOvertaken = capturing && isLast(page) && !isFirstToEnd(deps, page, nowMs);
  const staging = capturing && !isOvertaken ? stage(deps, page) : Promise.resolve(null);
  return {
    async conclude({ replayed }) {
      const staged = await staging;
      if (capturing && staged === null && !isOvertaken) {
        await deps.captures.excludeChain(chain.chainId, nowMs);
      }
      const { nextStartAssetid, assetCount, endCheck } = page;
      const read = { staged, nextStartAssetid, assetCount, endCheck, replayed, nowMs };
      const next = advanceLiveChain(chain, read, deps.rules, evidenceDigest);
      if (capturing && next.evidence === null) {
        const failure = staged === null ? 'staging' : 'rules';
        capturesEnded.add(1, { reason: isOvertaken ? 'overtaken' : failure });
      }
      await keepCapture(deps, page, next, nowMs);
      return next;
    },
  };
}

const isLast = ({ nextStartAssetid }: ChainPage): boolean => nextStartAssetid === null;

/** Whether no other chain of the inventory has come to its end since this one began. */
function isFirstToEnd(
  { ends }: CapturePageDeps,
  { chain, owner: { scope, language } }: ChainPage,
  nowMs: number,
): boolean {
  const key = `${inventoryKeyText(scope)} ${language}`;
  const { chainId, startedAtMs } = chain;
  const ended = ends.get(key);
  if (ended && ended.chainId !== chainId && ended.atMs >= startedAtMs) return false;
  ends.set(key, { chainId, atMs: nowMs });
  return true;
}

async function stage(deps: CapturePageDeps, page: ChainPage): Promise<ManifestPage | null> {
  const { chainId: scanId, page: number } = page.chain;
  const { inventoryEpoch, members } = page;
  if (inventoryEpoch === null) return null;
  try {
    return await deps.staging.stagePage({ scanId, page: number, inventoryEpoch }, members);
  } catch (error) {
    deps.logger.info({ err: error, chainId: scanId, page: number }, 'page not captured');
    return null;
  }
}

/** A failure leaves the client with the page, and no revision is saved. */
async function keepCapture(
  { captures, rules, logger }: CapturePageDeps,
  { owner, totalCount: reportedTotalCount }: ChainPage,
  next: LiveChain,
  nowMs: number,
): Promise<void> {
  const capture = captureOf(next, owner, { nowMs, reportedTotalCount }, rules.settleWithinMs);
  if (capture === null) return;
  try {
    await captures.insertCapture(capture, nowMs);
  } catch (error) {
    capturesEnded.add(1, { reason: 'store' });
    logger.warn({ err: error, chainId: capture.chainId }, 'capture not stored');
  }
}
