import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Row } from './row.ts';

const run = promisify(execFile);

/**
 * All on one machine that does other work too, so figures are not judged here: a missed floor is
 * printed, and the run ends with 1.
 */
test('a quick run of all benchmarks ends by itself, and each has its rows', async () => {
  const main = join(__dirname, '..', 'dist', 'main.js');
  const ended = run(process.execPath, [main, '--quick', '--json'], { maxBuffer: 2 ** 26 });
  const { stdout, stderr } = await ended.catch((error: Awaited<typeof ended>) => error);

  const rows: Row[] = JSON.parse(stdout);
  const failed = rows.filter(({ name }) => name.includes('could not run'));
  expect([failed, failed.length > 0 && stderr]).toEqual([[], false]);
  expect(rows.length).toBeGreaterThan(80);
});
