import type { AccountId } from '@inventory/contracts/ids';
import type { Scope } from '@inventory/contracts/scope';
import { invariant } from '@inventory/runtime/bug';
import type { EnqueueComputation } from '@inventory/runtime/computation-queue';
import type { EgressIdentity } from './egress-agent.ts';
import type { SlotResult } from './egress-identity.domain.ts';
import type { EgressPool } from './egress-pool.ts';
import {
  classifyAnswer,
  type FaultReason,
  type PlatformAnswer,
  type RawPlatformAnswer,
} from './platform-answer.domain.ts';
import type { PlatformClient } from './platform-client.ts';
import type { AppBreakers } from './watch-app-breakers.ts';

export interface PageReading {
  readonly accountId: AccountId;
  readonly scope: Scope;
  readonly language: string;
  readonly count: number;
  readonly startAssetId: string | null;
  /** When its scan has to be complete; null for a live page. */
  readonly deadlineMs: number | null;
  readonly avoid: readonly string[];
  /** On the monotonic clock; absent where the platform's own time limit is all there is. */
  readonly answerByMs?: number;
}

export interface PageReadingDeps {
  readonly identities: EgressPool;
  readonly egress: readonly EgressIdentity[];
  readonly platform: PlatformClient;
  readonly breakers: AppBreakers;
  /** For what takes long to read. */
  readonly enqueueComputation: EnqueueComputation;
  /** An identity that could not be given back is free once its request is certainly over. */
  readonly onNotReturned: (error: unknown) => void;
  readonly onAnswer: (answer: PlatformAnswer, purpose: 'scan' | 'live', durationMs: number) => void;
  readonly monotonicNow: () => number;
}

export interface PageReadingResult {
  readonly answer: PlatformAnswer;
  readonly identityId: string;
}

/**
 * Asks the platform for one page through an identity that is free, and reports the result to
 * limiter and breakers. A live page does not wait for the limiter's write. Undefined when the
 * signal is aborted before an identity is free.
 */
export async function readPage(
  deps: PageReadingDeps,
  reading: PageReading,
  signal: AbortSignal,
): Promise<PageReadingResult | undefined> {
  const { accountId, deadlineMs, avoid } = reading;
  const isLive = deadlineMs === null;
  const turn = await deps.identities.take({ accountId, deadlineMs, avoid }, signal);
  if (!turn) return undefined;
  const identity = deps.egress.find(({ id }) => id === turn.identityId);
  invariant(identity !== undefined, 'turns are only given for configured identities');
  const startMs = deps.monotonicNow();
  const timeoutMs = deps.platform.timeoutMsFor(
    (reading.answerByMs ?? Number.POSITIVE_INFINITY) - startMs,
  );
  const report = deps.breakers.begin(reading);
  const raw = await deps.platform.page(identity, reading, timeoutMs);
  const answer = isLarge(raw)
    ? await deps.enqueueComputation(() => classifyAnswer(raw))
    : classifyAnswer(raw);
  deps.onAnswer(answer, isLive ? 'live' : 'scan', deps.monotonicNow() - startMs);
  const returned = turn.release(verdictOf(answer));
  if (isLive) returned.catch(deps.onNotReturned);
  else await returned;
  if (isEvidence(raw, timeoutMs, deps.platform)) {
    await report(answer);
  }
  return { answer, identityId: turn.identityId };
}

const largeBytesMin = 64 * 1024;

function isLarge(raw: RawPlatformAnswer): boolean {
  return 'body' in raw && raw.body.length >= largeBytesMin;
}

/** Not having answered within the little time that was left says nothing about an application. */
function isEvidence(raw: RawPlatformAnswer, timeoutMs: number, platform: PlatformClient): boolean {
  const cutShort = timeoutMs < platform.timeoutMsFor(Number.POSITIVE_INFINITY) / 2;
  return raw.status !== 'timeout' || !cutShort;
}

/** A denial may be a block page: it says nothing about the identity until another one is asked. */
function verdictOf(answer: PlatformAnswer): SlotResult {
  switch (answer.kind) {
    case 'page':
      return { verdict: 'served' };
    case 'throttled':
      return { verdict: 'throttled', retryAfterMs: answer.retryAfterMs };
    case 'unreachable':
      return { verdict: 'unreachable' };
    case 'fault':
      return { verdict: isAnswered(answer.reason) ? 'answered' : 'unknown' };
    default:
      return { verdict: 'answered' };
  }
}

function isAnswered(reason: FaultReason): boolean {
  return reason !== 'timeout' && reason !== 'connection_failed';
}
