import type { OutgoingMessage } from '@inventory/messaging/bus';
import type { Clock } from '@inventory/runtime/clock';
import { sagaMessages } from '../clients/saga-messages.ts';
import type { Refresh } from '../domain/refresh.ts';
import { advance, type Effect, type Fact } from '../domain/refresh-saga.ts';
import type { RefreshStore, StoredRefresh } from '../storage/refresh-store.ts';

export interface SagaDependencies {
  readonly refreshes: RefreshStore;
  readonly publish: (messages: readonly OutgoingMessage[]) => Promise<void>;
  readonly clock: Clock;
  /** Looks at a refresh that just entered a new phase: wakes the scheduler, counts, logs. */
  readonly onChanged: (refresh: Refresh) => void;
  /** Publishes what waits in a refresh's outbox; what fails is left to the sweeper. */
  readonly flushOutbox: (refreshId: string) => Promise<void>;
}

/**
 * How the messages of a step leave. `publish`: at once; for facts that a Kafka record told, which
 * comes again if this process dies before they are acknowledged. `outbox`: with the same write,
 * for facts told by a timer, a worker or an operator, which nothing repeats.
 */
export type Departure = 'publish' | 'outbox';

export interface FactResult {
  readonly refresh: Refresh;
  readonly step: 'changed' | 'repeated' | 'ignored';
}

const attemptsMax = 20;

/**
 * Applies one fact to one refresh: load, decide, write once. Undefined when it is not known, or
 * when `concerns` says that the fact is not about what the refresh is now.
 */
export async function applyFact(
  dependencies: SagaDependencies,
  refreshId: string,
  fact: Fact,
  departure: Departure,
  concerns: (refresh: Refresh) => boolean = () => true,
): Promise<FactResult | undefined> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const stored = await dependencies.refreshes.find(refreshId);
    if (!stored || !concerns(stored.refresh)) return undefined;
    const result = await applyTo(dependencies, stored, fact, departure);
    if (result) return result;
  }
  throw new Error(`refresh ${refreshId} changes too often to be written`);
}

/** The same for a refresh that was just read; undefined when it changed meanwhile. */
export async function applyTo(
  dependencies: SagaDependencies,
  stored: StoredRefresh,
  fact: Fact,
  departure: Departure,
): Promise<FactResult | undefined> {
  const { refresh } = stored;
  const step = advance(refresh, fact);
  if (step.step === 'ignored') return { refresh, step: 'ignored' };
  if (step.step === 'repeated') {
    await sendEffects(dependencies, stored, step.send);
    return { refresh, step: 'repeated' };
  }
  const after = { ...stored, refresh: step.next };
  const messages = await messagesFor(dependencies, after, step.send);
  const inDocument = departure === 'outbox' ? messages : [];
  if (!(await dependencies.refreshes.save(refresh, step.next, inDocument))) return undefined;
  dependencies.onChanged(step.next);
  if (departure === 'publish') await dependencies.publish(messages);
  else await dependencies.flushOutbox(refresh.id);
  return { refresh: step.next, step: 'changed' };
}

/** Sends what these effects stand for, without changing anything. */
export async function sendEffects(
  dependencies: Pick<SagaDependencies, 'refreshes' | 'publish'>,
  stored: StoredRefresh,
  effects: readonly Effect[],
): Promise<void> {
  await dependencies.publish(await messagesFor(dependencies, stored, effects));
}

async function messagesFor(
  { refreshes }: Pick<SagaDependencies, 'refreshes'>,
  { refresh }: StoredRefresh,
  effects: readonly Effect[],
): Promise<OutgoingMessage[]> {
  const needsPages = effects.includes('complete_scan');
  const pages = needsPages ? await refreshes.pages(refresh.id) : [];
  return sagaMessages(refresh, effects, pages);
}
