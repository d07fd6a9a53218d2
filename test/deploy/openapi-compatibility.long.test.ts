import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideGoProgram } from '../support/provide-go-program.ts';
import { readJson, root } from '../tidy/tracked-files.ts';

const path = 'docs/generated/openapi.json';
const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
let oasdiff: string | null;

beforeAll(async () => {
  oasdiff = await provideGoProgram({
    name: 'oasdiff',
    package: 'github.com/oasdiff/oasdiff@v1.11.7',
    otherwise: 'the OpenAPI document was not compared',
  });
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// biome-ignore lint/suspicious/noExplicitAny: a document that is changed anywhere.
type Document = any;
const read = (): Document => readJson(path);

const git = (...args: string[]) =>
  spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).stdout;
const majorOf = (version: string) => Number(version.replace(/^v/, '').split('.')[0]);

/** What breaks clients of the one document in the other. */
function breaksOf(before: Document, after: Document): string {
  const files = Object.entries({ before, after }).map(([name, document]) => {
    writeFileSync(join(folder, name), JSON.stringify(document));
    return join(folder, name);
  });
  // An unknown query parameter is refused, so a removed one is no warning.
  const args = ['breaking', ...files, '--format', 'singleline'];
  return execFileSync(oasdiff ?? '', args, { encoding: 'utf8' }).trim();
}

test('the public document breaks no client of the last release, unless the release has another major version (Versioning)', () => {
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*').trim();
  const { version } = readJson<{ version: string }>('package.json');
  // Before the first tag nothing is promised.
  if (oasdiff === null || tag === '' || majorOf(tag) < majorOf(version)) return;

  expect(breaksOf(JSON.parse(git('show', `${tag}:${path}`)), read())).toBe('');
});

const usage = ({ paths }: Document) => paths['/v2/account/usage'].get;
const refreshBody = ({ paths }: Document) =>
  paths['/v2/platform/users/{platform_id}/inventory/{app_id}/{context_id}/refresh'].post.requestBody
    .content['application/json'].schema;
const text = { type: 'string' };

test.each<[string, string, (document: Document) => void]>([
  ['a route that is gone', 'path-removed', ({ paths }) => delete paths['/v2/account/usage']],
  [
    'a member that is gone',
    'property-removed',
    (document) => delete schema(document).properties.balance,
  ],
  [
    'a member of another type',
    'type-changed',
    (document) => Object.assign(schema(document).properties, { account_id: { type: 'integer' } }),
  ],
  [
    'a member that may be null',
    'widened',
    (document) =>
      Object.assign(schema(document).properties, {
        events_enabled: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
      }),
  ],
  [
    'a parameter that is required',
    'new-required',
    (document) =>
      usage(document).parameters.push({ name: 'new', in: 'query', required: true, schema: text }),
  ],
  [
    'a parameter that is gone',
    'parameter-removed',
    (document) => usage(document).parameters.shift(),
  ],
  [
    'a member of a body that is required',
    'new-required',
    (document) => {
      const body = refreshBody(document);
      body.properties.reason = text;
      body.required.push('reason');
    },
  ],
])('%s breaks clients', (_name, rule, change) => {
  const after = read();
  change(after);
  if (oasdiff !== null) expect(breaksOf(read(), after)).toContain(rule);
});

test('additions break no client: a route, a parameter, a member of a response', () => {
  const after = read();
  after.paths['/v2/new'] = after.paths['/v2/prices'];
  usage(after).parameters.push({ name: 'new', in: 'query', required: false, schema: text });
  schema(after).properties.extra = text;
  if (oasdiff !== null) expect(breaksOf(read(), after)).toBe('');
});

function schema({ components }: Document) {
  return components.schemas.Account;
}
