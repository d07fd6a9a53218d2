import type { OutgoingMessage } from '@inventory/messaging/bus';
import { inTrace } from '@inventory/runtime/tracing';
import type { Saga } from './open-saga.ts';
import type { Refresh } from './refresh.domain.ts';
import type { StagedPageRecord } from './refresh-document.ts';
import type { Fact } from './refresh-fact.domain.ts';
import { advance, type Effect } from './refresh-saga.domain.ts';
import { sagaMessages } from './saga-messages.ts';

/**
 * What sends the messages of a step again after a fault. `redelivery`: the Kafka record of the fact,
 * which is not committed without them. `resend`: they are the pending commands of the new phase
 * (`resend-work`); so are those of every fact of a timer or a worker, which nothing repeats.
 */
export type Repetition = 'redelivery' | 'resend';

export interface FactResult {
  readonly refresh: Refresh;
  readonly step: 'changed' | 'repeated' | 'ignored';
}

const attemptsMax = 20;

/**
 * Applies one fact to one refresh: load, decide, write once. Undefined when there is no such refresh.
 *
 * The first attempt is based on the cached refresh. It decides only changes: their write fails when
 * the cache is out of date. Everything else is decided by the stored refresh.
 */
export async function applyFact(
  saga: Saga,
  refreshId: string,
  fact: Fact,
  repetition: Repetition,
): Promise<FactResult | undefined> {
  const cached = saga.refreshes.cachedRefresh(refreshId);
  if (cached && advance(cached, fact).step === 'changed') {
    const result = await applyTo(saga, cached, fact, { repetition });
    if (result) return result;
  }
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const stored = await saga.refreshes.findRefresh(refreshId);
    if (!stored) return undefined;
    const result = await applyTo(saga, stored, fact, { repetition });
    if (result) return result;
  }
  throw new Error(`refresh ${refreshId} changes too often to be written`);
}

export interface Application {
  readonly repetition: Repetition;
  /** The staged pages, where the caller has them; otherwise they are read. */
  readonly pages?: readonly StagedPageRecord[];
  /** The last of them, to be recorded with the same write. */
  readonly lastPage?: StagedPageRecord;
}

/**
 * Applies a fact to a refresh as the caller read it; undefined when it changed meanwhile. Runs in the
 * trace of the refresh, also where a timer or a plan is the cause.
 */
export function applyTo(
  saga: Saga,
  refresh: Refresh,
  fact: Fact,
  application: Application,
): Promise<FactResult | undefined> {
  return inTrace(refresh.trace, () => write(saga, refresh, fact, application));
}

async function write(
  saga: Saga,
  refresh: Refresh,
  fact: Fact,
  application: Application,
): Promise<FactResult | undefined> {
  const decided = advance(refresh, fact);
  if (decided.step === 'ignored') return { refresh, step: 'ignored' };
  if (decided.step === 'repeated') {
    await sendEffects(saga, refresh, decided.send);
    return { refresh, step: 'repeated' };
  }
  const { next, isCertain } = decided;
  const messages = await messagesFor(saga, next, decided.send, application.pages);
  const { repetition, lastPage } = application;
  const beside = isCertain ? saga.publish(messages) : null;
  // Where the write fails they are sent again with the fact.
  beside?.catch(() => {});
  if (!(await saga.refreshes.saveStep(refresh, next, lastPage))) return undefined;
  if (refresh.phase !== next.phase) saga.entered(next, refresh.phase);
  const sent = beside ?? saga.publish(messages);
  if (repetition === 'redelivery') await sent;
  else await sent.catch((error: unknown) => notSent(saga, next, error));
  return { refresh: next, step: 'changed' };
}

function notSent({ logger }: Saga, { refreshId, phase }: Refresh, err: unknown): void {
  logger.warn({ err, refreshId, phase }, 'messages not sent, to be resent');
}

/** Sends the messages of these effects; stores nothing. */
export async function sendEffects(
  saga: Saga,
  refresh: Refresh,
  effects: readonly Effect[],
): Promise<void> {
  await saga.publish(await messagesFor(saga, refresh, effects));
}

async function messagesFor(
  { refreshes }: Saga,
  refresh: Refresh,
  effects: readonly Effect[],
  staged?: readonly StagedPageRecord[],
): Promise<OutgoingMessage[]> {
  const needsPages = effects.includes('complete_scan');
  const pages = needsPages ? (staged ?? (await refreshes.readStagedPages(refresh.refreshId))) : [];
  // Its scan was decided meanwhile: nothing waits for the manifest.
  return pages ? sagaMessages(refresh, effects, pages) : [];
}
