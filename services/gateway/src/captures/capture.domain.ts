import type { AccountId } from '@inventory/contracts/ids';
import type { Language } from '@inventory/contracts/languages';
import type { Scope } from '@inventory/contracts/scope';
import type { PendingCommand } from '../commands/pending-command.domain.ts';
import type { LiveChain } from './live-chain.domain.ts';

/** Whose chain it is and what it reads: the same from its first page to its last. */
export interface ChainOwner {
  readonly accountId: AccountId;
  readonly scope: Scope;
  readonly language: Language;
}

/** A chain that was read to its end: what it takes to have its pages saved as a revision. */
export interface Capture extends ChainOwner {
  readonly chainId: string;
  readonly startedAtMs: number;
  readonly completedAtMs: number;
  /** The platform's own count; hidden items make it larger than what can be seen. */
  readonly reportedTotalCount: number;
  /** What the staged pages must prove. */
  readonly evidence: string;
  /** From here on it is given up: a page of it is still neither delivered nor undone. */
  readonly giveUpAtMs: number;
}

/** A capture that waits until every page of its chain is known to be paid. */
export interface PendingCapture extends Capture, PendingCommand {}

/** Chains are scans that one worker read from beginning to end. */
export const captureEpoch = 1;

const firstLookMs = 250;
const lookAgainMaxMs = 10_000;

/** Null unless the chain has just ended and captured every page of it. */
export function captureOf(
  chain: LiveChain,
  owner: ChainOwner,
  end: { readonly nowMs: number; readonly reportedTotalCount: number },
  settleWithinMs: number,
): Capture | null {
  if (chain.startAssetid !== null || chain.evidence === null || chain.page === 0) return null;
  const { accountId, scope, language } = owner;
  // A chain carried on by a replica whose clock is behind must not end before it began.
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
    giveUpAtMs: end.nowMs + settleWithinMs,
  };
}

/** The last page's own first byte comes first; then sooner at first, later as time goes by. */
export function captureDueAtMs(nowMs: number, looks: number): number {
  return nowMs + Math.min(firstLookMs * 2 ** Math.min(looks, 16), lookAgainMaxMs);
}
