import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '@inventory/backends/free-port';
import { type OwnedProcess, spawnOwned } from '@inventory/backends/owned-process';
import { topicNames } from '@inventory/contracts/topics';
import { serviceCallers, serviceTokenOf } from '@inventory/local-stack/service-tokens';
import { connectMongo } from '@inventory/mongo/connect';
import { openNamespace, type TestNamespace, testLogger } from '@inventory/testkit/namespace';
import { waitFor } from '@inventory/testkit/wait-for';
import { openReader } from './support/stream-reader.ts';

/*
 * What the Dockerfile's images hold and how they behave, without Docker: the commands that it runs,
 * each in an empty folder outside the repository, started with a container's environment and, where
 * the tests run as root, as a container's user.
 */
const run = promisify(execFile);
const root = join(__dirname, '../..');
const programs = ['gateway', 'event-stream'] as const;
type Program = (typeof programs)[number];
const secret = Buffer.alloc(32, 7).toString('base64url');
const operatorToken = 'operator-token-of-this-test';
const tokenKey = 'key-of-the-service-tokens-of-this-test';
const user = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {};

let folder: string;
let names: TestNamespace;
let environments: Record<Program, Record<string, string>>;
let publicUrl: string;
const running: OwnedProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'image-'));
  chmodSync(folder, 0o755);
  names = await openNamespace({ topics: false });
  environments = await containerEnvironments();
  for (const program of programs) {
    await run(process.execPath, ['scripts/image.js', 'program', program, join(folder, program)], {
      cwd: root,
    });
  }
});
afterAll(async () => {
  for (const owned of running) {
    owned.signal('SIGKILL');
    await owned.untilEnd(5_000);
  }
  rmSync(folder, { recursive: true, force: true });
});

async function containerEnvironments(): Promise<Record<Program, Record<string, string>>> {
  const [gateway, operator, internal, events] = await Promise.all(
    Array.from({ length: 4 }, () => findFreePort()),
  );
  publicUrl = `http://127.0.0.1:${gateway}`;
  const common = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    NODE_ENV: 'production',
    KAFKA_BROKERS: names.kafkaBrokers.join(','),
    KAFKA_TOPIC_PREFIX: names.topicPrefix,
    MONGODB_URI: names.mongodbUri,
    SERVICE_CALLERS: serviceCallers(tokenKey),
  };
  const unreachable = 'http://127.0.0.1:1';
  return {
    'event-stream': {
      ...common,
      SERVICE_TOKEN: serviceTokenOf('event-stream', tokenKey),
      MONGODB_DATABASE: names.database('event_stream'),
      HTTP_PORT: String(events),
      GATEWAY_URL: `http://127.0.0.1:${internal}`,
      WEBHOOK_SECRET_KEYS: secret,
    },
    gateway: {
      ...common,
      SERVICE_TOKEN: serviceTokenOf('gateway', tokenKey),
      MONGODB_DATABASE: names.database('gateway'),
      HTTP_PORT: String(internal),
      PUBLIC_HTTP_PORT: String(gateway),
      OPERATOR_HTTP_PORT: String(operator),
      OPERATOR_TOKEN: operatorToken,
      CURSOR_KEYS: secret,
      REFRESH_COLLECTOR_URL: unreachable,
      BILLING_LEDGER_URL: unreachable,
      REVISION_STORE_URL: unreachable,
      EVENT_STREAM_URL: `http://127.0.0.1:${events}`,
    },
  };
}

/** Runs a file of an image to its end, as the container's entry point or health check would. */
async function runIn(program: Program, args: readonly string[], more: Record<string, string> = {}) {
  const options = {
    cwd: join(folder, program),
    env: { ...environments[program], ...more },
    ...user,
  };
  const { stdout } = await run(process.execPath, [...args], options);
  return stdout;
}

async function startContainer(program: Program): Promise<OwnedProcess> {
  const owned = await spawnOwned({
    command: process.execPath,
    args: ['main.js'],
    spawn: {
      cwd: join(folder, program),
      env: environments[program],
      stdio: ['ignore', 'ignore', 'inherit'],
      ...user,
    },
  });
  running.push(owned);
  await waitFor(`${program} is ready`, () => runIn(program, ['healthcheck.js']).then(() => true), {
    everyMs: 250,
  });
  return owned;
}

async function operatorCall(method: string, path: string, body: unknown) {
  const response = await fetch(
    `http://127.0.0.1:${environments.gateway['OPERATOR_HTTP_PORT']}/operator/v1${path}`,
    {
      method,
      headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    },
  );
  expect(response.ok).toBe(true);
  return (await response.json()) as Record<string, string>;
}

