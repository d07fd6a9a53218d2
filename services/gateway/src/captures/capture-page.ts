import { hash } from 'node:crypto';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { chainEnded } from '../metrics.ts';
import { type Capture, type ChainOwner, captureOf } from './capture.domain.ts';
import {
  advanceLiveChain,
  type CaptureRules,
  type DigestOf,
  isCapturing,
  type LiveChain,
  type StagedPage,
} from './live-chain.domain.ts';

/** A page of a chain on its way to the customer. */
export interface ChainPage {
  readonly chain: LiveChain;
  readonly owner: ChainOwner;
  /** The text of `"assets":[…],"descriptions":[…]`, as it is sent. */
  readonly members: Buffer;
  readonly nextStartAssetid: string | null;
  readonly assetCount: number;
  readonly reportedTotalCount: number;
}

export interface CapturePageDeps {
  readonly staging: {
    /** Rejects when the page is not durable, or was staged before with other contents. */
    stagePage(chainId: string, page: number, members: Buffer): Promise<StagedPage>;
  };
  readonly captures: {
    /** Does nothing for a chain that waits already or must not be captured. */
    insertCapture(capture: Capture, nowMs: number): Promise<void>;
    /** From here on the chain is never captured. */
    excludeChain(chainId: string, nowMs: number): Promise<void>;
  };
  readonly rules: CaptureRules & { readonly settleWithinMs: number };
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A page that is being staged beside its charge. */
export interface PageCapture {
  /**
   * Where the chain stands after this page. To be awaited once the page is known to be paid and
   * before its first byte is written: what has to be durable by then is durable. Never called for
   * a page that is not delivered.
   */
  conclude(read: { readonly replayed: boolean }): Promise<LiveChain>;
}

/** How the evidence of chains is made. */
export const evidenceDigest: DigestOf = (text) => hash('sha256', text, 'base64url');

/**
 * Begins to stage a page of a chain that captures. Nothing the capture meets ends the reading:
 *
 * 1. the page is staged while its charge is decided. A crash leaves what the store forgets;
 * 2. a page that could not be staged, or not as before, ends the capture for every cursor of the
 *    chain, and that is durable before the page's first byte;
 * 3. after the last page the capture is durable before its first byte. It is sent by whichever
 *    replica finds that no page of the chain is still to be paid or undone.
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
      const { nextStartAssetid, assetCount } = page;
      const read = { staged, nextStartAssetid, assetCount, replayed, nowMs };
      const next = advanceLiveChain(chain, read, deps.rules, evidenceDigest);
      if (capturing && next.evidence === null) chainEnded(staged === null ? 'staging' : 'rules');
      await keepCapture(deps, page, next, nowMs);
      return next;
    },
  };
}

async function stage(deps: CapturePageDeps, page: ChainPage): Promise<StagedPage | null> {
  const { chainId, page: number } = page.chain;
  try {
    return await deps.staging.stagePage(chainId, number, page.members);
  } catch (error) {
    deps.logger.info({ err: error, chain_id: chainId, page: number }, 'page not captured');
    return null;
  }
}

/** Where it fails the customer has the page all the same, and no revision. */
async function keepCapture(
  { captures, rules, logger }: CapturePageDeps,
  { owner, reportedTotalCount }: ChainPage,
  next: LiveChain,
  nowMs: number,
): Promise<void> {
  const capture = captureOf(next, owner, { nowMs, reportedTotalCount }, rules.settleWithinMs);
  if (capture === null) return;
  try {
    await captures.insertCapture(capture, nowMs);
  } catch (error) {
    chainEnded('store');
    logger.warn({ err: error, chain_id: capture.chainId }, 'capture not kept');
  }
}
