import {
  type ObservationId,
  observationId,
  type RevisionId,
  revisionId,
} from '@inventory/contracts/ids';
import { changeKey } from '@inventory/contracts/internal/changes';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { ChangeCounts } from '@inventory/contracts/messages/revision';
import { z } from 'zod';
import type { ChainOwner } from '../captures/capture.domain.ts';
import type { LiveChain } from '../captures/live-chain.domain.ts';
import { type CursorSealer, openOrRefuse } from '../http/sealed-cursor.ts';
import type { PinnedPosition } from './revision-store-client.ts';

/** A cursor of another route is invalid. The page size may change. */
function bindingOf(
  route: 'current' | 'changes' | 'live',
  { accountId, scope, language }: ChainOwner,
) {
  return [route, accountId, inventoryKeyText(scope), language];
}

const currentContent = z.tuple([revisionId, observationId, z.int().min(0)]);

export function sealCurrentCursor(
  cursors: CursorSealer,
  chain: ChainOwner,
  { revisionId: revision, observationId: observation, position }: PinnedPosition,
): string {
  const content = JSON.stringify([revision, observation, position]);
  return cursors.seal(content, bindingOf('current', chain));
}

/** Refused as `invalid_cursor` where it was not issued for this chain. */
export function openCurrentCursor(
  cursors: CursorSealer,
  chain: ChainOwner,
  cursor: string,
): PinnedPosition {
  const content = JSON.parse(openOrRefuse(cursors, cursor, bindingOf('current', chain)));
  const [revision, observation, position] = currentContent.parse(content);
  return { revisionId: revision, observationId: observation, position };
}

/** Both revisions of a chain, what differs between them in all, and the key of the last change given. */
export interface ChangesPosition {
  readonly since: RevisionId;
  readonly revisionId: RevisionId;
  readonly observationId: ObservationId;
  readonly afterKey: string;
  readonly counts: ChangeCounts;
}

const count = z.int().min(0);
const changesContent = z.tuple([
  revisionId,
  revisionId,
  observationId,
  changeKey,
  count,
  count,
  count,
]);

export function sealChangesCursor(
  cursors: CursorSealer,
  chain: ChainOwner,
  { since, revisionId: revision, observationId: observation, afterKey, counts }: ChangesPosition,
): string {
  const { added, removed, changed } = counts;
  const content = [since, revision, observation, afterKey, added, removed, changed];
  return cursors.seal(JSON.stringify(content), bindingOf('changes', chain));
}

/** Refused as `invalid_cursor` where it was not issued for this chain. */
export function openChangesCursor(
  cursors: CursorSealer,
  chain: ChainOwner,
  cursor: string,
): ChangesPosition {
  const content = JSON.parse(openOrRefuse(cursors, cursor, bindingOf('changes', chain)));
  const [since, revision, observation, afterKey, added, removed, changed] =
    changesContent.parse(content);
  const counts = { added, removed, changed };
  return { since, revisionId: revision, observationId: observation, afterKey, counts };
}

const liveContent = z.tuple([
  z.int().min(0),
  z.uuid(),
  z.int().min(0),
  z.int().min(0),
  z.string().nullable(),
  z.string().nullable(),
  z.array(z.int().min(0)),
  z.string().nullable(),
]);

/** `nowMs` is the time of issue, from which its age counts. */
export function sealLiveCursor(
  cursors: CursorSealer,
  binding: ChainOwner,
  chain: LiveChain,
  nowMs: number,
): string {
  const { chainId, startedAtMs, page, startAssetid, previousStartAssetid } = chain;
  const position = [chainId, startedAtMs, page, startAssetid, previousStartAssetid];
  const text = JSON.stringify([nowMs, ...position, chain.replaced, chain.evidence]);
  return cursors.seal(text, bindingOf('live', binding));
}

/** Null for a cursor that was not issued for this account, inventory and language. */
export function openLiveCursor(
  cursors: CursorSealer,
  binding: ChainOwner,
  cursor: string,
): { readonly issuedAtMs: number; readonly chain: LiveChain } | null {
  const opened = cursors.open(cursor, bindingOf('live', binding));
  if (opened === null) return null;
  const [issuedAtMs, chainId, startedAtMs, page, startAssetid, before, replaced, evidence] =
    liveContent.parse(JSON.parse(opened));
  const position = { page, startAssetid, previousStartAssetid: before };
  return { issuedAtMs, chain: { chainId, startedAtMs, ...position, replaced, evidence } };
}
