import type { AccountId } from '@inventory/contracts/ids';
import type { Scope } from '@inventory/contracts/scope';
import type { KeyedSemaphore } from '@inventory/runtime/semaphore';
import { pause } from '@inventory/runtime/wait';
import { type PageReadingDeps, readPage } from '../egress/read-page.ts';
import { asksFirstPage, avoidedIdentities, type PageRules } from '../scans/page-verdicts.domain.ts';
import {
  afterLiveAnswer,
  beginLivePage,
  type LiveOutcome,
  type LiveReading,
  outOfTime,
} from './live-page.domain.ts';

export interface WantedLivePage {
  readonly accountId: AccountId;
  readonly scope: Scope;
  readonly language: string;
  readonly count: number;
  readonly startAssetId: string | null;
  /** The whole of it: waiting for an identity, every try, and the confirmation of a denial. */
  readonly timeLeftMs: number;
}

export interface LivePageDeps {
  readonly reading: PageReadingDeps;
  /** Live pages read at the same time: those of one account never take the room of all. */
  readonly limiter: Pick<KeyedSemaphore<AccountId>, 'acquire'>;
  readonly rules: PageRules;
}

/** With less than this left no request is begun: it would spend a slot and bring nothing. */
const requestMinMs = 500;

const trouble = (of: Extract<LiveOutcome, { result: 'trouble' }>['trouble']): LiveOutcome => ({
  result: 'trouble',
  trouble: of,
});

/**
 * Reads one page from the platform for a client that waits. Nothing is kept of it: a crash ends
 * the client's request and no more. The signal is aborted when nobody waits any longer.
 */
export async function readLivePage(
  deps: LivePageDeps,
  wanted: WantedLivePage,
  signal: AbortSignal,
): Promise<LiveOutcome> {
  const permit = deps.limiter.acquire(wanted.accountId);
  if (!permit.granted) return trouble('egress_busy');
  try {
    return await readWithin(deps, wanted, signal);
  } finally {
    permit.release();
  }
}

async function readWithin(
  deps: LivePageDeps,
  wanted: WantedLivePage,
  signal: AbortSignal,
): Promise<LiveOutcome> {
  const { reading, rules } = deps;
  const answerByMs = reading.monotonicNow() + wanted.timeLeftMs;
  const beginBy = AbortSignal.timeout(Math.max(0, Math.floor(wanted.timeLeftMs - requestMinMs)));
  const waiting = AbortSignal.any([signal, beginBy]);
  const identities = reading.egress.map(({ id }) => id);
  let state: LiveReading = beginLivePage(wanted.startAssetId, { count: wanted.count });
  for (;;) {
    if (!(await reading.breakers.admits(wanted.scope.app_id))) return trouble('breaker_open');
    const result = await readPage(
      reading,
      {
        accountId: wanted.accountId,
        scope: wanted.scope,
        language: wanted.language,
        count: state.tries.size.count,
        startAssetId: asksFirstPage(state.tries) ? null : state.startAssetId,
        deadlineMs: null,
        avoid: avoidedIdentities(state.tries, identities),
        answerByMs,
      },
      waiting,
    );
    if (!result) return outOfTime(state);
    const asked = { identity: result.identityId, identities };
    const step = afterLiveAnswer(state, asked, result.answer, rules);
    for (const identityId of step.rests) await reading.identities.rest(identityId);
    if (step.outcome) return step.outcome;
    state = step.reading;
    if (step.pauseMs > 0) await pause(step.pauseMs, waiting);
  }
}
