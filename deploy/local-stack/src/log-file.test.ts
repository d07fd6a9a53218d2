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
  ['the last severe line', [severe('first'), severe('second'), line(30, 'then this')], 'second'],
  ['its cause', [severe('could not start', 'port 1 is taken')], 'could not start: port 1 is taken'],
  [
    'plain words where there are no JSON lines',
    ['gateway: HTTP_PORT is required'],
    'gateway: HTTP_PORT is required',
  ],
  [
    'all plain lines at the end',
    [severe('in an earlier run'), 'gateway: 2 problems:', '  HTTP_PORT is required', '  A: bad'],
    'gateway: 2 problems: HTTP_PORT is required A: bad',
  ],
  [
    'without a stack',
    ['Error: odd', '    at main (main.js:1)', '', 'Node.js v24.1.0'],
    'Error: odd',
  ],
  ['nothing where all went well', [line(30, 'ready')], null],
])('a problem is told in one line: %s', (_case, lines, told) => {
  writeFileSync(log, `${lines.join('\n')}\n`);

  expect(lastProblem(log)).toBe(told);
});

test('a log that is not there has no problem', () => {
  expect(lastProblem(log)).toBeNull();
});

function line(level: number, msg: string): string {
  return JSON.stringify({ level, msg });
}

function severe(msg: string, cause?: string): string {
  return JSON.stringify({ level: 60, msg, ...(cause ? { err: { message: cause } } : {}) });
}
