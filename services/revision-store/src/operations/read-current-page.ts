import type { ObservationId, RevisionId } from '@inventory/contracts/ids';
import { packedPageBeginning } from '@inventory/contracts/internal/inventory';
import type { Language } from '@inventory/contracts/languages';
import type { ContentCoding } from '@inventory/contracts/vocabulary';
import { type PackedBeginning, packBeginning } from '@inventory/http/packed-body';
import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { keepTexts, partEnd, type TextPart } from '../domain/joined-texts.ts';
import { type Observation, textsFor } from '../domain/observation.ts';
import {
  type BlockRange,
  fittingRanges,
  neededLocals,
  nextPosition,
  type OutlinedRange,
  type PagePart,
  type PageRequest,
  pageBody,
  rangesOfPage,
  wholeBlock,
} from '../domain/page-body.ts';
import { isSupersededReadable, type Retention } from '../domain/retention.ts';
import type { BlockReading } from '../storage/block-cache.ts';
import type { AssetBlock, BlockTexts } from '../storage/block-store.ts';
import type { ObservationStore } from '../storage/observation-store.ts';
import type { ScopeStore } from '../storage/scope-store.ts';

export interface SelectObservationDeps {
  readonly scopes: Pick<ScopeStore, 'readHead'>;
  readonly observations: Pick<ObservationStore, 'findSuperseded'>;
  readonly clock: Clock;
  readonly settings: { readonly retention: Retention };
}

