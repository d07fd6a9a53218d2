import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@inventory/testkit/wait-for';
import { openLogOutput } from './log-output.ts';

const { O_RDWR, O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
let directory: string;
let pipe: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'inventory-log-'));
  pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
});
afterEach(() => rmSync(directory, { recursive: true }));

const openReader = () => openSync(pipe, O_RDONLY | O_NONBLOCK);

/** The writing end of a pipe whose reader has ended. */
function openBrokenPipe(): number {
  const reader = openReader();
  const writer = openSync(pipe, O_WRONLY | O_NONBLOCK);
  closeSync(reader);
  return writer;
}

/** Everything that is in the pipe. */
function readAll(reader: number): string {
  const chunk = Buffer.alloc(64 * 1_024);
  let text = '';
  try {
    for (;;) text += chunk.toString('utf8', 0, readSync(reader, chunk));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    return text;
  }
}

test.each([
  ['a pipe that is not read', () => openSync(pipe, O_RDWR | O_NONBLOCK)],
  ['a pipe on which a write waits for its reader', () => openSync(pipe, O_RDWR)],
  ['a pipe whose reader has ended', openBrokenPipe],
])(
  '%s is not waited for: lines past a bound are dropped; read again, it has all others, whole and in order, then the loss',
  async (_kind, openWriter) => {
    const lines = Array.from({ length: 2_500 }, (_, index) => `${index} ${'x'.repeat(1_000)}\n`);
    const writer = openWriter();
    const output = openLogOutput(writer);
    const reported: number[] = [];
    output.onRecovery = (dropped) => {
      reported.push(dropped);
      output.write('recovered\n');
    };

    for (const line of lines) output.write(line);

    const { dropped } = output;
    const kept = lines.slice(0, lines.length - dropped);
    expect(kept.join('').length).toBeLessThanOrEqual(1_048_576);
    expect(kept.join('').length).toBeGreaterThan(1_040_000);
    const reader = openReader();
    let text = '';
    await waitFor('the loss is reported', () => {
      text += readAll(reader);
      return text.endsWith('recovered\n');
    });
    expect(text).toBe(`${kept.join('')}recovered\n`);
    output.write('as before\n');
    await waitFor('a later line is written', () => readAll(reader) === 'as before\n');
    expect(reported).toEqual([dropped]);
    for (const file of [reader, writer]) closeSync(file);
  },
);
