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

test('secrets are created once and are the same at every later start', () => {
  expect(keepSecrets(file)).toEqual(keepSecrets(file));
});

test('only their owner may read them', () => {
  keepSecrets(file);

  expect(statSync(file).mode & 0o777).toBe(0o600);
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
