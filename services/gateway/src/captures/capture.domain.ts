import { revisionScanCompleted } from '@inventory/contracts/messages/revision';
import { z } from 'zod';
import type { LiveChain } from './live-chain.domain.ts';

const scan = revisionScanCompleted.out;

/** Account and inventory of a chain: the same from its first page to its last. */
const chainOwner = scan.pick({ accountId: true, scope: true, language: true });
export type ChainOwner = Readonly<z.infer<typeof chainOwner>>;

/** A chain that was read to its end, with what is needed to save its pages as a revision. */
export const capture = chainOwner.extend({
  chainId: z.string(),
  scanWindow: scan.shape.scanWindow,
  /** Count reported by the platform; it includes hidden items. */
  reportedTotalCount: z.int(),
  /** Digest that the staged pages must reproduce. */
  evidence: z.string(),
  /** Staged pages that another one replaces. */
  replaced: z.array(z.int()).readonly(),
  /** Deadline of the capture: a page of the chain still has an open intent. */
  giveUpAtMs: z.number(),
});
export type Capture = Readonly<z.infer<typeof capture>>;

/** Chains are scans with a single worker, so their epoch never increases. */
export const captureEpoch = 1;

/** Clocks of replicas differ by less. */
const clocksDifferMs = 300_000;

/** At its deadline, and where a clock that was ahead wrote it: the times of its scan are as wrong. */
export function isGivenUp({ giveUpAtMs }: Capture, nowMs: number, settleWithinMs: number): boolean {
  return giveUpAtMs <= nowMs || giveUpAtMs > nowMs + settleWithinMs + clocksDifferMs;
}

/** Null unless the chain has ended with every page captured. */
export function captureOf(
  chain: LiveChain,
  owner: ChainOwner,
  end: { readonly nowMs: number; readonly reportedTotalCount: number },
  settleWithinMs: number,
): Capture | null {
  if (chain.startAssetid !== null || chain.evidence === null || chain.page === 0) return null;
  const { accountId, scope, language } = owner;
  // A chain continued by a replica with a slow clock must not end before it began.
  const completedAtMs = Math.max(chain.startedAtMs, end.nowMs);
  return {
    chainId: chain.chainId,
    accountId,
    scope,
    language,
    scanWindow: { startedAtMs: chain.startedAtMs, completedAtMs },
    reportedTotalCount: end.reportedTotalCount,
    evidence: chain.evidence,
    replaced: chain.replaced,
    giveUpAtMs: end.nowMs + settleWithinMs,
  };
}
