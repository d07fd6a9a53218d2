import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface ProcessorTime {
  readonly used: number;
  readonly stolen: number;
}
const { readProcessorTime, stolenShare } = jest.requireActual<{
  readProcessorTime(path?: string): ProcessorTime;
  stolenShare(earlier: ProcessorTime, later: ProcessorTime): number;
}>(join(__dirname, '../../scripts/verify/processor-time.js'));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'processor-time-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('waiting counts neither as used nor as stolen', () => {
  const path = join(folder, 'stat');
  writeFileSync(path, 'cpu  100 20 30 9000 800 4 6 50 7 8\ncpu0 1 1 1 1 1 1 1 1 1 1\n');

  expect(readProcessorTime(path)).toEqual({ used: 160, stolen: 50 });
});

test('a system that does not tell has nothing stolen', () => {
  expect(readProcessorTime(join(folder, 'none'))).toEqual({ used: 0, stolen: 0 });
});

test('the share is that of the time that was wanted in between', () => {
  expect(stolenShare({ used: 100, stolen: 900 }, { used: 130, stolen: 910 })).toBe(0.25);
  expect(stolenShare({ used: 100, stolen: 900 }, { used: 100, stolen: 900 })).toBe(0);
});
