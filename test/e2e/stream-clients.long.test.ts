import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '@inventory/runtime/wait';
import { waitFor } from '@inventory/testkit/wait-for';
import { type Chance, openChance } from '../support/random-seed.ts';
import { machineEnvironment } from '../support/start-command.ts';
import { type CuttingProxy, startCuttingProxy } from './support/cutting-proxy.ts';
import { type OtherClient, otherClients } from './support/other-stream-clients.ts';
import { readProjectLog } from './support/project-log.ts';
import type { PublicApi } from './support/public-api.ts';
import { providePythonPackages } from './support/python-environment.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** Of a day in which each connection lives 10 to 15 minutes. */
const reconnects = 115;
const pythonLibraries = ['httpx-sse', 'sseclient-py', 'requests'];
const pythonPackages = [
  ...['httpx==0.28.1', 'httpx-sse==0.4.3', 'sseclient-py==1.9.0', 'requests==2.34.2'],
];
/** After which its owner starts a client again that gave up. */
const givenUpMs = 100;
const program = join(__dirname, 'support/sse-readers.py');
const chance = openChance();
let stack: TestStack;
let customer: { projectId: string; secret: string; api: PublicApi };

beforeAll(async () => {
  process.stderr.write(`stream clients: TEST_SEED=${chance.seed}\n`);
  stack = await openTestStack({
    replicas: { gateway: 2 },
    serviceEnvironment: { gateway: { STREAMS_PER_PROJECT_MAX: '20', STREAM_LIFE_MAX_MS: '3000' } },
  });
  const { accountId, projectId } = await stack.operator.newCustomer();
  await stack.operator.switchEvents(accountId, true);
  const scopes = ['*', 'customer.events.read.v1'];
  customer = { projectId, ...(await stack.operator.newCredential(projectId, { scopes })) };
});
afterAll(() => stack?.close());

/** A reader that dies between applying an event and saving its position, and starts again from there. */
interface MortalReader {
  readonly name: string;
  /** Event ids in the order they were applied. */
  readonly applied: () => readonly string[];
  readonly hasPosition: () => boolean;
  readonly deaths: () => number;
  readonly network: CuttingProxy;
  /** Why it ended when no test killed it. */
  readonly complaints: () => string;
  stop(): Promise<void>;
}

function startOther(client: OtherClient, network: CuttingProxy): MortalReader {
  const applied: string[] = [];
  let saved: string | null = null;
  let deaths = 0;
  let isStopped = false;
  let close = () => {};
  const url = `${network.url}/v2/projects/${customer.projectId}/events/stream`;

  function live(): void {
    let isDead = false;
    const end = client.open({
      url,
      apiKey: customer.secret,
      cursor: saved,
      onGivenUp() {
        if (isDead) return;
        isDead = true;
        setTimeout(() => {
          if (!isStopped) live();
        }, givenUpMs);
      },
      onFrame(type, cursor, data) {
        if (isDead) return;
        if (type === 'checkpoint') {
          saved ??= cursor;
          return;
        }
        applied.push(JSON.parse(data).id);
        if (chance.below(8) > 0) {
          saved = cursor;
          return;
        }
        deaths += 1;
        isDead = true;
        setImmediate(() => {
          end();
          if (!isStopped) live();
        });
      },
    });
    close = () => {
      isDead = true;
      end();
    };
  }

  live();
  return {
    name: client.name,
    applied: () => applied,
    hasPosition: () => saved !== null,
    deaths: () => deaths,
    network,
    complaints: () => '',
    async stop() {
      isStopped = true;
      close();
    },
  };
}

