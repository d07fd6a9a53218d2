import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { type ScriptedServer, startScriptedServer } from '../test/scripted-server.ts';
import {
  createTestClientEnvironment,
  type TestClientEnvironment,
} from '../test/test-client-environment.ts';
import { WebhookVerificationError } from './errors.ts';
import { createInventoryClient } from './inventory-client.ts';
import { verifyWebhook } from './verify-webhook.ts';

/** What the client of each language makes of scripted exchanges. */
const folder = join(__dirname, '../../../test/contract/client-cases');
type Fields = Record<string, unknown>;

interface Exchange {
  /** Method and target; that of the exchange before where it is absent, as its headers and body. */
  readonly request?: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: unknown;
  readonly response: Fields & { readonly headers?: Readonly<Record<string, string>> };
}

interface ClientCase {
  readonly title: string;
  readonly call: string;
  readonly args?: readonly unknown[];
  /** In seconds. */
  readonly options?: Fields;
  readonly chance?: number;
  readonly exchanges: readonly Exchange[];
  readonly waits?: readonly number[];
  readonly result?: unknown;
  readonly error?: Fields;
  readonly progress?: readonly unknown[];
  /** Items of the iteration before its error. */
  readonly yielded?: number;
  /** What an event reader did, until so many events were applied. */
  readonly log?: readonly string[];
  readonly enough?: number;
  readonly handler_fails?: boolean;
  readonly handles_gaps?: boolean;
}

interface WebhookCase {
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly secrets: readonly string[];
  readonly now: number;
  readonly tolerance?: number;
  readonly reason?: string;
}

const values = read<Fields>('values.json');
const apiKey = String(values['api_key']);
const files = readdirSync(folder).filter((name) => !/^(values|webhooks)\.json$/.test(name));
const cases = files.flatMap((name) => filled(read<ClientCase[]>(name)) as ClientCase[]);

function read<Content>(name: string): Content {
  return JSON.parse(readFileSync(join(folder, name), 'utf8')) as Content;
}

/** With the named values of `$name` and of `{name}` within a text. */
function filled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one)]));
  }
  if (typeof value !== 'string') return value;
  if (value.startsWith('$')) return filled(values[value.slice(1)]);
  return value.replace(/\{(\w+)\}/g, (_text, name) => String(values[name]));
}

class Done extends Error {
  override name = 'Done';
}
class HandlerError extends Error {
  override name = 'HandlerError';
}

const camel = (name: string) => name.replace(/_([a-z])/g, (_text, one) => one.toUpperCase());
const snake = (name: string) => name.replace(/[A-Z]/g, (one) => `_${one.toLowerCase()}`);
const namedAlike = (of: unknown) =>
  Object.fromEntries(Object.entries(of as Fields).map(([name, one]) => [camel(name), one]));

/** The options of this client: other names, and milliseconds. */
function optionsOf({ deadline, wait, from_day, to_day, ...others }: Fields): Fields {
  return {
    ...namedAlike(others),
    ...(deadline === undefined ? {} : { deadlineMs: Number(deadline) * 1_000 }),
    ...(wait === undefined ? {} : { waitSeconds: wait }),
    ...(from_day === undefined ? {} : { from: from_day, to: to_day }),
  };
}

/** A result or an error as the cases state them. */
function shown(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  const named = Object.entries(value).map(([name, one]) => [snake(name), shown(one)]);
  const error = value instanceof Error ? { class: value.name } : {};
  return { ...Object.fromEntries(named), ...error };
}

function answerOf({ response }: Exchange) {
  const { retry_after, meta, data, error, detail, text, headers, ...rest } = response;
  const request_id = values['request_id'];
  const failure = { code: error, message: `It is ${error}.`, request_id, detail };
  const content =
    error === undefined ? { success: true, data } : { success: false, error: failure };
  return {
    ...rest,
    headers: {
      ...headers,
      ...(retry_after === undefined ? {} : { 'retry-after': `${retry_after}` }),
    },
    body: text ?? { ...content, meta: { request_id, ...(meta as object) } },
  };
}

let server: ScriptedServer;

beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

