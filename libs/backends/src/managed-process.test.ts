import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { waitFor } from '@inventory/testkit/wait-for';
import { findFreePort } from './free-port.ts';
import { ManagedProcess, type ManagedProcessOptions } from './managed-process.ts';
import { startNativeServer } from './native-server.ts';

let directory: string;
let port: number;
let sentences: string[];
let server: ManagedProcess;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'managed-process-'));
  port = await findFreePort();
  sentences = [];
  server = processRunning(listening());
});

afterEach(async () => {
  await server.stop('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

const listening = () => `require('net').createServer().listen(${port}, '127.0.0.1')`;

function processRunning(
  script: string,
  options: Partial<ManagedProcessOptions> = {},
): ManagedProcess {
  return new ManagedProcess({
    name: 'Server',
    command: process.execPath,
    args: ['-e', script],
    cwd: directory,
    environment: {},
    logFile: join(directory, 'server.log'),
    probe,
    onProgress: (sentence) => sentences.push(sentence),
    ...options,
  });
}

async function probe(): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port });
  await once(socket, 'connect').finally(() => socket.destroy());
}

test('a killed process is started again and reported', async () => {
  await server.start();
  const { pid } = server;

  await server.kill();
  await server.untilReady();

  expect(server.pid).not.toBe(pid);
  await probe();
  expect(sentences).toEqual([
    expect.stringMatching(/^Server is ready after/),
    expect.stringMatching(/^Server was ended by SIGKILL; it is started again in 1 s\. Its log: /),
    expect.stringMatching(/^Server is ready again after/),
  ]);
});

test('a process whose number cannot be written, as on a full disk, ends and is started again until it can be', async () => {
  const run = join(directory, 'run');
  mkdirSync(run);
  server = processRunning(listening(), { pidFile: join(run, 'server.pid') });
  await server.start();
  rmSync(run, { recursive: true });
  await server.kill();
  await waitFor('it was started in vain', () =>
    sentences.some((sentence) => sentence.startsWith('Server cannot be run: ENOENT')),
  );
  await expect(probe()).rejects.toThrow('ECONNREFUSED');

  mkdirSync(run);

  await server.untilReady();
  await server.stop();
  await expect(probe()).rejects.toThrow('ECONNREFUSED');
});

test('a stopped process stays down until it is started', async () => {
  await server.start();

  await server.stop();

  expect([server.pid, server.isReady]).toEqual([null, false]);
  await expect(server.untilReady()).rejects.toThrow('Server was stopped');
  await server.start();
  expect(server.isReady).toBe(true);
});

test('a process stopped while it starts ends, is probed no more, and its start is rejected', async () => {
  const probedPids: (number | null)[] = [];
  const starting = processRunning('setInterval(() => {}, 1e6)', {
    probe: async () => {
      probedPids.push(starting.pid);
      throw new Error('not ready');
    },
  });
  const rejected = expect(starting.start()).rejects.toThrow('Server was stopped');
  await waitFor('it was probed', () => probedPids.length > 0);

  await starting.stop();

  await rejected;
  expect(starting.pid).toBeNull();
  // Its watch ends in the same tick of the event loop.
  await setImmediate();
  expect(probedPids).not.toContain(null);
});

test('a process that ends before it is ready is reported with the last lines of its log', async () => {
  const failing = processRunning("console.error('the store is damaged'); process.exit(3)");

  await expect(failing.start()).rejects.toThrow(
    /^Server cannot be started: it ended with exit code 3\.(.|\n)*store is damaged/,
  );
});

test('a native server whose port is taken is refused with the setting that changes it', async () => {
  const other = createServer().listen({ host: '127.0.0.1', port });
  await once(other, 'listening');
  const taken = {
    name: 'Server',
    title: 'Server 1.0',
    directory,
    command: process.execPath,
    args: [],
    port,
    portSetting: 'SERVER_PORT',
    address: '',
    probe,
  };
  const start = {
    dataDir: directory,
    isTemporary: false,
    cacheDir: directory,
    port,
    environment: {},
    onProgress: () => {},
    signal: undefined,
  };

  await expect(startNativeServer(taken, start)).rejects.toThrow(
    `Server 1.0 cannot listen on 127.0.0.1:${port}: the port is taken. Stop the program that uses it, or set SERVER_PORT to a free port.`,
  );
  other.close();
});
