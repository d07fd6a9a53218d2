import { projectEvent } from '@inventory/contracts/http/project-event';
import { closingData, recoveryData, revokedData } from '@inventory/contracts/http/stream-frames';
import { languageTags } from '@inventory/contracts/languages';
import { hasRetryAfter, type RefusalCode } from '@inventory/contracts/refusal';
import { publicCodes, rowOf } from '@inventory/contracts/refusal-codes';
import { refreshOutcomes } from '@inventory/contracts/vocabulary';
import { scenarioInventory } from '@inventory/platform-simulator/scenarios';
import { z } from 'zod';
import { firstPriceList } from '../../services/billing-ledger/src/prices/price-list.domain.ts';
import { v1OriginalText } from '../../services/gateway/src/http/v1/v1-failures.ts';
import { expectedOutcomes } from '../../services/refresh-collector/test/expected-outcomes.ts';
import { generatorPackages } from '../e2e/support/generated-clients.ts';
import { readJson, trackedFiles } from '../tidy/tracked-files.ts';
import { configOf } from './support/known-settings.ts';

interface Response {
  readonly content?: Readonly<
    Record<string, { readonly schema?: { readonly $ref?: string }; readonly examples?: object }>
  >;
}
const openApi = readJson<{
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
}>('docs/generated/openapi.json');

const pages = trackedFiles(/^(README|docs\/customers\/[\w-]+|libs\/client\/README)\.md$/);
const page = (name: string): string =>
  pages.find(({ path }) => path === `docs/customers/${name}.md`)?.text ?? '';

test('the page of errors has each code that customers receive, with its status and whether to repeat (Errors)', () => {
  const rows = [...page('errors-and-limits').matchAll(/^\| `([a-z_]+)`( ↻)? \| (\d+) \|/gm)];
  const written = rows.map(([, code, again, status]) => `${code} ${status}${again ?? ''}`);
  const sent = publicCodes.map(
    (code) => `${code} ${rowOf(code).status}${hasRetryAfter(code) ? ' ↻' : ''}`,
  );
  expect(written.toSorted()).toEqual(sent.toSorted());
});

test('the page of V1 has each code of its routes, with its status and the text of the original one (V1)', () => {
  const alias = '/v1/platform/inventory/{platform_id}/{app_id}/{context_id}';
  const { responses } = openApi.paths[alias]?.['get'] ?? { responses: {} };
  const ofV1 = Object.values(responses).flatMap(({ content }) => {
    const { schema, examples = {} } = content?.['application/json'] ?? {};
    return schema?.$ref?.includes('/V1') ? Object.keys(examples) : [];
  });
  const rows = [
    ...page('v1-clients').matchAll(/^\| (\d+) \| `([a-z_]+)` \| (?:`(.*)`|as .*) \|$/gm),
  ];
  const written = rows.map(([, status, code, text]) => `${code} ${status} ${text ?? ''}`);
  const sent = ofV1.map((code) => {
    const text = code === 'invalid_request' ? '' : v1OriginalText(code as RefusalCode);
    return `${code} ${rowOf(code as RefusalCode).status} ${text}`;
  });

  expect(sent.length).toBeGreaterThan(15);
  expect(written.toSorted()).toEqual(sent.toSorted());
});

test('the page of events has each type with its data and links, and each reason of a control frame (Events)', () => {
  const text = page('events');
  for (const option of projectEvent.options) {
    const { shape } = option.in;
    const row = text.split('\n').find((line) => line.startsWith(`| \`${shape.type.value}\` | \``));
    const [, data = '', links = ''] = row?.split(' | ') ?? [];
    const fields = shape.data instanceof z.ZodCodec ? shape.data.in : shape.data;
    for (const name of Object.keys(fields.shape)) expect(data).toContain(`\`${name}`);
    for (const name of Object.keys(shape.links.shape)) expect(links).toContain(`\`${name}\``);
    for (const name of Object.keys(shape)) {
      expect(text).toMatch(new RegExp(`^\\| (\`data\`, )?\`${name}\``, 'm'));
    }
  }
  const reasons = [closingData, recoveryData, revokedData].flatMap(
    ({ shape }) => shape.reason.options,
  );
  for (const reason of reasons) expect(text).toMatch(new RegExp(`^\\|.*\`${reason}\`.*\\|`, 'm'));
});

test('the page of errors has each word of the platform for a language, with its tag (Reads)', () => {
  const words = [...page('errors-and-limits').matchAll(/\| `([a-z]+)` \| ([a-zA-Z0-9-]+)(?= \|)/g)];
  expect(Object.fromEntries(words.map(([, word, tag]) => [word, tag]))).toEqual(languageTags);
});