/** Every file of ours, which is everything but what npm installed. */
function ownFiles(program: Program): string[] {
  return readdirSync(join(folder, program), { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.includes('node_modules'))
    .toSorted();
}

const { shippedPackages } = require('../../scripts/generate/shipped-packages.js') as {
  shippedPackages: (
    folder: string,
  ) => readonly { name: string; version: string; os?: string[]; users: readonly string[] }[];
};
type Lockfile = {
  packages: Record<string, { version?: string; link?: boolean; dev?: boolean; integrity?: string }>;
};
const lockfileOf = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Lockfile;

describe('an image', () => {
  it.each(programs)('%s has production packages only, as the lockfile fixes them', (program) => {
    const whole = lockfileOf(join(root, 'package-lock.json')).packages;
    const installed = lockfileOf(join(folder, program, 'node_modules/.package-lock.json')).packages;
    const packages = Object.entries(installed).filter(
      ([path, { link }]) => path.startsWith('node_modules/') && !link,
    );
    expect(packages.length).toBeGreaterThan(50);
    for (const [path, { version, integrity }] of packages) {
      const { dev, ...fixed } = whole[path] ?? {};
      expect({ path, version, integrity, dev }).toEqual({
        path,
        version: fixed.version,
        integrity: fixed.integrity,
        dev: undefined,
      });
    }
  });

  it.each(programs)(
    '%s contains the packages of docs/generated/licences.md for its system, no more',
    (program) => {
      const installed = lockfileOf(
        join(folder, program, 'node_modules/.package-lock.json'),
      ).packages;
      const found = Object.entries(installed)
        .filter(([, { link, version }]) => !link && version !== undefined)
        .filter(([path]) => path.includes('node_modules/'))
        .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`);
      const listed = shippedPackages(root)
        .filter(({ users }) => users.includes(program))
        .map(({ name, version, os }) => ({ key: `${name}@${version}`, isForAll: os === undefined }))
        .filter(({ key, isForAll }) => isForAll || found.includes(key))
        .map(({ key }) => key);
      expect([...new Set(found)].toSorted()).toEqual(listed.toSorted());
    },
  );

  it.each(programs)(
    '%s contains its bill of materials, as `npm run sbom` writes it',
    async (program) => {
      const { stdout } = await run(process.execPath, ['scripts/sbom.js', program], { cwd: root });
      expect(readFileSync(join(folder, program, 'sbom.cdx.json'), 'utf8')).toBe(stdout);
    },
  );

  it.each(programs)('%s holds no source, test, type or other program', (program) => {
    const files = ownFiles(program);
    expect(files).toContain(`services/${program}/dist/main.js`);
    expect(
      files.filter((path) => /\.(ts|map|tsbuildinfo)$|\.test\.js$|\/src\//.test(path)),
    ).toEqual([]);
    expect(readdirSync(join(folder, program, 'services'))).toEqual([program]);
    expect(existsSync(join(folder, program, 'node_modules/typescript'))).toBe(false);
  });

  it('makes the topics that are missing, and nothing when run again', async () => {
    const settings = { TOPIC_PARTITIONS: '2', TOPIC_REPLICATION_FACTOR: '1' };
    const first = await runIn('gateway', ['main.js', '--ensure-topics'], settings);
    for (const topic of topicNames) expect(first).toContain(`"${names.topicPrefix}${topic}"`);
    const second = await runIn('gateway', ['main.js', '--ensure-topics'], settings);
    expect(second).toContain('"created":[]');
  });

  it('makes its indexes and ends without reading a message', async () => {
    await runIn('event-stream', ['main.js', '--ensure-indexes']);
    const database = names.database('event_stream');
    const mongo = await connectMongo({
      uri: names.mongodbUri,
      database,
      service: 'test',
      logger: testLogger,
    });
    const collections = await mongo.db.listCollections().toArray();
    await mongo.close();
    expect(collections.map(({ name }) => name)).toContain('projectLog');
  });

  it('names every setting that is missing, and exits with 1', async () => {
    const failed = runIn('event-stream', ['main.js'], { WEBHOOK_SECRET_KEYS: '', GATEWAY_URL: '' });
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/GATEWAY_URL is required\n +WEBHOOK_SECRET_KEYS is required/),
    });
  });

  it('becomes ready, closes its open streams under SIGTERM and ends with 0, having written nothing', async () => {
    const before = ownFiles('gateway');
    const gateway = await startContainer('gateway');
    const events = await startContainer('event-stream');
    const { account_id } = await operatorCall('POST', '/accounts', { name: 'of this test' });
    await operatorCall('PATCH', `/accounts/${account_id}`, { events_enabled: true });
    const { project_id = '' } = await operatorCall('POST', `/accounts/${account_id}/projects`, {});
    const { secret: apiKey = '' } = await operatorCall(
      'POST',
      `/projects/${project_id}/credentials`,
      { scopes: ['customer.events.read.v1'] },
    );
    const reader = await openReader({ gatewayUrl: publicUrl, projectId: project_id, apiKey });
    expect(reader.status).toBe(200);

    gateway.signal('SIGTERM');
    await reader.frame('stream.closing');
    await waitFor('the stream ends', () => reader.ended());
    await expect(gateway.ended).resolves.toEqual({ code: 0, signal: null });
    events.signal('SIGTERM');
    await expect(events.ended).resolves.toEqual({ code: 0, signal: null });
    expect(ownFiles('gateway')).toEqual(before);
  });
});
