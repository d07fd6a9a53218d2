import type { ObservationId, RevisionId } from '@inventory/contracts/ids';
import { invariant } from '@inventory/runtime/bug';
import type { Observation } from '../domain/observation.ts';
import { isSupersededReadable } from '../domain/retention.ts';
import type { InventoryReading } from './open-reading.ts';

export interface ObservedRead {
  readonly scopeKey: string;
  /** What the first of several reads selected; of any revision where that is null. */
  readonly pinned: {
    readonly revisionId: RevisionId | null;
    readonly observationId: ObservationId;
  } | null;
}

export type NoPage =
  | { readonly result: 'no_revision' }
  | { readonly result: 'expired' }
  | { readonly result: 'beyond_end' };

/** Blocks can vanish between the observation and them once: by an erasure. */
const readsMax = 2;

/**
 * What is read of the head, or of what the read is pinned to; null where its blocks are gone. A commit
 * that an erasure overtook may have kept an observation whose blocks are gone: a read that is pinned
 * to it has expired.
 */
export async function readObserved<Page>(
  reading: InventoryReading,
  request: ObservedRead,
  read: (observation: Observation) => Promise<Page | NoPage | null>,
): Promise<Page | NoPage> {
  for (let reads = 1; ; reads += 1) {
    const observation = await selectObservation(reading, request);
    if (observation === null) return { result: request.pinned ? 'expired' : 'no_revision' };
    const page = await read(observation);
    if (page !== null) return page;
    if (reads < readsMax) continue;
    invariant(request.pinned !== null, 'the head lacks blocks');
    return { result: 'expired' };
  }
}

/** What a read is pinned to, while it is readable; else the head. */
async function selectObservation(
  { scopes, observations, clock, retention }: InventoryReading,
  { scopeKey, pinned }: ObservedRead,
): Promise<Observation | null> {
  const head = await scopes.readHead(scopeKey);
  if (pinned === null) return head;
  if (head?.observationId === pinned.observationId) return matching(head, pinned.revisionId);
  const superseded = await observations.findSuperseded(scopeKey, pinned.observationId);
  if (superseded === null) return null;
  const { observation, supersededAtMs } = superseded;
  const readable = isSupersededReadable(supersededAtMs, clock.now(), retention);
  return readable ? matching(observation, pinned.revisionId) : null;
}

function matching(observation: Observation, revisionId: RevisionId | null): Observation | null {
  if (revisionId === null) return observation;
  return observation.revision.revisionId === revisionId ? observation : null;
}
