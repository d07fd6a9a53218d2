import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

/** A repository of its own in a temporary folder, with a recorded npm and a compiler that is done. */
let root: string;
let started: ChildProcess[];

const recordedNpm = `
const { appendFileSync, mkdirSync, symlinkSync, writeFileSync } = require('node:fs');
appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n');
mkdirSync('node_modules/.bin', { recursive: true });
mkdirSync('node_modules/@typescript/native/bin', { recursive: true });
writeFileSync('node_modules/@typescript/native/bin/tsc', process.env.COMPILER ?? '');
try { symlinkSync(process.execPath, 'node_modules/.bin/node'); } catch {}
console.log('noise of npm on standard output');
if (process.env.NPM_FAILS) { console.error(process.env.NPM_FAILS); process.exit(1); }
`;

const longLived = `
const keep = setInterval(() => {}, 1000);
process.on('SIGTERM', () => { console.log('asked to stop'); clearInterval(keep); });
console.log('up');
`;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'boot-'));
  started = [];
  cpSync(join(__dirname, '../../scripts/boot'), join(root, 'scripts/boot'), { recursive: true });
  cpSync(join(__dirname, '../../scripts/boot.js'), join(root, 'scripts/boot.js'));
  writePackage('>=24.0.0 <25');
  write('tsconfig.json', JSON.stringify({ references: [] }));
  write('npm-cli.js', recordedNpm);
  write('deploy/operator-cli/dist/main.js', 'console.log(JSON.stringify(process.argv.slice(2)))');
  write('deploy/local-stack/dist/main.js', longLived);
});

afterEach(() => {
  for (const child of started) killGroup(child);
  rmSync(root, { recursive: true, force: true });
});

/** Not by kill(1): one version of it reads `-9 -1234` as `-9 -1` and kills every process. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function writePackage(node: string): void {
  write('package.json', JSON.stringify({ workspaces: ['libs/*', 'tool'], engines: { node } }));
}

function options(more: Record<string, string> = {}) {
  const env = { PATH: '/usr/bin:/bin', npm_execpath: join(root, 'npm-cli.js'), ...more };
  return { cwd: root, env, encoding: 'utf8', detached: true } as const;
}

function boot(args: string[], more: Record<string, string> = {}) {
  return spawnSync(process.execPath, ['scripts/boot.js', ...args], options(more));
}

async function outputOf(args: string[]): Promise<string> {
  const child = spawn(process.execPath, ['scripts/boot.js', ...args], options());
  started.push(child);
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return output;
}

function npmCalls(): number {
  return readFileSync(join(root, 'npm-calls'), 'utf8').trim().split('\n').length;
}

test('standard output is the command’s own, even when everything had to be installed', () => {
  const result = boot(['operator', 'account', 'create', '--json']);

  expect(result.stdout).toBe('["account","create","--json"]\n');
  expect(result.stderr).toContain('Installing packages');
  expect(result.status).toBe(0);
});

test('packages are installed once, and again when a package.json of a workspace changed', () => {
  boot(['operator']);
  boot(['operator']);
  expect(npmCalls()).toBe(1);

  write('libs/money/package.json', '{}');
  boot(['operator']);
  write('tool/package.json', '{}');
  boot(['operator']);

  expect(npmCalls()).toBe(3);
});

test('of two first commands at once one installs, and both do their work', async () => {
  const outputs = await Promise.all([outputOf(['operator', 'one']), outputOf(['operator', 'two'])]);

  expect(outputs).toEqual(['["one"]\n', '["two"]\n']);
  expect(npmCalls()).toBe(1);
});

test('a lock that a killed command left is taken over', () => {
  write('node_modules/.boot.lock', JSON.stringify({ pid: spawnSync('true').pid, startedAt: '1' }));

  expect(boot(['operator']).status).toBe(0);
});

test.each([
  ['npm error code ENOTFOUND', 'registry cannot be reached: check the network'],
  ['something unheard of', 'something unheard of'],
])('when npm fails with "%s" the way past it is said', (printed, words) => {
  const result = boot(['operator'], { NPM_FAILS: printed });

  expect(result.stderr).toContain(words);
  expect(result.stdout).toBe('');
  expect(result.status).toBe(1);
});

test('sources that do not compile are shown, and nothing is run', () => {
  const result = boot(['operator'], { COMPILER: 'console.log("error TS1"); process.exit(2)' });

  expect(result.stderr).toContain('error TS1');
  expect(result.stdout).toBe('');
  expect(result.status).toBe(1);
});

test('an unknown command names the known ones', () => {
  const result = boot(['constructor']);

  expect(result.stderr).toContain('start, reset, operator, bench, test, test:long, jest, generate');
  expect(result.status).toBe(1);
});

test('a Node among the packages that is the wrong one too does not start itself for ever', () => {
  writePackage('>=99.0.0 <100');

  const result = boot(['operator']);

  expect(result.stderr).toContain('Install Node >=99.0.0 <100');
  expect(result.status).toBe(1);
});

test('a command whose npm was killed outright stops as if asked to', async () => {
  const npm = spawn(
    '/bin/sh',
    ['-c', `"${process.execPath}" scripts/boot.js start & echo $!; wait`],
    options({ npm_lifecycle_event: 'start' }),
  );
  started.push(npm);
  let output = '';
  await new Promise<void>((resolve) => {
    npm.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('up')) resolve();
    });
  });

  npm.kill('SIGKILL');
  await once(npm.stdout, 'close');

  expect(output).toContain('asked to stop');
});

test('one Ctrl-C that arrives several times within a second is seen once', () => {
  jest.useFakeTimers();
  const { mergeRepeatedSignals } = require('../../scripts/boot/signals.js');
  let seen = 0;
  process.on('SIGINT', () => {
    seen += 1;
  });
  mergeRepeatedSignals();

  for (let times = 0; times < 3; times += 1) process.emit('SIGINT');
  expect(seen).toBe(1);
  jest.advanceTimersByTime(1_000);
  process.emit('SIGINT');

  expect(seen).toBe(2);
  jest.useRealTimers();
});
