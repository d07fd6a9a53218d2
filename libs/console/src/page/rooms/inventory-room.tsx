import { useEffect, useRef, useState } from 'preact/hooks';
import { CallFailed } from '../api/call-api.ts';
import type { Prices, Scope, Summary } from '../api/wire-types.ts';
import { type ItemChanges, loadChanges } from '../inventory/changes.ts';
import { ItemsPanel, LoadPanel } from '../inventory/items-panel.tsx';
import { type LoadedItems, type LoadProgress, loadItems } from '../inventory/load-items.ts';
import { RefreshPanel } from '../inventory/refresh-panel.tsx';
import { SavedPanel } from '../inventory/saved-panel.tsx';
import { ScopeForm } from '../inventory/scope-form.tsx';
import { useRefresh } from '../inventory/use-refresh.ts';
import { FailureNotice } from '../parts/notices.tsx';
import { Panel } from '../parts/panel.tsx';
import { useAction } from '../parts/use-reading.ts';
import { useSession } from '../session.tsx';

/** An inventory as it is saved. */
interface Look {
  readonly scope: Scope;
  /** Null: nothing is saved. */
  readonly summary: Summary | null;
  readonly prices: Prices;
}

/** Free look, refresh, items, changes: each price is told before its click. */
export function InventoryRoom() {
  const { operations, environment, settings } = useSession();
  const look = useLook();
  const refresh = useRefresh();
  const items = useItems(look.known);
  const { known } = look;
  const { record } = refresh;
  const isOfThis = record !== null && known !== null && isSameScope(record.scope, known.scope);
  const { loaded } = items;
  // What changed leads to the newest revision: it is marked in the items of that one alone.
  const isNewest = loaded !== null && loaded.revisionId === known?.summary?.revision_id;
  const isOfRefresh = isOfThis && isNewest && record.revision_id === loaded.revisionId;
  const since = isOfRefresh ? sinceOf(record.links?.changes) : null;
  // What is saved is another one after the end of a refresh: that look is free.
  const ended = isOfThis && record.state === 'completed' ? record.refresh_id : null;
  // By its dependencies: once for each refresh that ends.
  useEffect(() => {
    if (ended !== null && known !== null) void look.at(known.scope);
  }, [ended]);
  const open = async (scope: Scope) => {
    items.clear();
    const summary = await look.at(scope);
    const pending = summary?.pending_refresh;
    refresh.follow(
      pending
        ? await operations.awaitRefresh(pending.refresh_id, 0).then(
            ({ data }) => data,
            () => null,
          )
        : null,
    );
  };
  return (
    <div class="stack">
      <Panel title="Which inventory">
        <ScopeForm
          label="Look, for free"
          isBusy={look.isBusy}
          onScope={(scope) => void open(scope)}
        />
        {look.failure && <FailureNotice failure={look.failure} />}
      </Panel>
      {known && (
        <SavedPanel
          summary={known.summary}
          prices={known.prices}
          isRefreshing={refresh.isBusy || (record !== null && record.state !== 'completed')}
          isLoading={items.progress !== null}
          onRefresh={() => void refresh.request(known.scope, known.prices.refresh.reservation)}
          onOpen={() => void items.load()}
        />
      )}
      {refresh.failure && <FailureNotice failure={refresh.failure} />}
      {isOfThis && (
        <RefreshPanel
          record={record}
          nowMs={environment.nowMs}
          onCancel={() => void refresh.cancel()}
        />
      )}
      {items.failure && <FailureNotice failure={items.failure} onRetry={() => void items.load()} />}
      {items.progress && <LoadPanel progress={items.progress} onStop={items.stop} />}
      {loaded && known && (
        <ItemsPanel
          loaded={loaded}
          isNewest={isNewest}
          changes={items.changes}
          name={`inventory-${Object.values(known.scope).join('-')}`}
          picturesUrl={settings.pictures_url}
          changesPrice={
            since === null || items.changes !== null ? null : known.prices.changes_page.page
          }
          onMarkChanges={() => void (since !== null && items.mark(since))}
        />
      )}
    </div>
  );
}

const isSameScope = (one: Scope, other: Scope) =>
  one.platform_id === other.platform_id &&
  one.app_id === other.app_id &&
  one.context_id === other.context_id;

/** The revision that a refresh replaced, of the link that it has. */
const sinceOf = (link: string | undefined): string | null =>
  link === undefined ? null : new URL(link, location.origin).searchParams.get('since');

function useLook() {
  const { operations } = useSession();
  const [known, setKnown] = useState<Look | null>(null);
  const { failure, isBusy, run } = useAction();
  return {
    known,
    failure,
    isBusy,
    async at(scope: Scope): Promise<Summary | null> {
      let found: Summary | null = null;
      await run(async () => {
        const [summary, prices] = await Promise.all([
          operations.summary(scope).catch(nothingSaved),
          operations.prices(),
        ]);
        found = summary?.data ?? null;
        setKnown({ scope, summary: found, prices: prices.data });
      });
      return found;
    },
  };
}

function nothingSaved(error: unknown): null {
  const isNone =
    error instanceof CallFailed &&
    error.failure.kind === 'refused' &&
    error.failure.code === 'inventory_revision_not_found';
  if (isNone) return null;
  throw error;
}

/** A key that was used as often as it is free: the next read is a new one. */
const isExhausted = (error: unknown) =>
  error instanceof CallFailed &&
  error.failure.kind === 'refused' &&
  error.failure.code === 'replays_exhausted';

/** The items of what was looked at; a retry of a cut download is free under its key. */
function useItems(look: Look | null) {
  const { api, operations, environment } = useSession();
  const [loaded, setLoaded] = useState<LoadedItems | null>(null);
  const [changes, setChanges] = useState<ItemChanges | null>(null);
  const [progress, setProgress] = useState<LoadProgress | null>(null);
  const { failure, run } = useAction();
  const stopping = useRef<AbortController | null>(null);
  /** By revision. */
  const keys = useRef(new Map<string, string>());
  const keyOf = (what: string) => {
    const key = keys.current.get(what) ?? environment.newKey();
    keys.current.set(what, key);
    return key;
  };
  return {
    loaded,
    changes,
    progress,
    failure,
    stop: () => stopping.current?.abort(),
    clear: () => {
      stopping.current?.abort();
      setLoaded(null);
      setChanges(null);
    },
    load: () =>
      run(async () => {
        if (look?.summary == null) return;
        const { revision_id: revision, total_count: rowsTotal } = look.summary;
        const controller = new AbortController();
        stopping.current = controller;
        setLoaded(null);
        setChanges(null);
        setProgress({ rows: 0, rowsTotal, bytes: 0 });
        const { signal } = controller;
        const loading = { idempotencyKey: keyOf(revision), signal, onProgress: setProgress };
        try {
          setLoaded(await loadItems(api, look.scope, loading));
          keys.current.delete(revision);
        } catch (error) {
          if (isExhausted(error)) keys.current.delete(revision);
          throw error;
        } finally {
          setProgress(null);
        }
      }),
    mark: (since: string) =>
      run(async () => {
        if (look === null) return;
        try {
          setChanges(await loadChanges(operations, look.scope, since, keyOf(since)));
        } catch (error) {
          if (isExhausted(error)) keys.current.delete(since);
          throw error;
        }
      }),
  };
}
