/** A page as parsed from its own JSON; quirks work on copies of good pages. */
export type WirePage = {
  assets?: Row[];
  descriptions?: Row[];
  more_items?: number;
  last_assetid?: string;
  total_inventory_count: number | string;
  [field: string]: unknown;
};
export type Row = Record<string, unknown>;

type QuirkContext = {
  /** From 1. */
  readonly pageNumber: number;
  readonly pageSize: number;
  readonly startAssetId: string | undefined;
  readonly assetIdAt: (index: number) => string;
  /** Whether the asset the cursor names was removed since. */
  readonly cursorRemoved: boolean;
  /** A page of one asset: the one the cursor names. */
  readonly cursorAssetPage: () => WirePage;
  /** The first page of the inventory. */
  readonly firstPage: () => WirePage;
  /** First pages delivered so far, of a scenario with a plan. */
  readonly scans: number;
};

type Quirk = (page: WirePage, context: QuirkContext) => WirePage;

const firstPage = (quirk: Quirk): Quirk => whenPage((number) => number === 1, quirk);
const secondPage = (quirk: Quirk): Quirk => whenPage((number) => number === 2, quirk);
const laterPages = (quirk: Quirk): Quirk => whenPage((number) => number > 1, quirk);

/** More than what the collector reads of one response. */
const heavyBytes = 9 * 1024 * 1024;

/** A class that no ordinary page describes. */
const undescribedClass = '999999999';

/** What pages of one account have that pages should not; each by name, so that scenarios can name them. */
export const pageQuirks = {
  blank_middle: secondPage(withoutAssets),
  short_middle: secondPage((page) => firstAssets(page, 500)),
  one_asset_pages: (page) => firstAssets(page, 1),
  same_cursor: laterPages((page, { startAssetId }) => withCursor(page, startAssetId)),
  cursor_cycle: whenPage(
    (number) => number === 3,
    (page, { assetIdAt, pageSize }) => withCursor(page, assetIdAt(pageSize - 1)),
  ),
  no_cursor: firstPage(({ last_assetid: _, ...page }) => page),
  zero_more_items: (page) =>
    page.more_items === 1 ? page : { ...page, more_items: 0, last_assetid: lastAssetId(page) },
  cursor_before_last_row: (page) => ({ ...page, assets: lastTwoSwapped(page.assets ?? []) }),
  duplicate_asset: laterPages((page, context) => withCursorAsset(page, context, {})),
  duplicate_new_amount: laterPages((page, context) =>
    withCursorAsset(page, context, { amount: '7' }),
  ),
  total_plus_one: laterPages((page) => totalChanged(page, 1)),
  total_minus_one: laterPages((page) => totalChanged(page, -1)),
  total_plus_five: laterPages((page) => totalChanged(page, 5)),
  total_minus_five: laterPages((page) => totalChanged(page, -5)),
  blank_end: (page, { cursorRemoved }) =>
    cursorRemoved ? withoutCursor(withoutAssets(page)) : page,
  repeated_end: laterPages((_page, { firstPage: first }) => withoutCursor(first())),
  partly_repeated_end_once: laterPages((page, { firstPage: first, scans }) =>
    scans > 1 ? page : withoutCursor(firstAssets(first(), 500)),
  ),
  hidden_end: (page) => (page.assets === undefined ? page : withCursor(page, lastAssetId(page))),
  heavy_first_page: firstPage((page) =>
    (page.assets ?? []).length > 1_000 ? { ...page, sim_weight: 'x'.repeat(heavyBytes) } : page,
  ),
  currency_row: firstPage((page) => eachAsset(page, (row, at) => (at === 0 ? currency(row) : row))),
  missing_instanceid: (page) =>
    eachDescription(eachAsset(page, withoutInstanceId), withoutInstanceId),
  description_missing: firstPage(firstAssetUndescribed),
  description_later: (page, context) => {
    const changed = firstPage(firstAssetUndescribed)(page, context);
    return secondPage(withLateDescription)(changed, context);
  },
  description_repeated: (page) => ({
    ...page,
    descriptions: [...(page.descriptions ?? []), ...(page.descriptions ?? [])],
  }),
  description_per_asset: (page) => ({ ...page, descriptions: descriptionPerAsset(page) }),
  odd_lists: (page) => eachDescription(page, oddLists),
  odd_blocks: (page) => ({
    ...page,
    asset_properties: {},
    total_inventory_count: String(page.total_inventory_count),
  }),
  description_twice: ({ descriptions = [], ...page }) => ({
    ...page,
    descriptions: [...descriptions, { ...descriptions[0], name: 'Sim Rename' }],
  }),
  unknown_fields: (page) => ({
    ...eachDescription(eachAsset(page, withUnknownFields), withUnknownFields),
    sim_page_note: { revision: 3 },
  }),
} as const satisfies Record<string, Quirk>;

