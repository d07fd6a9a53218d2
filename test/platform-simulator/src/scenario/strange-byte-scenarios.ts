import type { ScenarioDefinition } from './scenario-definition.ts';

/** Accounts whose answers are strange as bytes: coded, framed, broken or ambiguous. */
export const strangeByteScenarios: readonly ScenarioDefinition[] = [
  {
    number: 301,
    name: 'compressed-pages',
    size: 4_001,
    faults: [
      { failure: { kind: 'encoded', codings: ['gzip'] }, page: 1 },
      { failure: { kind: 'encoded', codings: ['raw-deflate', 'br'] }, page: 2 },
      { failure: { kind: 'encoded', codings: ['zstd'] }, page: 3 },
    ],
    shows: 'Every page is compressed, each in another way: gzip, deflate within br, zstd.',
  },
  {
    number: 302,
    name: 'called-compressed',
    size: 20,
    faults: [{ failure: { kind: 'called_encoded', coding: 'gzip' } }],
    shows: 'Always a plain page that is called gzip.',
  },
  {
    number: 303,
    name: 'compressed-unknown',
    size: 20,
    faults: [{ failure: { kind: 'called_encoded', coding: 'dcz' } }],
    shows: 'Always a page in a coding that was not asked for.',
  },
  {
    number: 304,
    name: 'heavy-compressed-page',
    size: 6_001,
    quirk: 'heavy_first_page',
    faults: [{ failure: { kind: 'encoded', codings: ['br'] } }],
    shows: 'As heavy-first-page, where each page is compressed to a fraction of its size.',
  },
  {
    number: 305,
    name: 'firewall-html',
    size: 10,
    faults: [{ failure: { kind: 'firewall_html' } }],
    shows: "Always 403 with a firewall's page.",
  },
  {
    number: 306,
    name: 'firewall-json-once',
    size: 10,
    faults: [{ failure: { kind: 'firewall_json' }, page: 1, until: 1 }],
    shows: "403 with a firewall's JSON once, then good.",
  },
  {
    number: 307,
    name: 'deep-row',
    size: 10,
    faults: [{ failure: { kind: 'rewritten', how: 'deep_row' } }],
    shows: 'A row is nested 6,000 levels deep.',
  },
  {
    number: 308,
    name: 'assets-twice',
    size: 10,
    faults: [{ failure: { kind: 'rewritten', how: 'assets_twice' } }],
    shows: 'A page has its assets, and an empty list of assets behind them.',
  },
  {
    number: 309,
    name: 'more-items-twice',
    size: 4_001,
    faults: [{ failure: { kind: 'rewritten', how: 'more_items_twice' }, page: 1 }],
    shows: 'The first page has more items, and none.',
  },
  {
    number: 310,
    name: 'odd-text',
    size: 30,
    faults: [{ failure: { kind: 'rewritten', how: 'odd_text' } }],
    shows: 'Characters cut in the middle, halves of them, and numbers beyond what a double holds.',
  },
  {
    number: 311,
    name: 'odd-blocks',
    size: 60,
    quirk: 'odd_blocks',
    shows: 'The list of properties is an object, and the total is a string.',
  },
  {
    number: 313,
    name: 'continue-first',
    size: 20,
    faults: [{ failure: { kind: 'interim', status: 100 } }],
    shows: '100 Continue before the page, which no client asked for.',
  },
  {
    number: 314,
    name: 'gateway-503-date-once',
    size: 10,
    faults: [
      {
        failure: {
          kind: 'gateway',
          status: 503,
          retry_after: 'Sun, 06 Nov 1994 08:49:37 GMT',
        },
        page: 1,
        until: 1,
      },
    ],
    shows: '503 once with a Retry-After that is a date, and past; then good.',
  },
  {
    number: 312,
    name: 'description-twice',
    size: 30,
    quirk: 'description_twice',
    shows: 'The first description is there again at the end, with another name.',
  },
];
