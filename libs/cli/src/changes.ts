import type { Asset, ChangesPage, Description } from '@inventory/client/records';
import { cells, type InventoryFlags, inventoryScope, type Session } from './session.ts';

export interface ChangesFlags extends InventoryFlags {
  readonly since: string;
}

/** What changed since a revision; with `--json` a page of the API on each line. */
export async function showChanges(
  { client, printer, call }: Session,
  options: ChangesFlags,
  [platformId = '']: readonly string[],
): Promise<void> {
  const { since, language } = options;
  let now = since;
  const scope = inventoryScope(platformId, options);
  for await (const { page } of client.changes(scope, since, { ...call, language })) {
    now = page.to_revision_id;
    await printer.result(page, pageText(page));
  }
  printer.note(`To read on from here: --since ${now}`);
}

function pageText({ added, removed, changed, descriptions }: ChangesPage): string {
  const nameOf = namesIn(descriptions);
  const lines = [
    ...added.map((asset) => cells('+', asset.assetid, asset.amount, nameOf(asset))),
    ...removed.map(({ assetid, amount }) => cells('-', assetid, amount)),
    ...changed.map(({ asset, amount_before: before }) =>
      cells('~', asset.assetid, `${before} -> ${asset.amount}`, nameOf(asset)),
    ),
  ];
  return lines.length === 0 ? 'nothing changed' : lines.join('\n');
}

/** The name of an asset by the descriptions of its page. */
export function namesIn(descriptions: readonly Description[]) {
  const keyOf = ({ classid, instanceid }: Pick<Asset, 'classid' | 'instanceid'>) =>
    `${classid}_${instanceid}`;
  const names = new Map(descriptions.map((one) => [keyOf(one), one.market_hash_name]));
  return (asset: Asset) => names.get(keyOf(asset));
}
