import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ContentCoding, contentCodings } from '@inventory/contracts/vocabulary';
import { packBeginning, packEnd } from '@inventory/http/packed-body';
import { commandOf } from '../support/command-of.ts';
import { openBrowser } from '../support/open-browser.ts';
import { machineEnvironment } from '../support/start-command.ts';
import { providePythonPackages } from './support/python-environment.ts';

const run = promisify(execFile);
const folder = join(__dirname, 'support/packed-readers');
/** Rows as they are, and rows that no coding makes smaller: more than any of its windows and buffers. */
const rows = [
  ...Array.from({ length: 2_000 }, (_, at) => ({ assetid: String(at), classid: '3', amount: '1' })),
  ...Array.from({ length: 200 }, () => ({ assetid: randomBytes(4_000).toString('base64') })),
];
const beginning = Buffer.from(`{"success":true,"data":{"assets":${JSON.stringify(rows)}`);
const end = Buffer.from(`,"age_seconds":5},"meta":{"request_id":"${'r'.repeat(600)}"}}`);
const digest = createHash('sha256').update(beginning).update(end).digest('hex');
let server: Server;
let origin: string;

beforeAll(async () => {
  const bodies = await Promise.all(
    contentCodings.map(async (coding): Promise<[string, Buffer]> => {
      const packed = await packBeginning(coding, beginning);
      return [`/${coding}`, Buffer.concat([packed.bytes, packEnd(packed, end)])];
    }),
  );
  server = createServer((asked, response) => {
    const body = new Map(bodies).get(asked.url ?? '') ?? Buffer.from('<!doctype html>');
    const coding = contentCodings.find((one) => asked.url === `/${one}`);
    if (coding !== undefined) response.setHeader('Content-Encoding', coding);
    response.setHeader('Content-Length', body.length);
    response.end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server?.close());

const urlsOf = (codings: readonly ContentCoding[]) => codings.map((one) => `${origin}/${one}`);
const shasOf = (codings: readonly ContentCoding[]) => codings.map(() => digest);

async function digestsOf(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const { stdout } = await run(command, args, { env: { ...machineEnvironment(), ...env } });
  return stdout.trim().split('\n');
}

describe('A page that is packed once is read whole (Compression)', () => {
  const withCommand = (name: string) => (commandOf(name) === null ? test.skip : test);

  withCommand('curl').each(contentCodings)('by curl in %s', async (coding) => {
    const args = ['-sS', '--fail', '--compressed', `${origin}/${coding}`];
    const buffers = { env: machineEnvironment(), encoding: 'buffer', maxBuffer: 2 ** 26 } as const;
    const { stdout } = await run('curl', args, buffers);
    expect(createHash('sha256').update(stdout).digest('hex')).toBe(digest);
  });

  test('by fetch of Node', async () => {
    const read = async (url: string) => {
      const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
      return createHash('sha256').update(bytes).digest('hex');
    };
    expect(await Promise.all(urlsOf(contentCodings).map(read))).toEqual(shasOf(contentCodings));
  });

  withCommand('python3').each(['requests', 'httpx', 'aiohttp'])('by %s', async (library) => {
    const packages = [
      ...['requests==2.34.2', 'httpx==0.28.1', 'aiohttp==3.14.5'],
      ...['brotli==1.2.1', 'zstandard==0.25.0', 'backports.zstd==1.8.0'],
    ];
    const env = { PYTHONPATH: await providePythonPackages('packed-readers', packages) };
    const args = [join(folder, 'read_packed.py'), library, ...urlsOf(contentCodings)];
    expect(await digestsOf('python3', args, env)).toEqual(shasOf(contentCodings));
  });

  withCommand('go')('by net/http', async () => {
    const args = ['run', join(folder, 'read_packed.go'), ...urlsOf(['gzip'])];
    expect(await digestsOf('go', args)).toEqual([digest]);
  });

  withCommand('javac')('by java.util.zip', async () => {
    const args = [join(folder, 'ReadPacked.java'), ...urlsOf(['gzip'])];
    expect(await digestsOf('java', args)).toEqual([digest]);
  });

  test('by a browser', async () => {
    const browser = await openBrowser();
    const page = await browser.newPage();
    await page.goto(`${origin}/`);
    const read = `Promise.all(${JSON.stringify(urlsOf(contentCodings))}.map(async (url) => {
      const bytes = await (await fetch(url)).arrayBuffer();
      const sha = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
      return Array.from(sha, (byte) => byte.toString(16).padStart(2, '0')).join('');
    }))`;
    const seen = await page.evaluate(read);
    await browser.close();
    expect(seen).toEqual(shasOf(contentCodings));
  });
});
