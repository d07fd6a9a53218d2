import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@inventory/testkit/wait-for';
import { identifyProcess } from '../src/process-identity.ts';
import { machineEnvironment } from './machine-environment.ts';

let parent: string;
let owner: ChildProcess;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'orphans-'));
});

afterEach(() => {
  owner.kill('SIGKILL');
  rmSync(parent, { recursive: true, force: true });
});

/** Starts the owner program in a process group of its own; resolves with its servers' numbers. */
async function startOwner(dataDir?: string): Promise<number[]> {
  owner = spawn(
    process.execPath,
    [
      '--conditions=@inventory/source',
      '--require',
      join(__dirname, 'typescript-hook.cjs'),
      join(__dirname, 'owner.ts'),
      ...(dataDir === undefined ? [] : [dataDir]),
    ],
    {
      env: { ...machineEnvironment(), TMPDIR: parent },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    },
  );
  const [line] = await once(owner.stdout ?? owner, 'data');
  return JSON.parse(String(line));
}

const isTemporary = (name: string) => name.startsWith('inventory-backends-');

test('servers and temporary data go with an owner that was killed outright', async () => {
  const pids = await startOwner();
  expect(pids).toHaveLength(2);
  for (const pid of pids) expect(identifyProcess(pid)).not.toBeNull();
  expect(readdirSync(parent).filter(isTemporary)).toHaveLength(1);

  owner.kill('SIGKILL');

  await waitFor('both servers are gone', () => pids.every((pid) => identifyProcess(pid) === null));
  await waitFor('the temporary folder is gone', () => !readdirSync(parent).some(isTemporary));
});

test('servers go with an owner that Ctrl-C ended, and kept data stay', async () => {
  const dataDir = join(parent, 'data');
  const pids = await startOwner(dataDir);

  process.kill(-(owner.pid ?? 0), 'SIGINT');

  await waitFor('both servers are gone', () => pids.every((pid) => identifyProcess(pid) === null));
  expect(existsSync(join(dataDir, 'kafka', 'data', 'meta.properties'))).toBe(true);
});

test('a start right after its predecessor was killed takes its data over', async () => {
  const dataDir = join(parent, 'data');
  const first = await startOwner(dataDir);
  owner.kill('SIGKILL');

  const second = await startOwner(dataDir);

  expect(second).toHaveLength(2);
  expect(first.every((pid) => identifyProcess(pid) === null)).toBe(true);
  expect(second.every((pid) => identifyProcess(pid) !== null)).toBe(true);
});
