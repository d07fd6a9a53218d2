import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@inventory/testkit/wait-for';
import { identifyProcess } from './process-identity.ts';
import { type Command, runCommand } from './run-command.ts';

function node(
  script: string,
  more: Partial<Command> = {},
): Promise<Awaited<ReturnType<typeof runCommand>>> {
  return runCommand({
    command: process.execPath,
    args: ['-e', script],
    environment: { GREETING: 'good day' },
    deadlineMs: 600_000,
    lastOutputMs: 600_000,
    ...more,
  });
}

test('what a program prints on both streams and how it ends is known', async () => {
  const result = await node(
    'console.log(process.env.GREETING); console.error("oh"); process.exitCode = 3',
  );

  expect(result).toMatchObject({ kind: 'ended', code: 3 });
  expect(result).toHaveProperty('output', expect.stringContaining('good day'));
  expect(result).toHaveProperty('output', expect.stringContaining('oh'));
});

test('a program that takes too long is ended', async () => {
  expect(await node('setInterval(() => {}, 1e6)', { deadlineMs: 100 })).toMatchObject({
    kind: 'late',
  });
});

test('an aborted program is gone when the promise rejects, and all its children with it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'run-command-'));
  const pids = join(folder, 'pids');
  const script = `const {spawn} = require('child_process'); const {renameSync, writeFileSync} = require('fs');
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], {stdio: 'ignore'});
    writeFileSync('${pids}.new', JSON.stringify([process.pid, child.pid])); renameSync('${pids}.new', '${pids}');
    setInterval(() => {}, 1e6)`;
  const controller = new AbortController();
  const running = node(script, { signal: controller.signal });
  const rejected = expect(running).rejects.toThrow('Ctrl-C');
  await waitFor('it has started its child', () => existsSync(pids));
  const [pid = 0, childPid = 0]: number[] = JSON.parse(readFileSync(pids, 'utf8'));

  controller.abort(new Error('Ctrl-C'));

  await rejected;
  expect(identifyProcess(pid)).toBeNull();
  // Killed with its parent, each goes when the system comes to it.
  await waitFor('the child is gone', () => identifyProcess(childPid) === null);
  rmSync(folder, { recursive: true });
});
