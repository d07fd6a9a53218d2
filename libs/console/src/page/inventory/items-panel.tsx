import { useMemo, useState } from 'preact/hooks';
import { formatBytes, formatCredits, formatNumber } from '../format.ts';
import { SelectField, TextField } from '../parts/fields.tsx';
import { Empty, Tag } from '../parts/notices.tsx';
import { Panel } from '../parts/panel.tsx';
import { saveFile } from '../parts/save-file.ts';
import { type ItemChanges, markedFirst } from './changes.ts';
import { itemsCsv } from './item-csv.ts';
import { ItemGrid } from './item-grid.tsx';
import { filterItems, type SortOrder, sortItems, sortOrders } from './items.ts';
import type { LoadedItems, LoadProgress } from './load-items.ts';

/** How far a download is, before its items are shown. */
export function LoadPanel({
  progress: { rows, rowsTotal, bytes },
  onStop,
}: {
  progress: LoadProgress;
  onStop: () => void;
}) {
  const share = rowsTotal === 0 ? 0 : rows / rowsTotal;
  return (
    <Panel
      title="Items"
      actions={
        <button type="button" onClick={onStop}>
          Stop
        </button>
      }
    >
      <p role="status">
        {formatNumber(rows)} of {formatNumber(rowsTotal)} items, {formatBytes(bytes)}
      </p>
      <div class="bar" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </div>
    </Panel>
  );
}

export function ItemsPanel({
  loaded,
  isNewest,
  changes,
  name,
  picturesUrl,
  changesPrice,
  onMarkChanges,
}: {
  loaded: LoadedItems;
  /** Whether they are those of the newest revision that is known. */
  isNewest: boolean;
  changes: ItemChanges | null;
  /** Of a file. */
  name: string;
  picturesUrl: string | null;
  /** Null where no earlier revision is known, or the changes are marked. */
  changesPrice: number | null;
  onMarkChanges: () => void;
}) {
  const [filter, setFilter] = useState('');
  const [order, setOrder] = useState<SortOrder>('platform');
  const sorted = useMemo(() => sortItems(loaded.items, order), [loaded, order]);
  const shown = useMemo(() => {
    const found = filterItems(sorted, filter);
    return changes === null ? found : markedFirst(found, changes);
  }, [sorted, filter, changes]);
  return (
    <Panel
      title={`Items (${formatNumber(loaded.items.length)})`}
      actions={
        <>
          {changesPrice !== null && (
            <button type="button" onClick={onMarkChanges}>
              Mark what changed · {formatCredits(changesPrice)} a page
            </button>
          )}
          <button type="button" onClick={() => saveFile(`${name}.ndjson`, loaded.ndjson)}>
            Save NDJSON
          </button>
          <button
            type="button"
            onClick={() => saveFile(`${name}.csv`, new Blob([itemsCsv(loaded.items)]))}
          >
            Save CSV
          </button>
        </>
      }
    >
      <p class="small">
        {loaded.creditsCharged !== null && `${formatCredits(loaded.creditsCharged)} charged. `}
        Complete: {formatBytes(loaded.ndjson.size)}, and their SHA-256 is that of the service (
        <code>{loaded.sha256.slice(0, 12)}…</code>).
      </p>
      {!isNewest && (
        <p class="notice warn" role="status">
          A newer revision is saved: these are the items of the one before.
        </p>
      )}
      {changes !== null && <ChangesLine changes={changes} />}
      <div class="form">
        <div class="grow">
          <TextField
            label="Filter"
            type="search"
            placeholder="Name, type or asset id"
            value={filter}
            onValue={setFilter}
          />
        </div>
        <SelectField label="Sort" value={order} options={sortOrders} onValue={setOrder} />
        <p class="small" role="status">
          {formatNumber(shown.length)} shown
        </p>
      </div>
      {shown.length === 0 ? (
        <Empty>{loaded.items.length === 0 ? 'The inventory is empty.' : 'No item matches.'}</Empty>
      ) : (
        <ItemGrid
          key={`${order} ${filter}`}
          items={shown}
          changes={changes}
          picturesUrl={picturesUrl}
        />
      )}
    </Panel>
  );
}

function ChangesLine({
  changes: { added, changed, removed, creditsCharged },
}: {
  changes: ItemChanges;
}) {
  return (
    <div class="notice">
      <p role="status">
        Since the revision before: <Tag tone="good">{formatNumber(added.size)} added</Tag>{' '}
        <Tag tone="warn">{formatNumber(changed.size)} changed</Tag>{' '}
        <Tag tone="bad">{formatNumber(removed.length)} removed</Tag>{' '}
        <span class="muted">{formatCredits(creditsCharged)} charged</span>
      </p>
      {removed.length > 0 && (
        <details>
          <summary>Removed items</summary>
          <p class="id small">{removed.map(({ assetid }) => assetid).join(', ')}</p>
        </details>
      )}
    </div>
  );
}
