import { execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import {
  apiKey,
  currentData,
  failure,
  finished,
  pending,
  projectId,
  success,
} from '../test/answers.ts';
import {
  type Respond,
  type ScriptedAnswer,
  type ScriptedServer,
  startScriptedServer,
} from '../test/scripted-server.ts';
import { checkpoint, event, eventFrame, frame } from '../test/stream-server.ts';

/** A customer's folder outside of this repository, with the package as npm packs it. */
const here = resolve(__dirname, '..');
const modules = resolve(here, '../../node_modules');
const compiler = join(modules, '@typescript/native/bin/tsc');
const run = promisify(execFile);
let folder: string;
let installed: string;
let server: ScriptedServer;

beforeAll(async () => {
  server = await startScriptedServer();
  folder = mkdtempSync(join(tmpdir(), 'client-package-'));
  installed = join(folder, 'node_modules/@inventory/client');
  const source = join(folder, 'source');
  mkdirSync(installed, { recursive: true });
  for (const name of ['package.json', 'README.md']) cpSync(join(here, name), join(source, name));
  const emit = ['--outDir', join(source, 'dist'), '--tsBuildInfoFile', join(folder, 'buildinfo')];
  await run(process.execPath, [compiler, '-p', here, ...emit]);
  await run('npm', ['pack', '--offline', '--loglevel=error', '--pack-destination', folder], {
    cwd: source,
  });
  const [packed = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  await run('tar', ['-xzf', join(folder, packed), '--strip-components=1', '-C', installed]);
  mkdirSync(join(folder, 'node_modules/@types'));
  for (const name of ['@types/node', 'undici-types', 'eventsource-parser']) {
    symlinkSync(join(modules, name), join(folder, 'node_modules', name));
  }
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const examples = [
  ...readFileSync(join(here, 'README.md'), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm),
].map(([, code = '']) => code);

/** A service with one inventory, and another that is private. */
function serve({
  pollsUntilDone,
  retryAfterSeconds,
}: {
  pollsUntilDone: number;
  retryAfterSeconds: number;
}): void {
  let pollsLeft = pollsUntilDone;
  const respond: Respond = ({ method, path, query, headers }) => {
    if (headers['x-api-key'] !== apiKey) return failure(401, 'invalid_api_key');
    if (path.endsWith('/events/stream')) return streamAfter(headers['last-event-id']);
    if (path.includes('76100000000000002')) return failure(403, 'inventory_private');
    if (method === 'POST') return pending(retryAfterSeconds, 202);
    if (path.includes('/inventory-refreshes/')) {
      pollsLeft -= 1;
      return pollsLeft < 1 ? success(finished()) : pending(retryAfterSeconds);
    }
    const from = Number(query.get('cursor')?.replace('from-', '') ?? 0);
    return success(currentData(4_001, 2_000, from));
  };
  server.responds(respond);
}

/** One event, and at the position after it the end of the permission. */
function streamAfter(lastEventId: unknown): ScriptedAnswer {
  const start = checkpoint(String(lastEventId ?? 'start'));
  const isFirst = lastEventId === undefined;
  const rest = isFirst
    ? eventFrame(1)
    : frame('stream.authorization_revoked', { reason: 'credential_revoked' });
  return { headers: { 'content-type': 'text/event-stream' }, body: `${start}${rest}` };
}

test('it contains compiled code, types and the README, and depends on one package: the parser of streams', () => {
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));

  expect(files).toEqual(
    expect.arrayContaining(['README.md', 'dist/inventory-client.js', 'dist/inventory-client.d.ts']),
  );
  expect(
    files.filter((name) => /test|\.ts$|buildinfo/.test(name) && !/\.d\.ts$/.test(name)),
  ).toEqual([]);
  expect(manifest).not.toHaveProperty('private');
  expect(Object.keys(manifest.dependencies)).toEqual(['eventsource-parser']);
});

test('the examples of the README compile under the strictest settings of a customer', async () => {
  const names = examples.map((code, index) => {
    writeFileSync(join(folder, `example-${index}.mts`), code);
    return `example-${index}.mts`;
  });
  const settings = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const target = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--noEmit'];
  const args = [compiler, ...settings, ...target, '--pretty', 'false', ...names];

  const { stdout } = await run(process.execPath, args, { cwd: folder }).catch((error) => error);

  expect(names.length).toBeGreaterThanOrEqual(3);
  expect(stdout).toBe('');
});

test.each([
  [0, 'complete_changed, 3 credits\n10000000000000000000 m0\n4001 assets\n'],
  [1, 'later\ncomplete_changed\n'],
  [2, 'complete_changed of 0197a4b0-0000-7000-8000-000000000001\ncredential_revoked\n'],
  [4, 'inventory_private 403 req_0197a4b0-0000-7000-8000-000000000003\n'],
])('example %i of the README does what it shows', async (index, printed) => {
  // The wait of the second example ends at its deadline, however slow this machine is.
  const isLate = index === 1;
  serve(
    isLate
      ? { pollsUntilDone: 1, retryAfterSeconds: 3_600 }
      : { pollsUntilDone: 2, retryAfterSeconds: 1 },
  );
  const file = join(folder, `run-${index}.mts`);
  writeFileSync(file, examples[index]?.replace('deadlineMs: 2_000', 'deadlineMs: 600_000') ?? '');
  const env = {
    INVENTORY_URL: server.url,
    INVENTORY_API_KEY: apiKey,
    INVENTORY_PROJECT: projectId,
    CURSOR_FILE: join(folder, `cursor-${index}`),
  };

  const { stdout, stderr } = await run(process.execPath, ['--no-warnings', file], { env });

  expect(stderr).toBe('');
  expect(stdout).toBe(printed);
});

test('the example of webhooks accepts signed webhooks and refuses others', async () => {
  const file = join(folder, 'run-webhooks.mts');
  writeFileSync(file, `${examples[3]}\nconsole.log('ready');\n`);
  const port = await freePort();
  const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
  const env = { PORT: String(port), WEBHOOK_SECRETS: `${secret} ${secret}` };
  const receiver = spawn(process.execPath, ['--no-warnings', file], { env });
  const printed: string[] = [];
  receiver.stdout.on('data', (part) => printed.push(String(part)));
  await once(receiver.stdout, 'data');

  const body = JSON.stringify(event(1));
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', Buffer.alloc(24, 1))
    .update(`${event(1).id}.${timestamp}.${body}`)
    .digest('base64');
  const headers = {
    'webhook-id': event(1).id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  const sent = (text: string) =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: text });
  const statuses = [(await sent(body)).status, (await sent(`${body} `)).status];
  receiver.kill();
  await once(receiver, 'close');

  expect(statuses).toEqual([204, 400]);
  expect(printed.join('')).toContain(`inventory.refresh.completed ${event(1).id}`);
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