interface Played {
  readonly items: unknown[];
  readonly progress: unknown[];
  readonly log: string[];
}

/** The callbacks of the case. */
function callbacksOf(one: ClientCase, { log, progress }: Played): Fields {
  if (one.call !== 'follow_events') {
    return one.progress === undefined ? {} : { onProgress: (each: unknown) => progress.push(each) };
  }
  let applied = 0;
  return {
    onEvent: ({ id }: { id: string }) => {
      if (one.handler_fails) throw new HandlerError();
      applied += 1;
      log.push(`event ${id}`);
    },
    onProgress: (cursor: string) => {
      log.push(`stored ${cursor}`);
      if (applied >= (one.enough ?? 0)) throw new Done();
    },
    onInterruption: ({ reason }: { reason: string }) => log.push(`interruption ${reason}`),
    ...(one.handles_gaps ? { onGap: ({ reason }: Fields) => log.push(`gap ${reason}`) } : {}),
  };
}

async function play(one: ClientCase, played: Played, environment: TestClientEnvironment) {
  const client = createInventoryClient({ baseUrl: server.url, apiKey }, environment);
  const calls = client as unknown as Record<string, (...args: unknown[]) => unknown>;
  const args = (one.args ?? []).map((arg) => (Array.isArray(arg) ? arg.map(namedAlike) : arg));
  const options = { ...optionsOf(one.options ?? {}), ...callbacksOf(one, played) };
  const result = await calls[camel(one.call)]?.(...args, options);
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result))
    return result;
  for await (const item of result as AsyncIterable<unknown>) played.items.push(item);
  return played.items;
}

/** What was sent, in the terms of the exchanges. */
function expectRequests(exchanges: readonly Exchange[]): void {
  let last: Exchange | undefined;
  const expected = exchanges.map((exchange) => {
    last = exchange.request === undefined ? last : exchange;
    return last;
  });
  const targets = expected.map((each) => {
    const [method = '', target = ''] = each?.request?.split(' ') ?? [];
    const { pathname, searchParams } = new URL(target, 'http://server');
    searchParams.sort();
    return `${method} ${pathname}?${searchParams}`;
  });
  const sent = server.requests.map(({ method, path, query }) => {
    query.sort();
    return `${method} ${path}?${query}`;
  });
  expect(sent).toEqual(targets);
  for (const [index, { headers, body }] of server.requests.entries()) {
    expect(body === '' ? undefined : JSON.parse(body)).toEqual(expected[index]?.body);
    for (const [name, value] of Object.entries(expected[index]?.headers ?? {})) {
      expect(headers[name]).toEqual(value ?? undefined);
    }
  }
}

test.each(cases.map((one) => [one.title, one] as const))('%s', async (_title, one) => {
  server.plays(...one.exchanges.map(answerOf));
  const environment = createTestClientEnvironment(one.chance);
  const played: Played = { items: [], progress: [], log: [] };

  const outcome = await play(one, played, environment).then(
    (result) => ({ result: shown(result) ?? null }),
    (error: unknown) => ({ error: shown(error), text: inspect(error, { depth: 20 }) }),
  );

  const expected = one.error === undefined ? { result: one.result } : { error: one.error };
  expect(outcome).toMatchObject(expected);
  expect('text' in outcome ? outcome.text : '').not.toContain(apiKey);
  expect(environment.waits.map((ms) => ms / 1_000)).toEqual(one.waits ?? []);
  expect(shown(played.progress)).toMatchObject(one.progress ?? []);
  expect(played.log).toEqual(one.log ?? []);
  expect(played.items).toHaveLength(one.yielded ?? played.items.length);
  expectRequests(one.exchanges);
});

test.each(read<WebhookCase[]>('webhooks.json').map((one) => [one.title, one] as const))(
  'webhook: %s',
  (_title, { headers, body, secrets, now, tolerance, reason }) => {
    const options = { nowMs: now * 1_000, toleranceSeconds: tolerance };
    const verify = () => verifyWebhook(headers, Buffer.from(body), secrets, options);

    if (reason === undefined) expect(verify()).toEqual(JSON.parse(body));
    else expect(verify).toThrow(new WebhookVerificationError(reason as never));
  },
);
