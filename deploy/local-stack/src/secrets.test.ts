import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepSecrets } from './secrets.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  file = join(folder, 'secrets.json');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('secrets are made once and are the same at every later start', () => {
  expect(keepSecrets(file)).toEqual(keepSecrets(file));
});

test('two folders have different secrets', () => {
  expect(keepSecrets(file)).not.toEqual(keepSecrets(join(folder, 'other.json')));
});

test('only their owner may read them', () => {
  keepSecrets(file);

  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a cursor key is 32 bytes in base64url, as the gateway demands', () => {
  const { cursorKeys } = keepSecrets(file);

  expect(Buffer.from(cursorKeys, 'base64url')).toHaveLength(32);
  expect(Buffer.from(cursorKeys, 'base64url').toString('base64url')).toBe(cursorKeys);
});

test('a secret that is missing is added and the others stay', () => {
  const first = keepSecrets(file);
  const kept = JSON.parse(readFileSync(file, 'utf8'));
  delete kept.cursor_keys;
  writeFileSync(file, JSON.stringify(kept));

  const second = keepSecrets(file);

  expect(second.operatorToken).toBe(first.operatorToken);
  expect(second.cursorKeys).not.toBe(first.cursorKeys);
});

test.each(['', 'no JSON', '[]', '{"operator_token":7}'])(
  'a file that holds %p is replaced by a whole one',
  (content) => {
    writeFileSync(file, content);

    expect(keepSecrets(file)).toEqual(keepSecrets(file));
  },
);
