import { type ScenarioDefinition, scenario } from './scenario-definition.ts';

/** Pages that are delivered and are not what they should be. */
export const oddPageScenarios: readonly ScenarioDefinition[] = [
  scenario(101, 'currency-row', 'The first row carries currencyid instead of assetid.', {
    size: 20,
    quirk: 'currency_row',
  }),
  scenario(
    102,
    'missing-instanceid',
    'Rows and descriptions of instance "0" leave instanceid out.',
    { size: 50, quirk: 'missing_instanceid' },
  ),
  scenario(103, 'description-missing', 'The first asset has no description on any page.', {
    size: 50,
    quirk: 'description_missing',
  }),
  scenario(104, 'description-later', "The first asset's description comes with the second page.", {
    size: 4_001,
    quirk: 'description_later',
  }),
  scenario(
    105,
    'description-repeated',
    'Each page carries the same few descriptions, each twice.',
    { size: 4_001, kindLimit: 25, quirk: 'description_repeated' },
  ),
  scenario(
    106,
    'description-carries-assetid',
    'One description per asset with an assetid of its own inside.',
    { size: 80, quirk: 'description_per_asset' },
  ),
  scenario(107, 'odd-lists', 'List fields are absent, null or an empty string.', {
    size: 60,
    quirk: 'odd_lists',
  }),
  scenario(108, 'unknown-fields', 'Unknown fields on every level.', {
    size: 40,
    quirk: 'unknown_fields',
  }),
  scenario(
    109,
    'blank-middle-page',
    'The second page has no assets, a cursor and more items: it is not the end.',
    { size: 6_001, quirk: 'blank_middle' },
  ),
  scenario(
    110,
    'short-middle-page',
    'The second page has 500 assets and more items: it is not the end.',
    { size: 5_000, quirk: 'short_middle' },
  ),
  scenario(
    111,
    'same-cursor-twice',
    'The second page has the cursor it was requested with, for ever.',
    { size: 6_001, quirk: 'same_cursor' },
  ),
  scenario(112, 'cursor-cycle', "The third page has the first page's cursor: a loop of two.", {
    size: 8_001,
    quirk: 'cursor_cycle',
  }),
  scenario(113, 'cursor-missing', 'The first page has more items and no cursor.', {
    size: 4_001,
    quirk: 'no_cursor',
  }),
  scenario(114, 'zero-more-items', 'The last page has more_items 0 and a cursor.', {
    size: 2_001,
    quirk: 'zero_more_items',
  }),
  scenario(
    115,
    'cursor-before-last-row',
    'last_assetid is not the id of the last row: only the field continues rightly.',
    { size: 4_001, quirk: 'cursor_before_last_row' },
  ),
  scenario(116, 'never-ends', 'One asset per page, always more: beyond any page budget.', {
    size: 999_999,
    quirk: 'one_asset_pages',
  }),
  scenario(117, 'duplicate-asset', 'The last asset of a page is the first of the next as well.', {
    size: 4_001,
    quirk: 'duplicate_asset',
  }),
  scenario(
    118,
    'duplicate-asset-new-amount',
    'As duplicate-asset, the second time with amount 7.',
    { size: 4_001, quirk: 'duplicate_new_amount' },
  ),
  scenario(
    119,
    'added-at-top',
    'An item is added at the top after the first page: total 4002 from then on, never seen.',
    { size: 4_001, quirk: 'total_plus_one' },
  ),
  scenario(
    120,
    'cursor-removed-next',
    "The cursor's asset is removed after its page: the next page continues by position, total one less.",
    { size: 4_001, quirk: 'total_minus_one' },
  ),
  scenario(
    121,
    'cursor-removed-500',
    "The cursor's asset is removed after the first page: the response to the cursor is EResult 2, always.",
    { size: 4_001, faults: [{ failure: { kind: 'eresult', code: 2 }, page: 2 }] },
  ),
  scenario(
    122,
    'cursor-removed-blank-end',
    "The cursor's asset is removed after the first page: the page after it is blank and looks like the end, until the first page is read again.",
    { size: 4_001, eachScan: 'first_cursor_removed', quirk: 'blank_end' },
  ),
  scenario(123, 'total-grows', 'The total is five higher from the second page on.', {
    size: 4_001,
    quirk: 'total_plus_five',
  }),
  scenario(124, 'total-shrinks', 'The total is five lower from the second page on.', {
    size: 4_001,
    quirk: 'total_minus_five',
  }),
  scenario(
    125,
    'cursor-removed-each-time',
    'As cursor-removed-blank-end, after every read of the first page: the end never comes.',
    { size: 4_001, eachScan: 'every_cursor_removed', quirk: 'blank_end' },
  ),
  scenario(
    126,
    'hidden-end',
    'The last three assets are hidden: the second page has more items, the third has none.',
    { size: 4_000, hidden: 3, quirk: 'hidden_end' },
  ),
  scenario(
    127,
    'heavy-first-page',
    'The first page weighs 9 MiB with more than 1,000 assets, and as usual with fewer.',
    { size: 6_001, quirk: 'heavy_first_page' },
  ),
  scenario(
    128,
    'repeated-end',
    'The second page is the first one again, as the last: half of the inventory never comes.',
    { size: 4_000, quirk: 'repeated_end' },
  ),
  scenario(
    129,
    'partly-repeated-end-once',
    'The second page is a subset of the first one, as the last, until that is read again.',
    { size: 4_000, faults: [], quirk: 'partly_repeated_end_once' },
  ),
  scenario(130, 'more-rows-than-asked', '2,500 assets a page, whatever is requested.', {
    size: 5_001,
    pageAssets: 2_500,
  }),
  scenario(131, 'all-rows-at-once', 'All 5,001 assets on one page, whatever is requested.', {
    size: 5_001,
    pageAssets: 6_000,
  }),
];
