import {
  type AccountId,
  type ObservationId,
  observationId,
  type RevisionId,
  revisionId,
} from '@inventory/contracts/ids';
import { changeKey } from '@inventory/contracts/internal/changes';
import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import { z } from 'zod';
import { type CursorSealer, openOrRefuse } from '../http/sealed-cursor.ts';

/** What a chain of pages of changes is bound to. The page size may change. */
export interface ChangesChain {
  readonly accountId: AccountId;
  readonly scope: InventoryKey;
  readonly language: Language;
}

export interface ChangeCounts {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

/** Both revisions of a chain, what differs between them in all, and the key of the last change given. */
export interface ChangesPosition {
  readonly since: RevisionId;
  readonly revisionId: RevisionId;
  readonly observationId: ObservationId;
  readonly behind: string;
  readonly counts: ChangeCounts;
}

const count = z.int().min(0);
const content = z.tuple([revisionId, revisionId, observationId, changeKey, count, count, count]);

/** Bound to the route: a cursor of another route is invalid. */
function bindingOf({ accountId, scope, language }: ChangesChain): string[] {
  return ['changes', accountId, inventoryKeyText(scope), language];
}

export function sealChangesCursor(
  cursors: CursorSealer,
  chain: ChangesChain,
  { since, revisionId, observationId, behind, counts }: ChangesPosition,
): string {
  const { added, removed, changed } = counts;
  const position = [since, revisionId, observationId, behind, added, removed, changed];
  return cursors.seal(JSON.stringify(position), bindingOf(chain));
}

/** Refused as `invalid_cursor` where it was not issued for this chain. */
export function openChangesCursor(
  cursors: CursorSealer,
  chain: ChangesChain,
  cursor: string,
): ChangesPosition {
  const opened = content.parse(JSON.parse(openOrRefuse(cursors, cursor, bindingOf(chain))));
  const [since, revision, observation, behind, added, removed, changed] = opened;
  return {
    since,
    revisionId: revision,
    observationId: observation,
    behind,
    counts: { added, removed, changed },
  };
}
