import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundLog, rotateLog } from './log-file.ts';

let directory: string;
let log: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'log-file-'));
  log = join(directory, 'gateway.log');
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('the log of the start before is kept, the one before that is not', () => {
  writeFileSync(log, 'first');
  rotateLog(log);
  writeFileSync(log, 'second');
  rotateLog(log);
  rotateLog(log);

  expect(readFileSync(`${log}.previous`, 'utf8')).toBe('second');
});

test('a log over 64 MiB is moved aside while its writer continues', () => {
  writeFileSync(log, '');
  boundLog(log);
  expect(() => readFileSync(`${log}.previous`)).toThrow('ENOENT');

  truncateSync(log, 65 * 1024 * 1024);
  boundLog(log);
  appendFileSync(log, 'next line');

  expect(readFileSync(log, 'utf8')).toBe('next line');
});

test('a log that cannot be moved aside, as on a full disk, is bounded all the same', () => {
  mkdirSync(`${log}.previous`);
  writeFileSync(log, '');
  truncateSync(log, 65 * 1024 * 1024);

  boundLog(log);

  expect(readFileSync(log, 'utf8')).toBe('');
});
