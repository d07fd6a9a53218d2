import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundLog, lastProblem, rotateLog } from './log-file.ts';

let folder: string;
let log: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-file-'));
  log = join(folder, 'gateway.log');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the log of the start before is kept, the one before that is not', () => {
  writeFileSync(log, 'first');
  rotateLog(log);
  writeFileSync(log, 'second');
  rotateLog(log);
  rotateLog(log);

  expect(readFileSync(`${log}.previous`, 'utf8')).toBe('second');
});

test('a log that grew too large is set aside while its writer goes on', () => {
  writeFileSync(log, '');
  boundLog(log);
  expect(() => readFileSync(`${log}.previous`)).toThrow('ENOENT');

  truncateSync(log, 65 * 1024 * 1024);
  boundLog(log);
  appendFileSync(log, 'next line');

  expect(readFileSync(log, 'utf8')).toBe('next line');
});

test.each([
  ['its cause', [severe('could not start', 'port 1 is taken')], 'could not start: port 1 is taken'],
  [
    'all plain lines at the end',
    [severe('in an earlier run'), 'gateway: 2 problems:', '  HTTP_PORT is required', '  A: bad'],
    'gateway: 2 problems: HTTP_PORT is required A: bad',
  ],
])('a problem is told in one line: %s', (_case, lines, told) => {
  writeFileSync(log, `${lines.join('\n')}\n`);

  expect(lastProblem(log)).toBe(told);
});

function severe(msg: string, cause?: string): string {
  return JSON.stringify({ level: 60, msg, ...(cause ? { err: { message: cause } } : {}) });
}
