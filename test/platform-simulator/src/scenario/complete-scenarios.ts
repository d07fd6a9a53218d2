import { type ScenarioDefinition, scenario } from './scenario-definition.ts';

/** The accounts of scenarios that deliver every page. */
export const completeScenarios: readonly ScenarioDefinition[] = [
  scenario(1, 'empty', 'A public inventory without assets: total 0, no keys for assets.', {
    size: 0,
  }),
  scenario(2, 'one-item', 'One asset, one description, one page.', { size: 1 }),
  scenario(3, 'size-2000', 'Exactly one full page.', { size: 2_000 }),
  scenario(4, 'size-2001', 'A full page and one asset on a second.', { size: 2_001 }),
  scenario(5, 'size-4001', 'Two full pages and one asset on a third.', { size: 4_001 }),
  scenario(6, 'size-250000', '125 full pages: the largest scan one reservation covers by size.', {
    size: 250_000,
  }),
  scenario(7, 'size-250001', '126 pages: one asset more than 125 credits pay for.', {
    size: 250_001,
  }),
  scenario(
    8,
    'all-hidden',
    'Success with total 3 and no assets: everything is hidden from strangers.',
    { size: 0, hidden: 3 },
  ),
  scenario(9, 'some-hidden', '40 assets of a total of 45: five are hidden, the scan is complete.', {
    size: 40,
    hidden: 5,
  }),
  scenario(10, 'stacks', 'Every asset is a stack with an amount above 1.', {
    size: 60,
    amountStyle: 'stacks',
  }),
  scenario(11, 'huge-amounts', 'Amounts near 2^63: they must be kept as 64-bit integers.', {
    size: 30,
    amountStyle: 'huge',
  }),
  scenario(
    12,
    'ids-above-2-53',
    'Asset ids near 2^64, one apart: as doubles a page of them is one number.',
    { size: 2_500, assetIdStyle: 'neighbours' },
  ),
  scenario(
    13,
    'different-language',
    "Texts in each of the platform's languages; asset ids, classes and amounts are the same in all.",
    { size: 120 },
  ),
  scenario(
    14,
    'texts-change',
    'Each scan finds the same assets with newly worded descriptions: ownership unchanged.',
    { size: 300, eachScan: 'new_texts' },
  ),
  scenario(
    15,
    'one-more-each-scan',
    'Each scan finds one more asset at the top than the scan before.',
    { size: 100, eachScan: 'one_more_asset' },
  ),
];
