/**
 * A refresh, its event on the stream and in the list, its pages, a lookup and two errors, each by what
 * `@hey-api/openapi-ts` generates. The same in story.py and story.go; each prints what came of it.
 */
import { client } from './inventory/client.gen.js';
import {
  listEvents,
  readCurrent,
  readRefresh,
  requestRefresh,
  streamEvents,
} from './inventory/index.js';
import type { ProjectEvent, StreamFrame } from './inventory/types.gen.js';

const { env, stdout } = process;
const { INVENTORY_URL, INVENTORY_API_KEY, INVENTORY_PROJECT, INVENTORY_SCOPE } = env;
const unknown = '0197a4b0-0000-7000-8000-000000000001';
const scope = JSON.parse(INVENTORY_SCOPE ?? '');
client.setConfig({ baseUrl: INVENTORY_URL ?? '', auth: INVENTORY_API_KEY });

function given<Value>(value: Value | undefined, failure: unknown): Value {
  if (value === undefined) throw new Error(JSON.stringify(failure));
  return value;
}

async function refreshOnceStreaming(): Promise<[string, ProjectEvent]> {
  const frames: StreamFrame[] = [];
  const ended = new AbortController();
  const { stream } = await streamEvents({
    path: { project_id: INVENTORY_PROJECT ?? '' },
    signal: ended.signal,
    onSseEvent: (frame) => frames.push(frame as unknown as StreamFrame),
  });
  let refreshId = '';
  for await (const _data of stream) {
    const frame = frames.at(-1);
    if (frame?.event === 'checkpoint') {
      const { data, error } = await requestRefresh({ path: scope, body: { max_credits: 125 } });
      refreshId = given(data, error).data.refresh_id;
    }
    if (frame?.event === 'inventory.refresh.completed') {
      if (frame.data.data.refresh_id === refreshId) break;
    }
  }
  ended.abort();
  const frame = frames.at(-1);
  if (frame?.event !== 'inventory.refresh.completed') throw new Error('the stream ended');
  return [refreshId, frame.data];
}

async function assetsOfCurrent(): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const query: { cursor?: string } = cursor === null ? {} : { cursor };
    const { data, error } = await readCurrent({ path: scope, query });
    const page = given(data, error).data;
    ids.push(...page.assets.map(({ assetid }) => assetid));
    cursor = page.pagination.next_cursor;
  } while (cursor !== null);
  return ids;
}

const [refreshId, event] = await refreshOnceStreaming();
const events = await listEvents({ path: { project_id: INVENTORY_PROJECT ?? '' } });
const record = await readRefresh({ path: { refresh_id: refreshId }, query: { wait: 30 } });
const assets = await assetsOfCurrent();
const lookup = await readCurrent({ path: scope, query: { assetid: assets.slice(0, 1) } });
const missing = await readRefresh({ path: { refresh_id: unknown } });
const keyless = await readRefresh({ path: { refresh_id: unknown }, auth: 'inv_unknown' });

const found = given(lookup.data, lookup.error);
const { outcome, billing } = given(record.data, record.error).data;
stdout.write(
  JSON.stringify({
    outcome,
    charged: billing.credits_charged,
    assets,
    found: found.data.assets.map(({ assetid }) => assetid),
    spent: found.meta.credits_charged,
    event: event.type === 'inventory.refresh.completed' ? event.data.outcome : null,
    listed: given(events.data, events.error).data.items.map((item) => item.event.id === event.id),
    codes: [missing.error?.error.code, keyless.error?.error.code],
  }),
);
