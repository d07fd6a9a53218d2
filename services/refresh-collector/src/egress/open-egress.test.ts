import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { type Lifetime, openLifetime } from '@inventory/runtime/lifetime';
import { newAccountId, newScope } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { memoryIdentities } from '../../test/memory-identities.ts';
import { requiredSettings } from '../../test/required-settings.ts';
import { loadConfig } from '../config.ts';
import type { AppBreakerStore } from './app-breaker-store.ts';
import { openEgress } from './open-egress.ts';
import { readPage } from './read-page.ts';

/** What a stop waits for each resource at most, and no stop of this machine takes. */
const closeMs = 60_000;
const page = '{"success":1,"total_inventory_count":0}';

let platform: Server;
let lifetime: Lifetime;
let sendPage: (response: ServerResponse) => void;

beforeAll(async () => {
  platform = createServer((_request, response) => sendPage(response));
  await once(platform.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => lifetime.close());
afterAll(() => {
  platform.closeAllConnections();
  platform.close();
});

/** An egress with one identity; its store takes a while for each write, and none once it is closed. */
async function open(onWrite: (version: number) => void = () => {}) {
  const { port } = platform.address() as AddressInfo;
  const config = loadConfig({
    ...requiredSettings,
    PLATFORM_BASE_URL: `http://127.0.0.1:${port}`,
    PLATFORM_TIMEOUT_MS: '600000',
  });
  lifetime = openLifetime(testLogger, closeMs);
  const identities = memoryIdentities();
  const { saveIdentity } = identities;
  let isClosed = false;
  lifetime.defer('store', () => {
    isClosed = true;
  });
  identities.saveIdentity = async (previous, next) => {
    onWrite(next.version);
    await yieldToEventLoop();
    if (isClosed) throw new Error('the store is closed');
    return saveIdentity(previous, next);
  };
  const breakers = only<AppBreakerStore>({ readOpenings: async () => new Map() });
  const egress = await openEgress(
    {
      ...{ config, lifetime, clock: systemClock },
      ...{ identifiers: systemIdentifiers, logger: testLogger },
    },
    'replica',
    { identities, breakers },
    () => ({ urgentUntilMs: null, liveShare: 0.05 }),
    only({ pauseMs: (whileUsedMs) => whileUsedMs, onResumed: () => {} }),
  );
  const read = () =>
    readPage(
      egress,
      {
        ...{ accountId: newAccountId(), scope: newScope(), language: 'english', count: 2_000 },
        ...{ startAssetId: null, deadlineMs: null, avoid: [], unreachable: [] },
      },
      lifetime.signal,
    );
  return { identities, read };
}

describe('a stop leaves no slot in use (architecture: an identity is released) when it comes', () => {
  const inUse = async ({ identities }: Awaited<ReturnType<typeof open>>) => {
    const [identity] = await identities.loadIdentities(['direct']);
    return { version: identity?.version, inFlight: identity?.inFlight };
  };

  it.each<[moment: string, respond: (response: ServerResponse) => void]>([
    ['before the platform responds', () => {}],
    ['after the head of its response', (response) => response.writeHead(200).flushHeaders()],
    ['within its response', (response) => response.write(page.slice(0, 10))],
  ])('%s', async (_moment, respond) => {
    const egress = await open();
    const requested = Promise.withResolvers<void>();
    sendPage = (response) => {
      respond(response);
      requested.resolve();
    };

    const reading = egress.read();
    await requested.promise;
    await lifetime.close();

    expect(await inUse(egress)).toEqual({ version: 2, inFlight: null });
    await reading;
  });

  it.each([
    ['while the slot is being acquired', 1],
    ['while its release is being stored', 2],
  ])('%s', async (_moment, write) => {
    const writing = Promise.withResolvers<void>();
    const egress = await open((version) => version === write && writing.resolve());
    sendPage = (response) => response.end(page);

    const reading = egress.read();
    await writing.promise;
    await lifetime.close();

    expect(await inUse(egress)).toEqual({ version: 2, inFlight: null });
    await reading;
  });
});
