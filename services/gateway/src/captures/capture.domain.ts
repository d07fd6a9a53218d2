import type { AccountId } from '@inventory/contracts/ids';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import type { LiveChain } from './live-chain.domain.ts';

/** Account and inventory of a chain: the same from its first page to its last. */
export interface ChainOwner {
  readonly accountId: AccountId;
  readonly scope: InventoryKey;
  readonly language: Language;
}

/** A chain that was read to its end, with what is needed to save its pages as a revision. */
export interface Capture extends ChainOwner {
  readonly chainId: string;
  readonly startedAtMs: number;
  readonly completedAtMs: number;
  /** Count reported by the platform; it includes hidden items. */
  readonly reportedTotalCount: number;
  /** Digest that the staged pages must reproduce. */
  readonly evidence: string;
  /** Staged pages that another one replaces. */
  readonly replaced: readonly number[];
  /** Deadline of the capture: a page of the chain still has an open intent. */
  readonly giveUpAtMs: number;
}

/** Chains are scans with a single worker, so their epoch never increases. */
export const captureEpoch = 1;

/** Clocks of replicas differ by less. */
const clocksDifferMs = 300_000;

/** At its deadline, and where a clock that was ahead wrote it: the times of its scan are as wrong. */
export function isGivenUp(
  { giveUpAtMs }: Pick<Capture, 'giveUpAtMs'>,
  nowMs: number,
  settleWithinMs: number,
): boolean {
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
    startedAtMs: chain.startedAtMs,
    completedAtMs,
    reportedTotalCount: end.reportedTotalCount,
    evidence: chain.evidence,
    replaced: chain.replaced,
    giveUpAtMs: end.nowMs + settleWithinMs,
  };
}
