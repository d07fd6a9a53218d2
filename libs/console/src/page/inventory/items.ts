import type { Asset, Description } from '../api/wire-types.ts';

/** What the grid and the CSV show of the descriptions of one `classid` and `instanceid`. */
export interface ItemKind {
  readonly marketHashName: string | null;
  readonly name: string | null;
  readonly type: string | null;
  readonly tradable: number | null;
  readonly marketable: number | null;
  /** Path of its picture at the picture host. */
  readonly icon: string | null;
  /** In lower case: what a filter searches. */
  readonly searched: string;
}

/** One row: an item instance. */
export interface Item {
  readonly asset: Pick<
    Asset,
    'assetid' | 'classid' | 'instanceid' | 'appid' | 'contextid' | 'amount' | 'currencyid'
  >;
  readonly kind: ItemKind | null;
}

export const kindKey = ({ classid, instanceid }: Pick<Asset, 'classid' | 'instanceid'>) =>
  `${classid}_${instanceid}`;

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
const number = (value: unknown) => (typeof value === 'number' ? value : null);

export function itemKindOf(description: Description): ItemKind {
  const name = text(description['name']);
  const marketHashName = text(description.market_hash_name);
  const type = text(description['type']);
  return {
    marketHashName,
    name,
    type,
    tradable: number(description.tradable),
    marketable: number(description['marketable']),
    icon: text(description['icon_url']),
    searched: [name, marketHashName, type].join(' ').toLowerCase(),
  };
}

export function itemOf(asset: Asset, kind: ItemKind | null): Item {
  const { assetid, classid, instanceid, appid, contextid, amount, currencyid } = asset;
  return {
    asset: {
      assetid,
      classid,
      instanceid,
      appid,
      contextid,
      amount,
      ...(currencyid !== undefined && { currencyid }),
    },
    kind,
  };
}

/** A description may be missing. */
export const titleOf = ({ kind, asset }: Item) =>
  kind?.name ?? kind?.marketHashName ?? `Item of class ${asset.classid}`;

/** Two letters in place of a picture. */
export function initialsOf(title: string): string {
  const words = title.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  return words
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase();
}

export type SortOrder = 'platform' | 'name' | 'type' | 'amount';
export const sortOrders: readonly (readonly [SortOrder, string])[] = [
  ['platform', 'As on the platform'],
  ['name', 'Name'],
  ['type', 'Type'],
  ['amount', 'Amount, largest first'],
];

/** The words of the filter are all in the name or the type, or one is the id of the asset. */
export function filterItems(items: readonly Item[], filter: string): readonly Item[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return items;
  return items.filter(({ asset, kind }) =>
    words.every((word) => kind?.searched.includes(word) || asset.assetid === word),
  );
}

const collator = new Intl.Collator(undefined, { numeric: true });

/** Stable; the order of the platform within equals. */
export function sortItems(items: readonly Item[], order: SortOrder): readonly Item[] {
  if (order === 'platform') return items;
  if (order === 'amount') {
    return items.toSorted((left, right) => compareDigits(right.asset.amount, left.asset.amount));
  }
  const textOf = (item: Item) => (order === 'name' ? titleOf(item) : (item.kind?.type ?? ''));
  // Thousands of items share some hundred texts: each is compared once, by its rank.
  const ranks = new Map(
    [...new Set(items.map(textOf))].toSorted(collator.compare).map((one, rank) => [one, rank]),
  );
  const rankOf = (item: Item) => ranks.get(textOf(item)) ?? 0;
  return items.toSorted((left, right) => rankOf(left) - rankOf(right));
}

/** Decimal digits, which may exceed 2^53. */
export function compareDigits(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : Number(left > right));
}
