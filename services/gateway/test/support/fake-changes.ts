import {
  type ChangesPageMeta,
  changesPageMeta,
  changesPageMetaHeader,
} from '@inventory/contracts/internal/changes';
import type { CurrentPageMeta } from '@inventory/contracts/internal/inventory';
import { z } from 'zod';
import { type FakeResponse, refusalResponse } from './http-fake.ts';

type SavedMeta = Omit<CurrentPageMeta, 'nextPosition' | 'packed'>;

/** A page of changes: since any other revision, each page of the saved inventory was added. */
export function changesOf(
  saved: { readonly meta: SavedMeta; readonly pages: readonly string[] } | undefined,
  query: URLSearchParams,
): FakeResponse {
  const [since, pinned] = [query.get('since'), query.get('revision_id')];
  if (pinned !== null && pinned !== saved?.meta.revisionId) {
    return refusalResponse({ code: 'cursor_expired' });
  }
  if (saved === undefined) return refusalResponse({ code: 'inventory_revision_not_found' });
  const { revisionId } = saved.meta;
  const isSame = since === revisionId;
  const position = Number(query.get('after_key') ?? 0);
  const text = saved.pages[position];
  const { assets: added, descriptions } =
    text === undefined || isSame ? { assets: [], descriptions: [] } : JSON.parse(`{${text}}`);
  const next = position + 1 < saved.pages.length && !isSame ? String(position + 1) : null;
  const counts = { added: isSame ? 0 : saved.pages.length, removed: 0, changed: 0 };
  const meta: ChangesPageMeta = {
    ...saved.meta,
    fromRevisionId: since as ChangesPageMeta['fromRevisionId'],
    toRevisionId: revisionId,
    counts: pinned === null ? counts : null,
    lastKey: next,
  };
  return {
    status: 200,
    headers: { [changesPageMetaHeader]: JSON.stringify(z.encode(changesPageMeta, meta)) },
    body: JSON.stringify({ added, removed: [], changed: [], descriptions }).slice(1, -1),
  };
}
