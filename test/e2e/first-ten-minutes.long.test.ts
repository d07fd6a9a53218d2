import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@inventory/backends/free-port';
import { openNamespace } from '@inventory/testkit/namespace';
import {
  machineEnvironment,
  type RunningCommand,
  runCommand,
  untilReady,
} from '../support/start-command.ts';

const root = join(__dirname, '../..');
const address = 'http://127.0.0.1:8080';
const hookPorts = ['9001', '9002', '9003'];
const pageMaxMs = 1_200_000;

let folder: string;
let product: RunningCommand | undefined;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'first-ten-minutes-'));
});
afterAll(async () => {
  product?.signal('SIGTERM');
  await product?.ended;
  rmSync(folder, { recursive: true, force: true });
});

interface Block {
  readonly language: string;
  readonly text: string;
}

/** The code blocks of the page, without what needs Go where the machine has none. */
function readBlocks(): Block[] {
  const page = readFileSync(join(root, 'docs/customers/first-ten-minutes.md'), 'utf8');
  const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', text = '']) => ({ language, text }),
  );
  if (spawnSync('go', ['version']).status === 0) return blocks;
  process.stdout.write('Go is not installed: its receiver is left out\n');
  return blocks
    .filter(({ text }) => !text.startsWith('go build '))
    .map(({ language, text }) => ({ language, text: text.replaceAll(/^# go .*\n/gm, '') }));
}

/** Lines that begin with # are what the commands before them show. */
const shownBy = ({ text }: Block) => text.match(/^# .*/gm)?.map((line) => line.slice(2)) ?? [];

/** Text of a page as a pattern: … is left out. */
function patternOf(line: string): RegExp {
  const literal = line.replaceAll(/[^\w\s…]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll('…', '.*')}$`);
}

const end = '--- end of a block';

/** Another language is a file, whose first line has its name. */
function typedAs({ language, text }: Block): string {
  if (language === 'sh') return `${text}echo '${end}'\n`;
  const [, name] = /^(?:\/\/|#) (\S+)\n/.exec(text) ?? [];
  return `cat > ${name} <<'END OF FILE'\n${text}END OF FILE\n`;
}

/** SANDBOX=true npm start, on the servers of the run. */
async function startProduct() {
  const { kafkaBrokers, mongodbUri, topicPrefix, database } = await openNamespace({
    topics: false,
  });
  product = runCommand(['start', '--no-demo'], {
    ...machineEnvironment(),
    SANDBOX: 'true',
    LOCAL_STACK_DIR: folder,
    GATEWAY_PORT: '0',
    OPERATOR_PORT: '0',
    SIMULATOR_PORT: '0',
    KAFKA_BROKERS: kafkaBrokers.join(','),
    MONGODB_URI: mongodbUri,
    KAFKA_TOPIC_PREFIX: topicPrefix,
    MONGODB_DATABASE_PREFIX: database(''),
  });
  return untilReady(product, folder);
}

/** What each block of the shell printed, and after how long. */
async function type(script: string, environment: NodeJS.ProcessEnv) {
  const shell = spawn('bash', ['-c', script], {
    cwd: root,
    env: environment,
    detached: true,
    timeout: pageMaxMs,
    killSignal: 'SIGKILL',
  });
  // Receivers that a failed block leaves behind.
  shell.once('exit', () => spawnSync('kill', ['-KILL', '--', `-${shell.pid}`]));
  const startMs = Date.now();
  const afterSeconds: number[] = [];
  const printed = { out: '', error: '' };
  shell.stdout.on('data', (chunk) => {
    printed.out += chunk;
    const ended = printed.out.split(end).length - 1;
    while (afterSeconds.length < ended) afterSeconds.push((Date.now() - startMs) / 1_000);
  });
  shell.stderr.on('data', (chunk) => {
    printed.error += chunk;
  });
  await once(shell, 'close');
  const outputs = printed.out.split(end).slice(0, -1);
  return { outputs, afterSeconds, error: printed.error };
}

test('every block of docs/customers/first-ten-minutes.md, typed in its order, shows what the page says: keys, every outcome at its price, webhooks verified in three languages, a live refresh, the bill (Sandbox; Refresh charge; Events: webhooks) [sandbox]', async () => {
  const [start, ...blocks] = readBlocks();
  expect(start?.text).toBe('SANDBOX=true npm start\n');
  const stack = await startProduct();
  const ports = await Promise.all(hookPorts.map(() => findFreePort()));
  const written = blocks.map(typedAs).join('');
  const script = hookPorts.reduce(
    (text, port, index) => text.replaceAll(port, String(ports[index])),
    written.replaceAll(address, stack.gateway_url),
  );

  const typed = await type(script, {
    ...machineEnvironment(),
    OPERATOR_URL: stack.operator_url,
    OPERATOR_TOKEN: stack.operator_token,
    TMPDIR: folder,
  });

  const { outputs, error } = typed;
  const shells = blocks.filter(({ language }) => language === 'sh');
  for (const [index, block] of shells.entries()) {
    const lines = outputs[index]?.split('\n').filter((line) => line !== '') ?? [];
    const expected = shownBy(block).map((line) => expect.stringMatching(patternOf(line)));
    expect({ block: block.text, lines, error }).toEqual({
      block: block.text,
      lines: expected,
      error,
    });
  }
  process.stdout.write(
    `seconds until the end of each block: ${typed.afterSeconds.map(Math.round)}\n`,
  );
});