export type PageQuirk = keyof typeof pageQuirks;

function whenPage(applies: (pageNumber: number) => boolean, quirk: Quirk): Quirk {
  return (page, context) => (applies(context.pageNumber) ? quirk(page, context) : page);
}

function withoutAssets({ assets: _assets, descriptions: _texts, ...page }: WirePage): WirePage {
  return page;
}

function joinKey(row: Row): string {
  return `${row['classid']}_${row['instanceid'] ?? '0'}`;
}

/** Keeps the first assets of a page and their descriptions, and continues after them. */
function firstAssets(page: WirePage, count: number): WirePage {
  const assets = (page.assets ?? []).slice(0, count);
  if (assets.length === (page.assets ?? []).length) {
    return page;
  }
  const used = new Set(assets.map(joinKey));
  const descriptions = (page.descriptions ?? []).filter((row) => used.has(joinKey(row)));
  return withCursor({ ...page, assets, descriptions }, String(assets.at(-1)?.['assetid']));
}

function withCursor(page: WirePage, assetId: string | undefined): WirePage {
  return assetId === undefined ? page : { ...page, more_items: 1, last_assetid: assetId };
}

function withoutCursor({ more_items: _more, last_assetid: _cursor, ...page }: WirePage): WirePage {
  return page;
}

function lastAssetId(page: WirePage): string {
  return String(page.assets?.at(-1)?.['assetid'] ?? '0');
}

function lastTwoSwapped(assets: readonly Row[]): Row[] {
  return [...assets.slice(0, -2), ...assets.slice(-2).reverse()];
}

/** The page begins with the asset that its cursor names, and has as many assets as before. */
function withCursorAsset(
  page: WirePage,
  { cursorAssetPage, pageSize }: QuirkContext,
  change: Row,
): WirePage {
  const repeated = cursorAssetPage();
  const known = new Set((page.descriptions ?? []).map(joinKey));
  const texts = (repeated.descriptions ?? []).filter((row) => !known.has(joinKey(row)));
  const longer = {
    ...page,
    assets: [
      ...(repeated.assets ?? []).map((row) => ({ ...row, ...change })),
      ...(page.assets ?? []),
    ],
    descriptions: [...(page.descriptions ?? []), ...texts],
  };
  return firstAssets(longer, pageSize);
}

function totalChanged(page: WirePage, by: number): WirePage {
  return { ...page, total_inventory_count: Number(page.total_inventory_count) + by };
}

function eachAsset(page: WirePage, change: (row: Row, at: number) => Row): WirePage {
  return page.assets === undefined ? page : { ...page, assets: page.assets.map(change) };
}

function eachDescription(page: WirePage, change: (row: Row, at: number) => Row): WirePage {
  return page.descriptions === undefined
    ? page
    : { ...page, descriptions: page.descriptions.map(change) };
}

function currency({ assetid, ...row }: Row): Row {
  return { ...row, currencyid: assetid, amount: '2500' };
}

function withoutInstanceId({ instanceid, ...row }: Row): Row {
  return instanceid === '0' ? row : { ...row, instanceid };
}

function firstAssetUndescribed(page: WirePage): WirePage {
  return eachAsset(page, (row, at) => (at === 0 ? { ...row, classid: undescribedClass } : row));
}

function withLateDescription(page: WirePage): WirePage {
  const [pattern] = page.descriptions ?? [];
  const late = { ...pattern, classid: undescribedClass, instanceid: '0', name: 'Late Arrival' };
  return { ...page, descriptions: [...(page.descriptions ?? []), late] };
}

function descriptionPerAsset(page: WirePage): Row[] {
  const byJoin = new Map((page.descriptions ?? []).map((row) => [joinKey(row), row]));
  return (page.assets ?? []).map((row) => ({
    ...byJoin.get(joinKey(row)),
    assetid: row['assetid'],
  }));
}

function oddLists(row: Row, at: number): Row {
  const { actions: _, ...others } = row;
  return { ...others, market_actions: null, tags: at % 2 === 0 ? '' : null, descriptions: '' };
}

function withUnknownFields(row: Row): Row {
  return { ...row, sim_added_2027: { grade: 4, marks: ['a', null] }, est_value: '12.50' };
}
