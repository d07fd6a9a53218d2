import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { z } from 'zod';
import type { ChainOwner } from '../captures/capture.domain.ts';
import type { LiveChain } from '../captures/live-chain.domain.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';

const content = z.tuple([
  z.int().min(0),
  z.uuid(),
  z.int().min(0),
  z.int().min(0),
  z.string().nullable(),
  z.string().nullable(),
  z.array(z.int().min(0)),
  z.string().nullable(),
]);

/** Bound to the route: a cursor of another route is invalid. */
function bindingOf({ accountId, scope, language }: ChainOwner): string[] {
  return ['live', accountId, inventoryKeyText(scope), language];
}

/** `nowMs` is the time of issue, from which its age counts. */
export function sealLiveCursor(
  cursors: CursorSealer,
  binding: ChainOwner,
  chain: LiveChain,
  nowMs: number,
): string {
  const { chainId, startedAtMs, page, startAssetid, previousStartAssetid } = chain;
  const place = [chainId, startedAtMs, page, startAssetid, previousStartAssetid];
  const text = JSON.stringify([nowMs, ...place, chain.replaced, chain.evidence]);
  return cursors.seal(text, bindingOf(binding));
}

/** Null for a cursor that was not issued for this account, inventory and language. */
export function openLiveCursor(
  cursors: CursorSealer,
  binding: ChainOwner,
  cursor: string,
): { readonly issuedAtMs: number; readonly chain: LiveChain } | null {
  const opened = cursors.open(cursor, bindingOf(binding));
  if (opened === null) return null;
  const [issuedAtMs, chainId, startedAtMs, page, startAssetid, before, replaced, evidence] =
    content.parse(JSON.parse(opened));
  const place = { page, startAssetid, previousStartAssetid: before };
  return { issuedAtMs, chain: { chainId, startedAtMs, ...place, replaced, evidence } };
}
