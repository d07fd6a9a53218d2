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
];
