import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from './free-port.ts';
import { assertListening } from './mongodb-probe.ts';
import { NativeServer, PortTaken } from './native-server.ts';
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

function serverRunning(script: string): NativeServer {
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

test('a server that dies at its start is told with the last lines of its log', async () => {
  const dying = serverRunning("console.error('the store is damaged'); process.exit(3)");

  await expect(dying.start()).rejects.toThrow(
    /stopped while it was starting(.|\n)*store is damaged/,
  );
});

test('a taken port is told with its setting, and who has it is left alone, also under the number of an earlier start', async () => {
  const stranger = spawn(process.execPath, ['-e', listen(port)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(stranger.stdout, 'data');
  const reused = { pid: stranger.pid, startedAt: 'long ago' };
  writeFileSync(join(folder, 'server.pid'), JSON.stringify(reused));

  await expect(server.start()).rejects.toThrow(
    new PortTaken(
      `Server 1.0 cannot listen on 127.0.0.1:${port}: the port is taken. Stop the program that uses it, or set SERVER_PORT to a free port.`,
    ),
  );

  expect(identifyProcess(stranger.pid ?? 0)).not.toBeNull();
  stranger.kill('SIGKILL');
});
