import { type ChangesPageMeta, changesPageMetaHeader } from '@inventory/contracts/internal/changes';
import type { CurrentPageMeta } from '@inventory/contracts/internal/inventory';
import { type FakeAnswer, refusalAnswer } from './http-fake.ts';

type SavedMeta = Omit<CurrentPageMeta, 'next_position' | 'packed'>;

/** A page of changes: since any other revision, each page of the saved inventory was added. */
export function changesOf(
  saved: { readonly meta: SavedMeta; readonly pages: readonly string[] } | undefined,
  query: URLSearchParams,
): FakeAnswer {
  const [since, pinned] = [query.get('since'), query.get('revision_id')];
  if (pinned !== null && pinned !== saved?.meta.revision_id) {
    return refusalAnswer({ code: 'cursor_expired' });
  }
  if (saved === undefined) return refusalAnswer({ code: 'inventory_revision_not_found' });
  const { scope, revision_id, observation_id, verified_at, scan_window, language } = saved.meta;
  const isSame = since === revision_id;
  const position = Number(query.get('behind') ?? 0);
  const text = saved.pages[position];
  const { assets: added, descriptions } =
    text === undefined || isSame ? { assets: [], descriptions: [] } : JSON.parse(`{${text}}`);
  const next = position + 1 < saved.pages.length && !isSame ? String(position + 1) : null;
  const counts = { added: isSame ? 0 : saved.pages.length, removed: 0, changed: 0 };
  const meta: ChangesPageMeta = {
    scope,
    verified_at,
    scan_window,
    language,
    observation_id,
    from_revision_id: since as ChangesPageMeta['from_revision_id'],
    to_revision_id: revision_id,
    counts: pinned === null ? counts : null,
    last_key: next,
  };
  return {
    status: 200,
    headers: { [changesPageMetaHeader]: JSON.stringify(meta) },
    body: JSON.stringify({ added, removed: [], changed: [], descriptions }).slice(1, -1),
  };
}
