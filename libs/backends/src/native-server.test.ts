import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from './free-port.ts';
import { assertListening } from './mongodb-probe.ts';
import { NativeServer, type NativeServerOptions, PortTaken } from './native-server.ts';
import { identifyProcess } from './process-identity.ts';

const listen = (port: number): string =>
  `require('net').createServer().listen(${port}, '127.0.0.1', () => console.log('up'))`;

let folder: string;
let port: number;
let server: NativeServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'native-server-'));
  port = await findFreePort();
  server = serverRunning(listen(port));
});

afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function serverRunning(script: string, more: Partial<NativeServerOptions> = {}): NativeServer {
  return new NativeServer({
    name: 'Server 1.0',
    folder,
    command: process.execPath,
    args: ['-e', script],
    environment: {},
    port,
    portSetting: 'SERVER_PORT',
    ready: () => assertListening(port),
    temporary: false,
    onProgress: () => {},
    signal: undefined,
    ...more,
  });
}

function isUp(): Promise<boolean> {
  return assertListening(port).then(
    () => true,
    () => false,
  );
}

test('a server killed outright is down, and comes back on its port as another process', async () => {
  await server.start();
  const firstPid = server.pid;
  expect(firstPid).not.toBeNull();

  await server.kill('SIGKILL');
  expect(server.pid).toBeNull();
  expect(await isUp()).toBe(false);

  await server.start();
  expect(server.pid).not.toBe(firstPid);
  expect(await isUp()).toBe(true);
});

test('a server that runs is not started a second time', async () => {
  await server.start();

  await expect(server.start()).rejects.toThrow('runs already');
});

test('a server that is suspended can still be stopped', async () => {
  await server.start();
  await server.kill('SIGSTOP');
  expect(server.pid).not.toBeNull();

  await server.stop();

  expect(server.pid).toBeNull();
  expect(await isUp()).toBe(false);
});

test('stopping twice, or before a start, is no error', async () => {
  await serverRunning('').stop();
  await server.start();
  await server.stop();
  await server.stop();
});

test('a server that dies at its start is told with the last lines of its log', async () => {
  const dying = serverRunning("console.error('the store is damaged'); process.exit(3)");

  await expect(dying.start()).rejects.toThrow(
    /stopped while it was starting(.|\n)*store is damaged/,
  );
});

test('a program that cannot be run is named', async () => {
  const missing = serverRunning('', { command: join(folder, 'no-such-program') });

  await expect(missing.start()).rejects.toThrow(/cannot be run.*no-such-program/);
});

describe('a port that is taken', () => {
  let other: Server;

  beforeEach(async () => {
    other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
  });

  afterEach(() => other.close());

  test('is named together with the setting that changes it', async () => {
    await expect(server.start()).rejects.toThrow(
      new PortTaken(
        `Server 1.0 cannot listen on 127.0.0.1:${port}: the port is taken. Stop the program that uses it, or set SERVER_PORT to a free port.`,
      ),
    );
  });
});

test('a start that is aborted leaves no process', async () => {
  const controller = new AbortController();
  const never = serverRunning('setInterval(() => {}, 1e6)', {
    signal: controller.signal,
    ready: async () => {
      controller.abort(new Error('Ctrl-C'));
      throw new Error('not yet');
    },
  });

  await expect(never.start()).rejects.toThrow('Ctrl-C');

  expect(never.pid).toBeNull();
});

describe('a process that a dead start left on the data', () => {
  let orphan: ChildProcess;

  beforeEach(async () => {
    orphan = spawn(process.execPath, ['-e', listen(port)], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(orphan.stdout ?? orphan, 'data');
  });

  afterEach(() => orphan.kill('SIGKILL'));

  test('is ended by the next start', async () => {
    writeFileSync(join(folder, 'server.pid'), JSON.stringify(identifyProcess(orphan.pid ?? 0)));
    const gone = once(orphan, 'exit');

    await server.start();

    await gone;
    expect(readFileSync(join(folder, 'server.pid'), 'utf8')).toContain(String(server.pid));
  });

  test('is left alone when its number now belongs to another process', async () => {
    const reused = { pid: orphan.pid, startedAt: 'long ago' };
    writeFileSync(join(folder, 'server.pid'), JSON.stringify(reused));

    await expect(server.start()).rejects.toThrow(PortTaken);

    expect(identifyProcess(orphan.pid ?? 0)).not.toBeNull();
  });
});
