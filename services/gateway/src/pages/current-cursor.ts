import type { AccountId, ObservationId, RevisionId } from '@inventory/contracts/ids';
import { observationId, revisionId } from '@inventory/contracts/ids';
import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import { z } from 'zod';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import type { PagePosition } from './revision-store-client.ts';

/** What a chain of Current pages is bound to. The page size may change. */
export interface CurrentChain {
  readonly accountId: AccountId;
  readonly scope: InventoryKey;
  readonly language: Language;
}

const content = z.tuple([revisionId, observationId, z.int().min(0)]);

/** Bound to the route: a cursor of another route is invalid. */
function bindingOf({ accountId, scope, language }: CurrentChain): string[] {
  return ['current', accountId, inventoryKeyText(scope), language];
}

export function sealCurrentCursor(
  cursors: CursorSealer,
  chain: CurrentChain,
  position: PagePosition,
): string {
  const { revisionId: revision, observationId: observation } = position;
  return cursors.seal(JSON.stringify([revision, observation, position.position]), bindingOf(chain));
}

/** Null for a cursor that was not issued for this chain. */
export function openCurrentCursor(
  cursors: CursorSealer,
  chain: CurrentChain,
  cursor: string,
): PagePosition | null {
  const opened = cursors.open(cursor, bindingOf(chain));
  if (opened === null) return null;
  const [revision, observation, position]: [RevisionId, ObservationId, number] = content.parse(
    JSON.parse(opened),
  );
  return { revisionId: revision, observationId: observation, position };
}
