import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '@inventory/testkit/is-running';
import { type Program, startProgram } from '@inventory/testkit/typescript-program';
import { waitFor } from '@inventory/testkit/wait-for';

let parent: string;
let owner: Program;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'orphans-'));
});

afterEach(() => {
  owner.kill('SIGKILL');
  rmSync(parent, { recursive: true, force: true });
});

/** Starts the owner program; resolves with the process numbers of its servers. */
async function startOwner(...dataDir: string[]): Promise<number[]> {
  owner = startProgram({
    file: join(__dirname, 'owner.ts'),
    args: dataDir,
    environment: { TMPDIR: parent },
  });
  return JSON.parse(await owner.line(/^\[.*\]$/));
}

const isTemporary = (name: string) => name.startsWith('inventory-backends-');

test('servers and temporary data go with an owner that was killed', async () => {
  const pids = await startOwner();
  expect(pids.map(isRunning)).toEqual([true, true]);
  expect(readdirSync(parent).filter(isTemporary)).toHaveLength(1);

  owner.kill('SIGKILL');

  await waitFor('both servers have ended', () => !pids.some(isRunning));
  await waitFor('the temporary directory is gone', () => !readdirSync(parent).some(isTemporary));
});

test('servers go with an owner that Ctrl-C ended, and kept data stay', async () => {
  const dataDir = join(parent, 'data');
  const pids = await startOwner(dataDir);

  owner.kill('SIGINT');

  await waitFor('both servers have ended', () => !pids.some(isRunning));
  expect(existsSync(join(dataDir, 'kafka', 'data', 'meta.properties'))).toBe(true);
});

test('a start right after its predecessor was killed uses the same data', async () => {
  const dataDir = join(parent, 'data');
  const first = await startOwner(dataDir);
  owner.kill('SIGKILL');

  const second = await startOwner(dataDir);

  expect(first.some(isRunning)).toBe(false);
  expect(second.map(isRunning)).toEqual([true, true]);
});
