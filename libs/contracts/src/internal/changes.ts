import { z } from 'zod';
import { canonicalDecimal } from '../http/parameters.ts';
import { observationId, revisionId } from '../ids.ts';
import { inventoryKey } from '../inventory-key.ts';
import { language } from '../languages.ts';
import { changeCounts, scanWindow } from '../messages/revision.ts';
import { pageAssetsMax } from '../vocabulary.ts';
import { orNull, time, wire } from '../wire.ts';
import { inventoryPaths } from './inventory.ts';

/** Path of the revision-store's internal API. */
export const changesPagePath = `${inventoryPaths.inventory}/changes` as const;

/** The position of a change in the order of all changes of an inventory. */
export const changeKey = z.string().min(1).max(100);

/** Query of GET /inventories/{platform_id}/{app_id}/{context_id}/changes of the revision-store. */
export const changesPageQuery = wire({
  since: revisionId,
  language,
  pageSize: canonicalDecimal(1, pageAssetsMax),
  /** What the first page led to, and the key of the last change given: all three on later pages. */
  revisionId: orNull(revisionId),
  observationId: orNull(observationId),
  afterKey: orNull(changeKey),
}).refine(
  (query) =>
    (query.revisionId === null) === (query.observationId === null) &&
    (query.revisionId === null) === (query.afterKey === null),
  {
    path: ['afterKey'],
    message: 'a pinned chain names its revision, its observation and its position',
  },
);

/** Header with {@link changesPageMeta} (JSON) of the page bytes. */
export const changesPageMetaHeader = 'x-changes-page';

/**
 * Metadata of a page of changes. The body is the text of the JSON members
 * `"added":[…],"removed":[…],"changed":[…],"descriptions":[…]`, ready to be sent.
 */
export const changesPageMeta = wire({
  scope: inventoryKey,
  fromRevisionId: revisionId,
  toRevisionId: revisionId,
  observationId,
  verifiedAtMs: time,
  scanWindow,
  /** The language of the descriptions. */
  language,
  /** Of the whole difference; null on later pages. */
  counts: changeCounts.nullable(),
  /** The key of the last change of the page; null on the last page. */
  lastKey: changeKey.nullable(),
});
export type ChangesPageMeta = z.output<typeof changesPageMeta>;
