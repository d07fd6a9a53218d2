import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@inventory/testkit/wait-for';
import { removeVolumes } from '../src/container-data.ts';
import { type Backends, provisionBackends } from '../src/provision-backends.ts';
import { serverVersions } from '../src/server-versions.ts';
import { allDocuments, insertDocument } from './documents.ts';
import { machineEnvironment } from './machine-environment.ts';
import { consumeRecord, produceRecord, topicNames } from './records.ts';

const environment = machineEnvironment();
/** Reported as skipped where no Docker daemon answers; the reason is printed. */
const onDocker = doesDockerRespond() ? test : test.skip;
const running: Backends[] = [];
let parent: string;
let dataDir: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'container-backends-'));
  dataDir = join(parent, 'data');
});

afterEach(async () => {
  for (const backends of running.splice(0)) await backends.stop();
  await removeVolumes(dataDir, environment);
  rmSync(parent, { recursive: true, force: true });
});

async function provision(options: { dataDir?: string; never?: true } = {}): Promise<Backends> {
  const backends = await provisionBackends({
    environment,
    ...(options.never ? { docker: 'never' } : {}),
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
  });
  running.push(backends);
  return backends;
}

function docker(...args: string[]): string {
  return execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

function doesDockerRespond(): boolean {
  try {
    return /^\d/.test(docker('version', '--format', '{{.Server.Version}}'));
  } catch {
    process.stderr.write('SKIPPED: no Docker daemon answers, backends in containers not tested.\n');
    return false;
  }
}

/** The containers that publish the port of this Kafka. */
function containersOf(backends: Backends): string[] {
  const port = backends.kafkaBrokers.split(':')[1];
  return docker('ps', '--all', '--quiet', '--filter', `publish=${port}`)
    .split('\n')
    .filter(Boolean);
}

const volumes = (): string[] =>
  docker('volume', 'ls', '--quiet').split('\n').filter(Boolean).toSorted();
const containers = (): string[] =>
  docker('ps', '--all', '--quiet').split('\n').filter(Boolean).toSorted();

onDocker('where a daemon answers, both servers run in containers and leave nothing', async () => {
  const before = volumes();
  const backends = await provision();
  expect(backends.origin).toEqual({
    kafka: `Apache Kafka ${serverVersions.kafka}, container of ${serverVersions.kafkaImage}`,
    mongodb: `MongoDB, container of ${serverVersions.mongodbImage}`,
  });
  await produceRecord(backends.kafkaBrokers, 'orders', 'acknowledged');
  await insertDocument(backends.mongodbUri, { _id: 'acknowledged' });
  expect(await consumeRecord(backends.kafkaBrokers, 'orders')).toBe('acknowledged');
  expect(await topicNames(backends.kafkaBrokers)).toContain('orders');
  expect(await allDocuments(backends.mongodbUri)).toEqual([{ _id: 'acknowledged' }]);
  expect(containersOf(backends)).toHaveLength(1);

  await backends.stop();

  expect(containersOf(backends)).toEqual([]);
  expect(volumes()).toEqual(before);
});

onDocker('a later start on the same directory finds the data, until they are removed', async () => {
  const before = volumes();
  const first = await provision({ dataDir });
  await produceRecord(first.kafkaBrokers, 'orders', 'kept');
  await insertDocument(first.mongodbUri, { _id: 'kept' });
  await expect(provision({ dataDir })).rejects.toThrow(/in use by another process/);
  await first.stop();

  const second = await provision({ dataDir });
  expect(await consumeRecord(second.kafkaBrokers, 'orders')).toBe('kept');
  expect(await allDocuments(second.mongodbUri)).toEqual([{ _id: 'kept' }]);
  await second.stop();

  await expect(provision({ dataDir, never: true })).rejects.toThrow(/in Docker volumes/);
  await removeVolumes(dataDir, environment);
  expect(volumes()).toEqual(before);
});

onDocker('a start that is aborted while a container starts leaves none', async () => {
  const before = containers();
  const stop = new AbortController();
  const starting = provisionBackends({ environment, signal: stop.signal });
  const ended = expect(starting).rejects.toThrow('stopped by the test');
  await waitFor('a container is there', () => containers().length > before.length);

  stop.abort(new Error('stopped by the test'));

  await ended;
  expect(containers()).toEqual(before);
});

onDocker('data that native servers wrote are opened by native servers', async () => {
  const native = await provision({ dataDir, never: true });
  await insertDocument(native.mongodbUri, { _id: 'native' });
  await native.stop();

  const again = await provision({ dataDir });

  expect(again.origin.mongodb).toMatch(/native process$/);
  expect(await allDocuments(again.mongodbUri)).toEqual([{ _id: 'native' }]);
});
