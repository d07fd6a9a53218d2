import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findConnection, NoConnection } from './connection.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'operator-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function writeStack(text: string): void {
  mkdirSync(join(folder, '.local'));
  writeFileSync(join(folder, '.local', 'stack.json'), text);
}

const stack = { operator_url: 'http://127.0.0.1:1', operator_token: 'local token' };

test('without an address in the environment the local stack is called, from any folder in it', () => {
  writeStack(JSON.stringify(stack));
  const inner = join(folder, 'a', 'b');
  mkdirSync(inner, { recursive: true });

  const expected = { url: stack.operator_url, token: stack.operator_token };
  expect(findConnection({}, inner)).toEqual(expected);
});

test('the environment comes first', () => {
  writeStack(JSON.stringify(stack));
  const environment = { OPERATOR_URL: 'https://operator.example', OPERATOR_TOKEN: 'own token' };

  const expected = { url: environment.OPERATOR_URL, token: environment.OPERATOR_TOKEN };
  expect(findConnection(environment, folder)).toEqual(expected);
});

test('the local token is never sent to an address from the environment', () => {
  writeStack(JSON.stringify(stack));
  expect(() => findConnection({ OPERATOR_URL: 'https://other.example' }, folder)).toThrow(
    NoConnection,
  );
});

test.each([
  ['no stack was started', undefined],
  ['its file is cut off', '{"operator_url": "http'],
  ['its file is something else', 'null'],
  ['its file lacks the token', '{"operator_url":"http://127.0.0.1:1"}'],
  ['its address is none', '{"operator_url":"file:///etc/passwd","operator_token":"x"}'],
])('when %s, a sentence says what to do', (_why, text) => {
  if (text !== undefined) writeStack(text);
  expect(() => findConnection({}, folder)).toThrow(NoConnection);
});
