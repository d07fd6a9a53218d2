import type { ScenarioDefinition } from './scenario-definition.ts';

/** The accounts of scenarios that deliver every page. */
export const completeScenarios: readonly ScenarioDefinition[] = [
  {
    number: 1,
    name: 'empty',
    size: 0,
    shows: 'A public inventory without assets: total 0, no keys for assets.',
  },
  { number: 2, name: 'one-item', size: 1, shows: 'One asset, one description, one page.' },
  { number: 3, name: 'size-2000', size: 2_000, shows: 'Exactly one full page.' },
  { number: 4, name: 'size-2001', size: 2_001, shows: 'A full page and one asset on a second.' },
  { number: 5, name: 'size-4001', size: 4_001, shows: 'Two full pages and one asset on a third.' },
  {
    number: 6,
    name: 'size-250000',
    size: 250_000,
    shows: '125 full pages: the largest scan one reservation covers by size.',
  },
  {
    number: 7,
    name: 'size-250001',
    size: 250_001,
    shows: '126 pages: one asset more than 125 credits pay for.',
  },
  {
    number: 8,
    name: 'all-hidden',
    size: 0,
    hidden: 3,
    shows: 'Success with total 3 and no assets: everything is hidden from strangers.',
  },
  {
    number: 9,
    name: 'some-hidden',
    size: 40,
    hidden: 5,
    shows: '40 assets of a total of 45: five are hidden, the scan is complete.',
  },
  {
    number: 10,
    name: 'stacks',
    size: 60,
    amountStyle: 'stacks',
    shows: 'Every asset is a stack with an amount above 1.',
  },
  {
    number: 11,
    name: 'huge-amounts',
    size: 30,
    amountStyle: 'huge',
    shows: 'Amounts near 2^63: they must be kept as 64-bit integers.',
  },
  {
    number: 12,
    name: 'ids-above-2-53',
    size: 2_500,
    assetIdStyle: 'neighbours',
    shows: 'Asset ids near 2^64, one apart: as doubles a page of them is one number.',
  },
  {
    number: 13,
    name: 'different-language',
    size: 120,
    shows:
      "Texts in each of the platform's languages; asset ids, classes and amounts are the same in all.",
  },
  {
    number: 14,
    name: 'texts-change',
    size: 300,
    eachScan: 'new_texts',
    shows: 'Each scan finds the same assets with newly worded descriptions: ownership unchanged.',
  },
  {
    number: 15,
    name: 'one-more-each-scan',
    size: 100,
    eachScan: 'one_more_asset',
    shows: 'Each scan finds one more asset at the top than the scan before.',
  },
];