export interface ReadCurrentPageDeps extends SelectObservationDeps {
  readonly blocks: BlockReading;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface CurrentPageRequest {
  readonly scopeKey: string;
  readonly language: Language;
  readonly pageSize: number;
  readonly position: number;
  /** In which the page may be packed; null for none. */
  readonly coding: ContentCoding | null;
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
      /** The text of the members `assets` and `descriptions`, in pieces; or packed, in one. */
      readonly body: readonly Buffer[];
      readonly packed: PackedBeginning | null;
    }
  | { readonly result: 'no_revision' }
  | { readonly result: 'expired' }
  | { readonly result: 'beyond_end' };

/** Largest text of a page, unless one asset alone is larger: what is in memory at once is bounded. */
const pageBytesMax = 16 * 1024 * 1024;

/** Of a packed page that is kept. */
const packedBytesMax = 4 * 1024 * 1024;

/** Blocks can vanish between the observation and them once: by an erasure. */
const readsMax = 2;

/**
 * One page of the head, or of what a chain is pinned to. A commit that an erasure overtook may have
 * kept an observation whose blocks are gone: a chain that is pinned to it has expired.
 */
export async function readCurrentPage(
  deps: ReadCurrentPageDeps,
  request: CurrentPageRequest,
): Promise<CurrentPage> {
  for (let reads = 1; ; reads += 1) {
    const observation = await selectObservation(deps, request);
    if (observation === null) return { result: request.pinned ? 'expired' : 'no_revision' };
    const { totalCount } = observation.revision;
    if (request.position > 0 && request.position >= totalCount) return { result: 'beyond_end' };
    const page = await readPackedPage(deps, request, observation);
    if (page !== null) return page;
    if (reads < readsMax) continue;
    invariant(request.pinned !== null, 'the head lacks blocks');
    return { result: 'expired' };
  }
}

/**
 * A page that is a whole block leaves packed where its reader accepts that: packed at its first
 * reading and kept, well packed because it is paid once. Others are slices, left to their reader.
 */
async function readPackedPage(
  deps: ReadCurrentPageDeps,
  request: CurrentPageRequest,
  observation: Observation,
): Promise<CurrentPage | null> {
  const { coding, scopeKey: scope } = request;
  const paging = { ...request, ...observation.revision };
  const block = wholeBlock(paging);
  if (coding === null || block === null) return await readPage(deps, request, observation);
  const { language, sets } = setsOf(observation, request.language);
  const place = { ...sets, index: block.index, coding };
  const next = nextPosition(paging, [block]);
  const found = { result: 'page', observation, language, nextPosition: next } as const;
  const kept = await deps.blocks.readPacked(place);
  if (kept !== undefined) return { ...found, body: [kept.bytes], packed: kept };
  const page = await readPage(deps, request, observation);
  // One that would be too large ends before its block does.
  if (page?.result !== 'page' || page.nextPosition !== next) return page;
  const raw = Buffer.concat([Buffer.from(packedPageBeginning), ...page.body]);
  const packed = await packBeginning(coding, raw);
  if (packed.bytes.length > packedBytesMax) return page;
  await deps.blocks.keepPacked({ ...place, scope }, packed).catch((error: unknown) => {
    deps.logger.warn({ err: error }, 'packed page not kept');
  });
  return { ...found, body: [packed.bytes], packed };
}

/** The head, or what a chain is pinned to; null where it is not there, or is not readable any more. */
export async function selectObservation(
  { scopes, observations, clock, settings }: SelectObservationDeps,
  { scopeKey, pinned }: Pick<CurrentPageRequest, 'scopeKey' | 'pinned'>,
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
  { blocks }: ReadCurrentPageDeps,
  { position, pageSize, language: wanted }: CurrentPageRequest,
  observation: Observation,
): Promise<CurrentPage | null> {
  const { totalCount, blockAssets } = observation.revision;
  const request: PageRequest = { position, pageSize, totalCount, blockAssets };
  const { language, sets } = setsOf(observation, wanted);
  const outlined = await Promise.all(
    rangesOfPage(request).map((range) => readOutline(blocks, sets, range)),
  );
  if (!allPresent(outlined)) return null;
  const ranges = fittingRanges(outlined.map(toOutline), pageBytesMax);
  const parts: (PagePart | null)[] = [];
  for (const [at, range] of ranges.entries()) {
    const stored = outlined[at];
    parts.push(stored ? await readContent(blocks, { ...stored, range }) : null);
  }
  if (!allPresent(parts)) return null;
  return {
    result: 'page',
    observation,
    language,
    nextPosition: nextPosition(request, ranges),
    body: pageBody(parts),
    packed: null,
  };
}

/** The sets that hold the blocks of a page. */
interface PageSets {
  readonly revisionId: RevisionId;
  /** Of the rows, where they are not those of the revision. */
  readonly rowSetId: string | null;
  readonly textSetId: string;
}

function setsOf(
  observation: Observation,
  wanted: Language,
): { readonly language: Language; readonly sets: PageSets } {
  const { language, textSet } = textsFor(observation, wanted);
  invariant(textSet !== undefined, 'an observation has the texts of its own scan');
  const { textSetId, rowSetId } = textSet;
  return { language, sets: { revisionId: observation.revision.revisionId, rowSetId, textSetId } };
}

/** A run of a block's assets, with the first parts of the block. */
interface StoredRange {
  readonly range: BlockRange;
  readonly block: AssetBlock;
  readonly rows: StoredTexts;
  readonly texts: StoredTexts;
}

interface StoredTexts {
  readonly set: string;
  readonly index: number;
  readonly texts: BlockTexts;
}

async function readOutline(
  blocks: BlockReading,
  { revisionId, rowSetId, textSetId }: PageSets,
  range: BlockRange,
): Promise<StoredRange | null> {
  const { index } = range;
  const [block, own, texts] = await Promise.all([
    blocks.readAssets(revisionId, index),
    rowSetId === null ? undefined : blocks.readTexts(rowSetId, index),
    blocks.readTexts(textSetId, index),
  ]);
  const rows = rowSetId === null ? block?.assets : own;
  if (!block || !rows || !texts) return null;
  return {
    range,
    block,
    rows: { set: rowSetId ?? revisionId, index, texts: rows },
    texts: { set: textSetId, index, texts },
  };
}

function toOutline({ range, block, rows, texts }: StoredRange): OutlinedRange {
  const { assets: _assets, ...join } = block;
  return {
    range,
    outline: { ...join, assetLengths: rows.texts.lengths, textLengths: texts.texts.lengths },
  };
}

async function readContent(
  blocks: BlockReading,
  { range, block, rows, texts }: StoredRange,
): Promise<PagePart | null> {
  const { from, to } = range;
  const needed = neededLocals(range, block);
  const assets = await readParts(blocks, rows, (row) => row >= from && row < to);
  const descriptions = assets && (await readParts(blocks, texts, (row) => needed.has(row)));
  return descriptions && { range, content: { ...block, assets, texts: descriptions } };
}

/** The parts of a block that hold wanted texts, one after another; null when one is gone. */
async function readParts(
  blocks: BlockReading,
  { set, index, texts }: StoredTexts,
  wanted: (row: number) => boolean,
): Promise<TextPart[] | null> {
  const parts: TextPart[] = [];
  for (const [part, from] of texts.starts.entries()) {
    const lengths = texts.lengths.subarray(from, partEnd(texts.starts, part, texts.lengths.length));
    if (part === 0) {
      parts.push({ from, joined: { bytes: texts.first, lengths } });
    } else if (lengths.some((_, row) => wanted(from + row))) {
      const bytes = await blocks.readPart(set, index, part);
      if (!bytes) return null;
      parts.push({ from, joined: keepTexts({ bytes, lengths }, (row) => wanted(from + row)) });
    }
  }
  return parts;
}

function allPresent<Item>(items: readonly (Item | null)[]): items is readonly Item[] {
  return items.every((item) => item !== null);
}
