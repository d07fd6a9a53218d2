import { type ScenarioDefinition, scenario } from './scenario-definition.ts';

/** Accounts whose responses are strange as bytes: coded, framed, broken or ambiguous. */
export const strangeByteScenarios: readonly ScenarioDefinition[] = [
  scenario(
    301,
    'compressed-pages',
    'Every page is compressed, each in another way: gzip, deflate within br, zstd.',
    {
      size: 4_001,
      faults: [
        { failure: { kind: 'encoded', codings: ['gzip'] }, page: 1 },
        { failure: { kind: 'encoded', codings: ['raw-deflate', 'br'] }, page: 2 },
        { failure: { kind: 'encoded', codings: ['zstd'] }, page: 3 },
      ],
    },
  ),
  scenario(302, 'called-compressed', 'Always a plain page that is called gzip.', {
    size: 20,
    faults: [{ failure: { kind: 'called_encoded', coding: 'gzip' } }],
  }),
  scenario(303, 'compressed-unknown', 'Always a page in a coding that was not requested.', {
    size: 20,
    faults: [{ failure: { kind: 'called_encoded', coding: 'dcz' } }],
  }),
  scenario(
    304,
    'heavy-compressed-page',
    'As heavy-first-page, where each page is compressed to a fraction of its size.',
    {
      size: 6_001,
      quirk: 'heavy_first_page',
      faults: [{ failure: { kind: 'encoded', codings: ['br'] } }],
    },
  ),
  scenario(305, 'firewall-html', "Always 403 with a firewall's page.", {
    faults: [{ failure: { kind: 'firewall_html' } }],
  }),
  scenario(306, 'firewall-json-once', "403 with a firewall's JSON once, then good.", {
    faults: [{ failure: { kind: 'firewall_json' }, page: 1, until: 1 }],
  }),
  scenario(307, 'deep-row', 'A row is nested 6,000 levels deep.', {
    faults: [{ failure: { kind: 'rewritten', how: 'deep_row' } }],
  }),
  scenario(308, 'assets-twice', 'A page has its assets, and an empty list of assets after them.', {
    faults: [{ failure: { kind: 'rewritten', how: 'assets_twice' } }],
  }),
  scenario(309, 'more-items-twice', 'The first page has more items, and none.', {
    size: 4_001,
    faults: [{ failure: { kind: 'rewritten', how: 'more_items_twice' }, page: 1 }],
  }),
  scenario(
    310,
    'odd-text',
    'Characters cut in the middle, halves of them, and numbers beyond what a double holds.',
    { size: 30, faults: [{ failure: { kind: 'rewritten', how: 'odd_text' } }] },
  ),
  scenario(311, 'odd-blocks', 'The list of properties is an object, and the total is a string.', {
    size: 60,
    quirk: 'odd_blocks',
  }),
  scenario(313, 'continue-first', '100 Continue before the page, which no client requested.', {
    size: 20,
    faults: [{ failure: { kind: 'interim', status: 100 } }],
  }),
  scenario(
    314,
    'gateway-503-date-once',
    '503 once with a Retry-After that is a date, and past; then good.',
    {
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
    },
  ),
  scenario(
    312,
    'description-twice',
    'The first description is there again at the end, with another name.',
    { size: 30, quirk: 'description_twice' },
  ),
];
