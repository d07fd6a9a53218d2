import { required, text, type Verb, verb, whole } from './verb.ts';

/** What everything costs, and from when on. */
export const priceVerbs: readonly Verb[] = [
  verb('prices list', 'list every published price list, by version', 'listPriceLists', [], {
    columns: [
      ...['version', 'effective_at', 'refresh_reservation', 'refresh_block'],
      ...['refresh_block_assets', 'refresh_diagnostic', 'live_page', 'current_page'],
    ],
  }),
  verb(
    'prices publish',
    'publish the next version of the price list; it never changes afterwards',
    'publishPriceList',
    [
      required(whole('--version <n>', 'the version after the last published one', 'version')),
      text(
        '--effective-at <time>',
        'from when on it is in force; as soon as possible when absent',
        'effective_at',
      ),
      required(
        whole('--reservation <credits>', 'held for a refresh, its most', 'refresh_reservation'),
      ),
      required(whole('--block <credits>', 'of one started block of assets', 'refresh_block')),
      required(whole('--block-assets <n>', 'assets of a block', 'refresh_block_assets')),
      required(
        whole('--diagnostic <credits>', 'of a private or unknown inventory', 'refresh_diagnostic'),
      ),
      required(whole('--live-page <credits>', 'of a Live Page or V1 page', 'live_page')),
      required(whole('--current-page <credits>', 'of a Current page', 'current_page')),
    ],
    { irreversible: 'This version is published for every customer, and never changes afterwards:' },
  ),
];
