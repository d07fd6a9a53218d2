import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeStackFile, type StackFile, stackFileOf, writeStackFile } from './stack-file.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stack-file-'));
  file = join(folder, 'stack.json');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function content(): StackFile {
  return stackFileOf(
    {
      gatewayUrl: 'http://127.0.0.1:8080',
      operatorUrl: 'http://127.0.0.1:8081',
      operatorToken: 'token',
      simulatorUrl: null,
      kafkaBrokers: '127.0.0.1:9192',
      mongodbUri: 'mongodb://127.0.0.1:9217',
      services: [{ service: 'gateway', pid: 17, url: 'http://127.0.0.1:8081' }],
    },
    { accountId: 'acc_1', projectId: 'prj_1', apiKey: 'inv_1' },
  );
}

test('it holds exactly the keys that scripts rely on', () => {
  writeStackFile(file, content());

  const written = JSON.parse(readFileSync(file, 'utf8'));
  expect(Object.keys(written)).toEqual([
    'gateway_url',
    'operator_url',
    'operator_token',
    'simulator_url',
    'kafka_brokers',
    'mongodb_uri',
    'demo',
    'services',
  ]);
  expect(written.demo).toEqual({ account_id: 'acc_1', project_id: 'prj_1', api_key: 'inv_1' });
  expect(written.services).toEqual([{ name: 'gateway', pid: 17, url: 'http://127.0.0.1:8081' }]);
});

test('only its owner may read it: it holds a token and a key', () => {
  writeStackFile(file, content());
  writeStackFile(file, content());

  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('it is replaced whole, and nothing else is left beside it', () => {
  writeStackFile(file, content());
  const before = statSync(file).ino;

  writeStackFile(file, content());

  expect(statSync(file).ino).not.toBe(before);
  expect(readdirSync(folder)).toEqual(['stack.json']);
});

test('removing it twice does no harm', () => {
  writeStackFile(file, content());
  removeStackFile(file);
  removeStackFile(file);

  expect(readdirSync(folder)).toEqual([]);
});
