import { z } from 'zod';
import { readCounters } from '../platform/counters.ts';
import type { World } from '../platform/world.ts';
import { changeAccount, changeInventory, readInventory } from './control-accounts.ts';
import { addFault } from './control-faults.ts';

export type ControlRequest = {
  readonly method: string;
  readonly url: URL;
  readonly body: string;
};

export type ControlAnswer = { readonly status: number; readonly body: unknown };

type Call = {
  readonly world: World;
  /** The captured parts of the path, decoded. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
};

const seconds = z.number().min(0).max(86_400);
const milliseconds = z.int().min(0).max(600_000);

const limitsBody = z
  .strictObject({
    window_seconds: seconds,
    slots: z.int().min(0).max(1_000_000).nullable(),
    block_seconds: seconds,
    count_max: z.int().min(1).max(10_000),
  })
  .partial();
const latencyBody = z.strictObject({ fixed_ms: milliseconds });
const identityBody = z.strictObject({
  mode: z.enum(['normal', 'bad_request', 'block_page', 'firewall_html']),
});

/** Method and path; each returns the body of a 200, and changes the world and nothing else. */
const knobs: readonly (readonly [string, RegExp, (call: Call) => unknown])[] = [
  ['PATCH', /^limits$/, changeLimits],
  ['PATCH', /^latency$/, changeLatency],
  ['PUT', /^identities\/([^/]+)$/, changeIdentity],
  [
    'GET',
    /^counters$/,
    ({ world, query }) => readCounters(world.counters, query.get('platform_id')),
  ],
  ['POST', /^faults$/, ({ world, body }) => addFault(world, body)],
  ['DELETE', /^faults$/, ({ world }) => world.faultRules.clear()],
  ['DELETE', /^faults\/([^/]+)$/, ({ world, parts }) => world.faultRules.delete(parts[0] ?? '')],
  [
    'PATCH',
    /^accounts\/([0-9]{17})$/,
    ({ world, parts, body }) => changeAccount(world, parts, body),
  ],
  [
    'GET',
    /^inventories\/(\d{17})\/(\d+)\/(\d+)$/,
    ({ world, parts }) => readInventory(world, parts),
  ],
  [
    'POST',
    /^inventories\/(\d{17})\/(\d+)\/(\d+)$/,
    ({ world, parts, body }) => changeInventory(world, parts, body),
  ],
];

/** The response of a control endpoint. */
export function control({ method, url, body }: ControlRequest, world: World): ControlAnswer {
  const path = url.pathname.replace('/control/', '');
  for (const [knobMethod, pattern, handle] of knobs) {
    const match = pattern.exec(path);
    if (knobMethod !== method || match === null) continue;
    try {
      const parts = match.slice(1).map(decodeURIComponent);
      const read: unknown = body === '' ? {} : JSON.parse(body);
      const result = handle({ world, parts, query: url.searchParams, body: read });
      return { status: 200, body: result ?? {} };
    } catch (error) {
      const sentence = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
      return { status: 400, body: { error: sentence } };
    }
  }
  return { status: 404, body: { error: `There is no control endpoint ${method} ${path}.` } };
}

function changeLimits({ world, body }: Call) {
  const said = limitsBody.parse(body);
  const { limits } = world;
  world.limits = {
    windowSeconds: said.window_seconds ?? limits.windowSeconds,
    slots: said.slots === undefined ? limits.slots : said.slots,
    blockSeconds: said.block_seconds ?? limits.blockSeconds,
    countMax: said.count_max ?? limits.countMax,
  };
}

function changeLatency({ world, body }: Call) {
  world.latency = { ...world.latency, fixedMs: latencyBody.parse(body).fixed_ms };
}

function changeIdentity({ world, parts: [identity = ''], body }: Call) {
  const { mode } = identityBody.parse(body);
  if (mode === 'normal') world.identityModes.delete(identity);
  else world.identityModes.set(identity, mode);
}
