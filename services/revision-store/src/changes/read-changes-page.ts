import type { ObservationId, RevisionId } from '@inventory/contracts/ids';
import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import type { ChangeCounts } from '@inventory/contracts/messages/revision';
import { type Change, changeBytes, kindOf } from '../domain/change.ts';
import { type ChangeSet, judgeUnjoined, mintedAtMs, spansBetween } from '../domain/change-chain.ts';
import { changesBody } from '../domain/changes-body.ts';
import type { Observation } from '../domain/observation.ts';
import { isChangeSetReadable } from '../domain/retention.ts';
import type { InventoryReading } from '../reads/open-reading.ts';
import { BlocksGone, setsOf } from '../reads/read-blocks.ts';
import { readObserved } from '../reads/read-observed.ts';
import type { ChangeStore } from '../storage/change-store.ts';
import { asObserved } from './as-observed.ts';
import { type ComposedSets, composeChanges, findSets } from './compose-changes.ts';
import { describeChanges } from './describe-changes.ts';
import { keysIn } from './differ-from-head.ts';

export interface ChangesPageRequest {
  readonly scope: InventoryKey;
  readonly since: RevisionId;
  readonly language: Language;
  readonly pageSize: number;
  /** To which revision the first page led, and the key of the last change given; null for the first page. */
  readonly pinned: {
    readonly revisionId: RevisionId;
    readonly observationId: ObservationId;
    readonly afterKey: string;
  } | null;
}

export type ChangesRead =
  | {
      readonly result: 'page';
      readonly to: Observation;
      /** The language of the descriptions given. */
      readonly language: Language;
      /** Of the whole difference; null on later pages. */
      readonly counts: ChangeCounts | null;
      /** The key of the last change given; null on the last page. */
      readonly lastKey: string | null;
      readonly body: readonly Buffer[];
    }
  | { readonly result: 'no_revision' }
  | { readonly result: 'cursor_expired' }
  | { readonly result: 'unknown_revision' }
  | { readonly result: 'revision_expired'; readonly newest: RevisionId };

/** Largest text of a page, unless one change alone is larger. */
const pageBytesMax = 16 * 1024 * 1024;

/**
 * One page of what changed between a revision and the head, or the revision that a chain of pages is
 * pinned to. The changes are a function of the two revisions, and a page begins after a key: what is
 * committed meanwhile moves none of them.
 */
export async function readChanges(
  reading: InventoryReading,
  request: ChangesPageRequest,
): Promise<ChangesRead> {
  const { scope, pinned } = request;
  const scopeKey = inventoryKeyText(scope);
  const page = await readObserved(reading, { scopeKey, pinned }, async (to) => {
    const sets = await joiningSets(reading, scopeKey, request, to);
    if (sets === 'unjoined') {
      return pinned ? { result: 'expired' } : await refuse(reading, scopeKey, request);
    }
    return await readPage(reading, request, to, sets).catch((error: unknown) => {
      if (error instanceof BlocksGone) return null;
      throw error;
    });
  });
  if (page.result === 'expired' || page.result === 'beyond_end')
    return { result: 'cursor_expired' };
  return page;
}

/** The change sets that lead from one revision to the other, oldest first. */
async function joiningSets(
  { changes, clock, retention }: InventoryReading,
  scopeKey: string,
  { since, pinned }: ChangesPageRequest,
  { revision }: Observation,
): Promise<readonly ChangeSet[] | 'unjoined'> {
  const { chain, joins } = revision;
  if (since === revision.revisionId) return [];
  const direct = joins.find(({ from }) => from === since);
  if (direct) return [direct];
  const kept = await changes.findFrom(scopeKey, since);
  if (!chain || kept?.root !== chain.root) return 'unjoined';
  const readable = isChangeSetReadable(kept.supersededAtMs, clock.now(), retention);
  // A chain of pages that began in time is read to its end.
  if (!readable && pinned === null) return 'unjoined';
  const { fromOrdinal, toOrdinal } = kept;
  const spans = spansBetween(fromOrdinal ?? toOrdinal, chain.ordinal);
  const sets = await findSets(changes, chain.root, spans, joins);
  if (sets === null) return 'unjoined';
  return fromOrdinal === null ? [kept, ...sets] : sets;
}

async function refuse(
  { scopes, changes }: InventoryReading,
  scopeKey: string,
  { since }: ChangesPageRequest,
): Promise<ChangesRead> {
  const [known, oldest, kept] = await Promise.all([
    scopes.readKnownHead(scopeKey),
    changes.findOldest(scopeKey),
    changes.findFrom(scopeKey, since),
  ]);
  if (known === null) return { result: 'no_revision' };
  const { revisionId: newest } = known.head.revision;
  const untilMs = mintedAtMs(oldest?.to ?? newest);
  const judged = kept ? 'expired' : judgeUnjoined(since, { sinceMs: known.knownSinceMs, untilMs });
  return judged === 'expired'
    ? { result: 'revision_expired', newest }
    : { result: 'unknown_revision' };
}

async function readPage(
  reading: InventoryReading,
  { scope, language: wanted, pageSize, pinned }: ChangesPageRequest,
  to: Observation,
  sets: readonly ChangeSet[],
): Promise<ChangesRead> {
  const composed = { scope: inventoryKeyText(scope), sets, keyOf: keysIn(scope) };
  const counts = pinned ? null : await countOf(reading, composed);
  const afterKey = pinned?.afterKey ?? '';
  const changes: Change[] = [];
  let bytes = 0;
  let hasMore = false;
  const store = rememberBlocks(reading.changes);
  for await (const change of composeChanges(store, composed, afterKey)) {
    hasMore = changes.length > 0 && (changes.length === pageSize || bytes > pageBytesMax);
    if (hasMore) break;
    changes.push(change);
    bytes += changeBytes(change);
  }
  const { revision } = to;
  const { language, sets: seen } = setsOf(to, wanted, 'page');
  // The rows of the last step alone are those of the revision itself.
  const isLastStep = sets.length === 1 && sets[0]?.setId === revision.joins[0]?.setId;
  const observed =
    isLastStep && seen.rowSetId === null
      ? changes
      : await asObserved(reading, { ...composed, revision, sets: seen }, changes, pageBytesMax);
  const page = { ...composed, to, textSetId: seen.textSetId ?? '', afterKey };
  const described = await describeChanges(
    { ...reading, changes: store },
    page,
    observed,
    pageBytesMax,
  );
  const given = observed.slice(0, described.changes);
  const isLast = !hasMore && given.length === changes.length;
  return {
    result: 'page',
    to,
    language,
    counts,
    lastKey: isLast ? null : (given.at(-1)?.key ?? null),
    body: changesBody(given, described.texts),
  };
}

async function countOf(
  { changes }: InventoryReading,
  composed: ComposedSets,
): Promise<ChangeCounts> {
  const [only, second] = composed.sets;
  if (only && !second) return only.counts;
  const counts = { added: 0, removed: 0, changed: 0 };
  for await (const change of composeChanges(changes, composed, '')) counts[kindOf(change)] += 1;
  return counts;
}

/** A page reads a block for its rows, and again for what they need. */
function rememberBlocks(store: ChangeStore): ChangeStore {
  const read = new Map<string, ReturnType<ChangeStore['readBlockAfter']>>();
  return {
    ...store,
    readBlockAfter(position, key) {
      const id = `${position.set}/${key}`;
      const reading = read.get(id) ?? store.readBlockAfter(position, key);
      read.set(id, reading);
      return reading;
    },
  };
}