async function startPython(
  library: string,
  network: CuttingProxy,
  packages: string,
): Promise<MortalReader> {
  const folder = join(stack.folder, library);
  mkdirSync(folder);
  const url = `${network.url}/v2/projects/${customer.projectId}/events/stream`;
  const env = { ...machineEnvironment(), PYTHONPATH: packages, STREAM_KEY: customer.secret };
  const appliedFile = join(folder, 'applied');
  let deaths = 0;
  let stopped = false;
  const life: { process?: ChildProcess } = {};
  const complaints: string[] = [];
  const lives = (async () => {
    while (!stopped) {
      const process = spawn('python3', [program, library, url, folder], { env });
      process.stderr.on('data', (part) => complaints.push(String(part)));
      life.process = process;
      await once(process, 'close');
      if (!stopped) deaths += 1;
    }
  })();
  const killing = (async () => {
    while (!stopped) {
      await pause(250);
      // Not much more often: each new life first loads its libraries, and reads nothing meanwhile.
      if (chance.below(48) === 0) life.process?.kill('SIGKILL');
    }
  })();
  killing.catch(() => {});
  return {
    name: library,
    applied: () =>
      existsSync(appliedFile) ? readFileSync(appliedFile, 'utf8').trim().split('\n') : [],
    hasPosition: () => existsSync(join(folder, 'cursor')),
    deaths: () => deaths,
    network,
    complaints: () => complaints.join(''),
    async stop() {
      stopped = true;
      life.process?.kill('SIGKILL');
      await lives;
    },
  };
}

function startNetwork(seeded: Chance): Promise<CuttingProxy> {
  const targets = stack.replicasOf('gateway').map(({ publicUrl }) => publicUrl ?? '');
  return startCuttingProxy({
    targets: () => targets,
    chance: seeded,
    lifeMeanMs: 250,
    sparedOneIn: 30,
    retryMs: 40,
  });
}

async function startReaders(): Promise<MortalReader[]> {
  const packages = await providePythonPackages('streams', pythonPackages).catch(
    (error: unknown) => {
      process.stderr.write(`NOT READ BY PYTHON CLIENTS, which cannot be fetched: ${error}\n`);
      return null;
    },
  );
  const others = otherClients.map(async (client) => startOther(client, await startNetwork(chance)));
  const python = packages === null ? [] : pythonLibraries;
  const snakes = python.map(async (library) =>
    startPython(library, await startNetwork(chance), packages ?? ''),
  );
  return Promise.all([...others, ...snakes]);
}

test('clients that others wrote read every event through the reconnects of a day, and through deaths between apply and save (Events) [events-applied-once]', async () => {
  const readers = await startReaders();
  try {
    await waitFor('every reader has a position', () => {
      const left = readers
        .filter((one) => !one.hasPosition())
        .map(
          (one) => `${one.name} ${one.network.connections()} ${one.deaths()} ${one.complaints()}`,
        );
      if (left.length > 0) throw new Error(left.join(', '));
      return true;
    });
    let posted = 0;
    await waitFor(
      'every reader came back as often as in a day',
      async () => {
        await customer.api.accepted(sizeScope(3, posted + 1));
        posted += 1;
        const counts = readers.map(({ name, network }) => `${name} ${network.connections()}`);
        if (readers.some(({ network }) => network.connections() < reconnects)) {
          throw new Error(counts.join(', '));
        }
        return true;
      },
      { everyMs: 400 },
    );
    for (const { network } of readers) network.calm();
    const log = await waitFor('every refresh is in the log', async () => {
      const entries = await readProjectLog(stack, customer.projectId);
      return entries.length >= posted && entries;
    });
    const stored = log.map(({ eventId }) => eventId);
    await waitFor(
      'every reader applied every event',
      () => {
        const left = readers.map(({ name, applied }) => {
          const seen = new Set(applied());
          return `${name} ${stored.filter((id) => !seen.has(id)).length}`;
        });
        if (left.some((one) => !one.endsWith(' 0'))) throw new Error(left.join(', '));
        return true;
      },
      { everyMs: 100 },
    );

    for (const { name, applied, deaths, network, complaints } of readers) {
      const counts = `${deaths()} deaths, ${network.connections()} connections`;
      process.stderr.write(`${name}: ${counts}, ${applied().length} of ${stored.length}\n`);
      expect([name, [...new Set(applied())]]).toEqual([name, stored]);
      expect(applied().length - stored.length).toBeLessThanOrEqual(deaths());
      expect(deaths()).toBeGreaterThan(0);
      expect(complaints()).toBe('');
    }
  } finally {
    await Promise.all(readers.map((one) => one.stop()));
    await Promise.all(readers.map(({ network }) => network.close()));
  }
});
