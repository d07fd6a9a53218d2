import { hash } from 'node:crypto';
import type { LivePageMeta } from '@inventory/contracts/internal/live-page';
import type { ManifestPage } from '@inventory/contracts/messages/revision';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
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
 *    of the chain has an open intent.
 */
export function beginPageCapture(deps: CapturePageDeps, page: ChainPage): PageCapture {
  const { chain } = page;
  const nowMs = deps.clock.now();
  const capturing = isCapturing(chain, deps.rules, nowMs);
  const staging = capturing ? stage(deps, page) : Promise.resolve(null);
  return {
    async conclude({ replayed }) {
      const staged = await staging;
      if (capturing && staged === null) await deps.captures.excludeChain(chain.chainId, nowMs);
      const { nextStartAssetid, assetCount, endCheck } = page;
      const read = { staged, nextStartAssetid, assetCount, endCheck, replayed, nowMs };
      const next = advanceLiveChain(chain, read, deps.rules, evidenceDigest);
      if (capturing && next.evidence === null) {
        capturesEnded.add(1, { reason: staged === null ? 'staging' : 'rules' });
      }
      await keepCapture(deps, page, next, nowMs);
      return next;
    },
  };
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