test('the page of prices has each outcome of a refresh, and the first price list (Settlement by outcome)', () => {
  const text = page('outcomes-and-prices');
  const outcomes = [...text.matchAll(/^\| `([a-z_]+)` \| ([01])/gm)];
  expect(outcomes.map(([, outcome]) => outcome)).toEqual(refreshOutcomes);
  const prices = [...text.matchAll(/^\| .*\(`([a-z_]+)`\) \| (\d+) \|$/gm)];
  expect(Object.fromEntries(prices.map(([, name, price]) => [name, Number(price)]))).toEqual({
    reservation: firstPriceList.refreshReservation,
    block: firstPriceList.refreshBlock,
    diagnostic: firstPriceList.refreshDiagnostic,
    changed_block: firstPriceList.watchChangedBlock,
    unchanged_block: firstPriceList.watchUnchangedBlock,
    current_page: firstPriceList.currentPage,
    live_page: firstPriceList.livePage,
  });
});

test('the limits that customers read are the defaults of the settings (Limits)', async () => {
  const defaults = await Promise.all(
    (['gateway', 'refresh-collector', 'event-stream', 'revision-store'] as const).map(configOf),
  );
  const settings = Object.assign({}, ...defaults.map((config) => config.settings)) as Record<
    string,
    { parse(value: undefined): unknown }
  >;
  const day = 86_400_000;
  const stated: Readonly<Record<string, readonly [number, string]>> = {
    CUSTOMER_REQUESTS_PER_MINUTE: [1200, 'customer account | 1,200 a minute |'],
    OUTSTANDING_PER_ACCOUNT_MAX: [1000, 'refreshes of an account at a time | 1,000,'],
    LIVE_PAGES_PER_ACCOUNT_MAX: [100, 'Live Pages of an account at a time | 100 '],
    SCAN_PAGES_MAX: [250, 'pages of a refresh | 250 |'],
    QUEUE_DEADLINE_MS: [1_800_000, '30 minutes in the queue'],
    COLLECT_DEADLINE_MS: [3_600_000, '60 of collecting'],
    STREAMS_PER_PROJECT_MAX: [4, 'event streams of a Project | 4;'],
    REFRESH_KEEP_MS: [30 * day, 'an ended refresh and its key | 30 days |'],
    READ_KEY_KEEP_MS: [600_000, 'the key of a page | 10 minutes |'],
    SUPERSEDED_KEPT_MS: [day, 'a replaced revision | a day;'],
    HEAD_KEPT_MS: [180 * day, 'the latest one 180 days'],
    LOG_KEEP_MS: [7 * day, 'events | 7 days;'],
    WEBHOOK_KEEP_MS: [30 * day, 'webhook deliveries 30 days |'],
  };
  for (const [name, [value, text]] of Object.entries(stated)) {
    expect([name, settings[name]?.parse(undefined)]).toEqual([name, value]);
    expect(page('errors-and-limits')).toContain(text);
  }
});

test('the pages of customers name only operations that there are', () => {
  const { paths } = openApi;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const named = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/v2\/[^\s`?]*)/g)].map(
      ([, method, address]) => ({ path, operation: `${method} ${address}` }),
    ),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ operation }) => !operations.includes(operation))).toEqual([]);

  const templates = Object.keys(paths).map(
    (path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  );
  const called = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\$(?:BASE|EVENTS_ORIGIN)(\/v2\/[^\s"'?`]+)/g)].map(([, address = '']) => ({
      path,
      address,
    })),
  );
  expect(called.length).toBeGreaterThan(6);
  expect(called.filter(({ address }) => !templates.some((one) => one.test(address)))).toEqual([]);
});

test('the page of generated clients has the generators and versions whose clients are tested (OpenAPI)', () => {
  const text = page('generated-clients');

  for (const generator of Object.values(generatorPackages)) expect(text).toContain(generator);
});

test('the page of the sandbox says how the first refresh of each of its scenarios ends (Sandbox)', () => {
  const numberOf = (name: string) => scenarioInventory(name).platformId.slice(3, 6);
  const ends = new Map(expectedOutcomes.map(([name, outcome]) => [numberOf(name), outcome]));
  const rows = [...page('sandbox').matchAll(/^\| `(\d{3})` \| [^|]+ \| `([a-z_]+)`/gm)];

  expect(rows.length).toBeGreaterThan(8);
  // Too large for the tests of all scenarios.
  const checked = rows.filter(([, number]) => number !== numberOf('size-250000'));
  for (const [, number = '', outcome] of checked)
    expect([number, ends.get(number)]).toEqual([number, outcome]);
});
