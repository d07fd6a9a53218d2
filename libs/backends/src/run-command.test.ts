import { monotonicNow } from '@inventory/runtime/clock';
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
    deadlineMs: 20_000,
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

test('of a talkative program only the end is kept', async () => {
  const result = await node('process.stdout.write("x".repeat(1e6) + "the end")');

  expect(result.kind === 'ended' && result.output.length).toBe(64 * 1024);
  expect(result).toHaveProperty('output', expect.stringMatching(/the end$/));
});

test('a program that is not there is missing, not an error', async () => {
  expect(await node('', { command: 'no-such-program-at-all' })).toEqual({ kind: 'missing' });
});

test('a program that takes too long is ended with all its children', async () => {
  const script = `const {spawn} = require('child_process');
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], {stdio: 'ignore'});
    console.log(child.pid); setInterval(() => {}, 1e6)`;

  const result = await node(script, { deadlineMs: 8_000 });

  expect(result.kind).toBe('late');
  const grandchild = result.kind === 'late' ? Number(result.output) : 0;
  expect(grandchild).toBeGreaterThan(1);
  // Killed with its parent, each goes when the system comes to it.
  await waitFor('the child is gone', () => identifyProcess(grandchild) === null);
});

test('an aborted program is gone when the promise rejects', async () => {
  const controller = new AbortController();
  const begunMs = monotonicNow();

  const running = node('setInterval(() => {}, 1e6)', { signal: controller.signal });
  controller.abort(new Error('Ctrl-C'));

  await expect(running).rejects.toThrow('Ctrl-C');
  expect(monotonicNow() - begunMs).toBeLessThan(10_000);
});
