import type { exportColumns } from '@inventory/contracts/vocabulary';
import { type CsvCell, csvLine } from '@inventory/runtime/csv-text';
import type { Item } from './items.ts';

type Column = (typeof exportColumns)[keyof typeof exportColumns][number];

/** The columns of the service's own CSV, in its order. */
const cells: readonly (readonly [Column, (item: Item) => CsvCell | undefined])[] = [
  ['assetid', ({ asset }) => asset.assetid],
  ['classid', ({ asset }) => asset.classid],
  ['instanceid', ({ asset }) => asset.instanceid],
  ['appid', ({ asset }) => asset.appid],
  ['contextid', ({ asset }) => asset.contextid],
  ['amount', ({ asset }) => asset.amount],
  ['currencyid', ({ asset }) => asset.currencyid],
  ['market_hash_name', ({ kind }) => kind?.marketHashName],
  ['name', ({ kind }) => kind?.name],
  ['type', ({ kind }) => kind?.type],
  ['tradable', ({ kind }) => kind?.tradable],
  ['marketable', ({ kind }) => kind?.marketable],
];

/** The items as the export of the API writes them: a browser cannot read the trailer with its digest. */
export function itemsCsv(items: readonly Item[]): string {
  const header = csvLine(cells.map(([column]) => column));
  return (
    header + items.map((item) => csvLine(cells.map(([, read]) => read(item) ?? null))).join('')
  );
}
