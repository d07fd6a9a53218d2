import { chunkBytesMax } from '@inventory/contracts/internal/inventory';
import { newScope } from '@inventory/testkit/builders';
import { completedMessage, newScan, plainPage } from './support/scan-builder.ts';
import { chunkPathOf } from './support/store-client.ts';
import {
  openStoreUnderTest,
  type Replica,
  type StoreUnderTest,
} from './support/store-under-test.ts';

let store: StoreUnderTest;
let replica: Replica;

beforeAll(async () => {
  store = await openStoreUnderTest();
  replica = await store.start();
});
afterAll(() => store.close());

const bytes = Buffer.from('{"assets":[],"descriptions":[]}');
const newPosition = () => chunkPathOf(newScan({ scope: newScope(), pages: [] }), 0, 0);

describe('PUT of a chunk', () => {
  it('is answered 204 when it is stored, and 204 again for the same chunk', async () => {
    const position = newPosition();

    expect(await replica.client.putChunk(position, bytes)).toEqual({ status: 204 });
    expect(await store.collections.chunks.countDocuments({ _id: idOf(position) })).toBe(1);
    expect(await replica.client.putChunk(position, bytes)).toEqual({ status: 204 });
  });

  it('is answered 409 when another chunk has the position', async () => {
    const position = newPosition();
    await replica.client.putChunk(position, bytes);

    const other = await replica.client.putChunk(position, Buffer.from('other'));

    expect(other).toEqual({ status: 409, code: 'chunk_conflict' });
  });

  it('keeps one chunk when twenty race for the position', async () => {
    const position = newPosition();

    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        replica.client.putChunk(position, Buffer.from(`${at % 2}`)),
      ),
    );

    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(204), ...Array(10).fill(409)]);
  });

  it('takes up to 2 MiB, and one byte more is 413', async () => {
    const largest = Buffer.alloc(chunkBytesMax, 'x');

    expect((await replica.client.putChunk(newPosition(), largest)).status).toBe(204);
    const over = await putOver(Buffer.alloc(chunkBytesMax + 1, 'x'));
    expect(over).toBe(413);
  });

  it('is answered 422 when the body does not match its digest, or is empty', async () => {
    const wrong = await replica.client.putChunk(newPosition(), bytes, 'a'.repeat(64));
    const empty = await replica.client.putChunk(newPosition(), Buffer.alloc(0));

    expect(wrong).toEqual({ status: 422, code: 'digest_mismatch' });
    expect(empty.status).toBe(422);
  });

  const scanId = '01900000-0000-7000-8000-000000000000';
  it.each([
    ['a scan that is no UUID', '/scans/1/epochs/1/pages/0/chunks/0'],
    ['epoch 0', `/scans/${scanId}/epochs/0/pages/0/chunks/0`],
    ['page 250', `/scans/${scanId}/epochs/1/pages/250/chunks/0`],
    ['chunk 64', `/scans/${scanId}/epochs/1/pages/0/chunks/64`],
    ['a number that is not canonical', `/scans/${scanId}/epochs/1/pages/00/chunks/0`],
    ['a negative number', `/scans/${scanId}/epochs/1/pages/-1/chunks/0`],
    ['a number with an exponent', `/scans/${scanId}/epochs/1e1/pages/0/chunks/0`],
  ])('is answered 422 for %s', async (_what, position) => {
    expect((await replica.client.putChunk(position, bytes)).status).toBe(422);
  });

  it('is answered 422 without a digest, or with one that is none', async () => {
    const position = newPosition();

    expect((await replica.client.putChunk(position, bytes, '')).status).toBe(422);
    expect((await replica.client.putChunk(position, bytes, 'A'.repeat(64))).status).toBe(422);
  });

  it('is served eventually under any number of concurrent requests over the same connections', async () => {
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 400)], chunkBytes: 700 });
    const chunks = (scan.pages[0] ?? []).slice(0, 60);

    const responses = await Promise.all(
      chunks.map((chunk, at) => replica.client.putChunk(chunkPathOf(scan, 0, at), chunk)),
    );

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([204]));
  });
});

describe('The list of what is staged', () => {
  it('names pages and chunks in their order, as a manifest does, of one scan and epoch alone', async () => {
    const pages = Array.from({ length: 12 }, (_, at) => plainPage(at * 20, at * 20 + 20));
    const scan = newScan({ scope: newScope(), pages, chunkBytes: 150, epoch: 3 });
    await replica.client.stage(scan);
    await replica.client.stage(newScan({ scope: newScope(), pages: [plainPage(0, 3)] }));

    const listed = await replica.client.staged(scan);

    expect(scan.pages[0]?.length).toBeGreaterThan(10);
    expect(listed).toEqual({ status: 200, pages: completedMessage(scan).pages });
  });

  it('is empty for a scan or an epoch without staged chunks', async () => {
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
    await replica.client.stage(scan);

    expect(await replica.client.staged({ ...scan, epoch: 2 })).toEqual({ status: 200, pages: [] });
    expect((await replica.client.staged({ ...scan, scanId: 'no-uuid' })).status).toBe(422);
  });
});

function idOf(position: string): string {
  const [, , scanId, , epoch, , page, , chunk] = position.split('/');
  return `${scanId}/${epoch}/${page}/${chunk}`;
}

/** The server may close before it took everything; then the client sees no status at all. */
async function putOver(body: Buffer): Promise<number> {
  try {
    return (await replica.client.putChunk(newPosition(), body)).status;
  } catch {
    return 413;
  }
}
