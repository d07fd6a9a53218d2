import type { ObservationId, RevisionId } from '@inventory/contracts/ids';
import type { Language } from '@inventory/contracts/languages';
import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import { type Observation, type TextSet, textsFor } from '../domain/observation.ts';
import {
  nextPosition,
  type PagePart,
  type PageRequest,
  pageBody,
  rangesOfPage,
} from '../domain/page-body.ts';
import { isSupersededReadable, type Retention } from '../domain/retention.ts';
import { countPage } from '../metrics.ts';
import type { BlockReading } from '../storage/block-cache.ts';
import type { ObservationStore } from '../storage/observation-store.ts';
import type { ScopeStore } from '../storage/scope-store.ts';

export interface ReadCurrentPageDeps {
  readonly scopes: Pick<ScopeStore, 'readHead'>;
  readonly observations: Pick<ObservationStore, 'findSuperseded'>;
  readonly blocks: BlockReading;
  readonly clock: Clock;
  readonly settings: { readonly retention: Retention };
}

export interface CurrentPageRequest {
  readonly scopeKey: string;
  readonly language: Language;
  readonly pageSize: number;
  readonly position: number;
  /** What the first page of a chain selected. */
  readonly pinned: {
    readonly revisionId: RevisionId;
    readonly observationId: ObservationId;
  } | null;
}

export type CurrentPage =
  | {
      readonly result: 'page';
      readonly observation: Observation;
      /** The language of the descriptions given. */
      readonly language: Language;
      readonly nextPosition: number | null;
      /** The text of the members `assets` and `descriptions`, in pieces. */
      readonly body: readonly Buffer[];
    }
  | { readonly result: 'no_revision' }
  | { readonly result: 'expired' }
  | { readonly result: 'beyond_end' };

/** Blocks can vanish between the observation and them once: by an erasure. */
const readsMax = 2;

/** One page of the head, or of what a chain is pinned to. */
export async function readCurrentPage(
  deps: ReadCurrentPageDeps,
  request: CurrentPageRequest,
): Promise<CurrentPage> {
  for (let reads = 1; ; reads += 1) {
    const observation = await selectObservation(deps, request);
    if (observation === null) return { result: request.pinned ? 'expired' : 'no_revision' };
    const { totalCount } = observation.revision;
    if (request.position > 0 && request.position >= totalCount) return { result: 'beyond_end' };
    const page = await readPage(deps, request, observation);
    if (page !== null) return page;
    invariant(reads < readsMax, 'a readable observation lacks blocks');
  }
}

async function selectObservation(
  { scopes, observations, clock, settings }: ReadCurrentPageDeps,
  { scopeKey, pinned }: CurrentPageRequest,
): Promise<Observation | null> {
  const head = await scopes.readHead(scopeKey);
  if (pinned === null) return head;
  if (head?.observationId === pinned.observationId) return matching(head, pinned.revisionId);
  const superseded = await observations.findSuperseded(scopeKey, pinned.observationId);
  if (superseded === null) return null;
  const { observation, supersededAtMs } = superseded;
  const readable = isSupersededReadable(supersededAtMs, clock.now(), settings.retention);
  return readable ? matching(observation, pinned.revisionId) : null;
}

function matching(observation: Observation, revisionId: RevisionId): Observation | null {
  return observation.revision.revisionId === revisionId ? observation : null;
}

async function readPage(
  deps: ReadCurrentPageDeps,
  { position, pageSize, language: wanted }: CurrentPageRequest,
  observation: Observation,
): Promise<CurrentPage | null> {
  const { totalCount, blockAssets } = observation.revision;
  const request: PageRequest = { position, pageSize, totalCount, blockAssets };
  const { language, textSet } = textsFor(observation, wanted);
  invariant(textSet !== undefined, 'an observation has the texts of its own scan');
  const parts = await readParts(deps, observation, textSet, request);
  if (parts === null) return null;
  const body = pageBody(parts);
  countPage(body.reduce((bytes, piece) => bytes + piece.length, 0));
  return { result: 'page', observation, language, nextPosition: nextPosition(request), body };
}

async function readParts(
  { blocks }: ReadCurrentPageDeps,
  { revision }: Observation,
  { textSetId }: TextSet,
  request: PageRequest,
): Promise<PagePart[] | null> {
  const parts = await Promise.all(
    rangesOfPage(request).map(async (range) => {
      const [assetBlock, texts] = await Promise.all([
        blocks.readAssets(revision.revisionId, range.index),
        blocks.readTexts(textSetId, range.index),
      ]);
      return assetBlock && texts ? { range, content: { ...assetBlock, texts } } : null;
    }),
  );
  return parts.some((part) => part === null) ? null : parts.filter((part) => part !== null);
}
