import { createHash } from 'node:crypto';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { apiKey, asset, failure, scope } from '../test/answers.ts';
import {
  type ScriptedAnswer,
  type ScriptedServer,
  startScriptedServer,
} from '../test/scripted-server.ts';
import {
  createTestClientEnvironment,
  type TestClientEnvironment,
} from '../test/test-client-environment.ts';
import { ExportNotFinishedError, NotFoundError, UnexpectedAnswerError } from './errors.ts';
import { splitLines } from './export-calls.ts';
import { createInventoryClient, type InventoryClient } from './inventory-client.ts';

const headers = {
  'content-type': 'application/x-ndjson; charset=utf-8',
  'x-revision-id': 'invrev_1',
  'x-observation-id': 'invobs_1',
};
const rows = [0, 1, 2, 3].map((serial) => ({ asset: asset(serial), description: null }));

let server: ScriptedServer;
let client: InventoryClient;
let environment: TestClientEnvironment;

beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());
beforeEach(() => {
  environment = createTestClientEnvironment();
  client = createInventoryClient({ baseUrl: server.url, apiKey }, environment);
});

const linesFrom = (from: number) => rows.slice(from).map((row) => `${JSON.stringify(row)}\n`);

/** The download from a row on, or its beginning. */
function downloadFrom(from: number, sent = rows.length, changes: object = {}) {
  const lines = linesFrom(from);
  const sha256 = createHash('sha256').update(lines.join('')).digest('hex');
  const end = { revision_id: 'invrev_1', rows: lines.length, sha256, ...changes };
  const whole = [...lines, `${JSON.stringify({ end })}\n`];
  return {
    headers: { ...headers, 'x-export-rows': String(lines.length) },
    body: whole.slice(0, sent + 1).join(''),
  };
}

const cut = downloadFrom(0, 1);
const replay = { ...cut, headers: { ...cut.headers, 'idempotency-replayed': 'true' } };
const late = failure(503, 'service_unavailable', { retryAfter: 300 });

interface Cut {
  readonly answers: readonly ScriptedAnswer[];
  readonly rowMs?: number;
  readonly idempotencyKey?: string;
  readonly requests: number;
}

test.each<[string, Cut]>([
  ['a key that is nine minutes old', { answers: [cut], rowMs: 270_000, requests: 1 }],
  ['one that is older after the next pause', { answers: [cut, late], requests: 3 }],
  ['its three replays', { answers: [cut, { ...downloadFrom(2), body: '' }], requests: 4 }],
  ['one that an earlier call paid', { answers: [replay], idempotencyKey: 'mine', requests: 1 }],
])(
  'a cut one is not resumed under %s, which may be charged again: its error has the row to go on from (Reads) [export]',
  async (_what, { answers, requests, rowMs = 0, idempotencyKey }) => {
    server.plays(...answers);

    const all: unknown[] = [];
    const read = async () => {
      for await (const row of client.export(scope, { idempotencyKey })) {
        all.push(row);
        await environment.pause(rowMs, undefined);
      }
    };
    const error = await read().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(ExportNotFinishedError);
    expect(error).toMatchObject({
      retryable: false,
      progress: { row: 2, rows: 4, revisionId: 'invrev_1', observationId: 'invobs_1' },
    });
    expect(all).toEqual(rows.slice(0, 2));
    expect(server.requests).toHaveLength(requests);
  },
);

test('lines have the bytes of the service, digits that a number of JavaScript loses too (Reads) [export]', async () => {
  const line = '{"asset":{"assetid":"1","wear":0.10},"description":{"id":12345678901234567890}}\n';
  const sha256 = createHash('sha256').update(line).digest('hex');
  const end = JSON.stringify({ end: { revision_id: 'invrev_1', rows: 1, sha256 } });
  server.plays({ headers: { ...headers, 'x-export-rows': '1' }, body: `${line}${end}\n` });

  const read: string[] = [];
  for await (const bytes of client.exportLines(scope)) read.push(Buffer.from(bytes).toString());

  expect(read).toEqual([line]);
});

test.each([
  ['no end', downloadFrom(0, 3), ExportNotFinishedError],
  ['another digest', downloadFrom(0, 4, { sha256: 'x' }), UnexpectedAnswerError],
  ['another count', downloadFrom(0, 4, { rows: 3 }), UnexpectedAnswerError],
  ['a line that is none', { ...downloadFrom(0), body: 'no line\n' }, UnexpectedAnswerError],
  ['another type', { ...downloadFrom(0), headers: {} }, UnexpectedAnswerError],
  ['nothing saved', failure(404, 'inventory_revision_not_found'), NotFoundError],
])('one with %s is never taken for whole', async (_what, answer, error) => {
  server.plays(answer, ...Array(3).fill({ ...downloadFrom(4), body: '' }));

  await expect(client.readAll(scope)).rejects.toThrow(error);
});

test('lines are those of the bytes, however these are cut; what follows the last end is none', async () => {
  const lines = fc.array(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', '')));
  const isSplit = fc.asyncProperty(
    lines,
    fc.string(),
    fc.array(fc.nat(9)),
    async (texts, rest, cuts) => {
      const bytes = Buffer.from(
        texts.map((text) => `${text}\n`).join('') + rest.replaceAll('\n', ''),
      );
      async function* inChunks() {
        let at = 0;
        for (const cut of cuts) {
          yield bytes.subarray(at, at + cut);
          at += cut;
        }
        yield bytes.subarray(at);
      }
      const read: string[] = [];
      for await (const line of splitLines(inChunks())) read.push(Buffer.from(line).toString());

      expect(read).toEqual(texts.map((text) => Buffer.from(`${text}\n`).toString()));
    },
  );

  await fc.assert(isSplit, { numRuns: propertyRuns(100) });
});
