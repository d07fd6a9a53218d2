import type { World } from '../platform/world.ts';
import {
  changeAccount,
  changeInventory,
  createAccount,
  forgetChanges,
  type InventoryPath,
  readInventory,
  release,
} from './control-accounts.ts';
import { type ControlAnswer, ok, refused, unknown } from './control-answer.ts';
import { addFault, readFaults, removeFault, removeFaults } from './control-faults.ts';
import {
  changeIdentity,
  changeLatency,
  changeLimits,
  clearCounters,
  clearLimiter,
  readCounters,
  readIdentities,
  readLatency,
  readLimits,
} from './control-limits.ts';

export type ControlRequest = {
  readonly method: string;
  readonly url: URL;
  readonly body: string;
};

type Call = {
  readonly world: World;
  /** The path's own segments, decoded. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
};

type Route = readonly [pattern: RegExp, methods: Record<string, (call: Call) => ControlAnswer>];

const routes: readonly Route[] = [
  [
    /^\/control\/limits$/,
    {
      GET: ({ world }) => readLimits(world),
      PATCH: ({ world, body }) => changeLimits(world, body),
    },
  ],
  [
    /^\/control\/latency$/,
    {
      GET: ({ world }) => readLatency(world),
      PATCH: ({ world, body }) => changeLatency(world, body),
    },
  ],
  [/^\/control\/limiter$/, { DELETE: ({ world }) => clearLimiter(world) }],
  [/^\/control\/identities$/, { GET: ({ world }) => readIdentities(world) }],
  [
    /^\/control\/identities\/([^/]{1,128})$/,
    { PUT: ({ world, segments, body }) => changeIdentity(world, segments[0] ?? '', body) },
  ],
  [
    /^\/control\/counters$/,
    {
      GET: ({ world, query }) =>
        readCounters(world, {
          platformId: query.get('platform_id'),
          identity: query.get('identity'),
        }),
      DELETE: ({ world }) => clearCounters(world),
    },
  ],
  [
    /^\/control\/faults$/,
    {
      GET: ({ world }) => readFaults(world),
      POST: ({ world, body }) => addFault(world, body),
      DELETE: ({ world }) => removeFaults(world),
    },
  ],
  [
    /^\/control\/faults\/([^/]{1,128})$/,
    { DELETE: ({ world, segments }) => removeFault(world, segments[0] ?? '') },
  ],
  [/^\/control\/accounts$/, { POST: ({ world, body }) => createAccount(world, body) }],
  [
    /^\/control\/accounts\/([0-9]{17})$/,
    { PATCH: ({ world, segments, body }) => changeAccount(world, segments[0] ?? '', body) },
  ],
  [
    /^\/control\/inventories\/([0-9]{17})\/([0-9]{1,10})\/([0-9]{1,10})$/,
    {
      GET: ({ world, segments }) => readInventory(world, inventoryPath(segments)),
      POST: ({ world, segments, body }) => changeInventory(world, inventoryPath(segments), body),
      DELETE: ({ world, segments }) => forgetChanges(world, inventoryPath(segments)),
    },
  ],
  [/^\/control\/reset$/, { POST: ({ world }) => reset(world) }],
];

/** The answer of a control endpoint; it changes the world, never anything else. */
export function control(request: ControlRequest, world: World): ControlAnswer {
  for (const [pattern, methods] of routes) {
    const match = pattern.exec(request.url.pathname);
    if (match !== null) {
      return run(methods, request, world, match.slice(1));
    }
  }
  return unknown(`There is no control endpoint ${request.url.pathname}.`);
}

function run(
  methods: Route[1],
  request: ControlRequest,
  world: World,
  rawSegments: readonly string[],
): ControlAnswer {
  const handler = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
  if (handler === undefined) {
    const allowed = Object.keys(methods).join(', ');
    return { status: 405, body: { error: `${request.url.pathname} takes ${allowed}.` } };
  }
  try {
    const segments = rawSegments.map(decodeURIComponent);
    const body: unknown = request.body === '' ? {} : JSON.parse(request.body);
    return handler({ world, segments, query: request.url.searchParams, body });
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof URIError) {
      return refused('The body must be JSON and the path properly encoded.');
    }
    throw error;
  }
}

function inventoryPath(segments: readonly string[]): InventoryPath {
  return {
    platformId: segments[0] ?? '',
    appId: Number(segments[1]),
    contextId: Number(segments[2]),
  };
}

/** Forgets every fault, change, created account, window and counter; limits and latency stay. */
function reset(world: World): ControlAnswer {
  for (const platformId of [...world.held.keys()]) release(world, platformId);
  world.identityModes.clear();
  world.limiters.clear();
  world.faultRules.clear();
  world.accounts.clear();
  world.changes.clear();
  world.progress.clear();
  clearCounters(world);
  return ok({ reset: true });
}
