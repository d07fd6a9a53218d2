import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ContentCoding, contentCodings } from '@inventory/contracts/vocabulary';
import { Refused } from '@inventory/http/refused';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import { unpackers } from '@inventory/testkit/unpackers';
import { sendExport } from './send-export.ts';

const clock = createTestClock();
const withinMs = 1_000;
const text = 'a line\n'.repeat(20_000);

let server: Server;
/** What its delivery is told first, which decides. */
let outcome: 'delivered' | 'abandoned' | undefined;
let bytesTaken: number;
/** Settles when the export of the request has. */
let ended: Promise<unknown>;
let coding: ContentCoding | null;
let isCharged: boolean;
/** What happens before each of its chunks. */
let beforeChunk: (index: number) => void;

async function* body(): AsyncGenerator<Buffer, void, void> {
  for (const index of [0, 1, 2, 3]) {
    beforeChunk(index);
    yield Buffer.from(text.slice((index * text.length) / 4, ((index + 1) * text.length) / 4));
  }
}

beforeAll(async () => {
  server = createServer((_request, response) => {
    ended = sendExport(response, {
      headers: coding === null ? {} : { 'Content-Encoding': coding },
      coding,
      body: body(),
      trailers: () => ({}),
      delivery: isCharged
        ? {
            deadlineMs: clock.now() + withinMs,
            delivered: () => {
              outcome ??= 'delivered';
            },
            abandoned: () => {
              outcome ??= 'abandoned';
            },
          }
        : null,
      slot: only({
        taken: (bytes) => {
          bytesTaken += bytes;
        },
      }),
      timeMaxMs: 600_000,
      clock,
    }).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(503).end();
      return error;
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
beforeEach(() => {
  outcome = undefined;
  bytesTaken = 0;
  coding = null;
  isCharged = true;
  beforeChunk = () => undefined;
});
afterAll(() => server.close());

async function download() {
  const { port } = server.address() as AddressInfo;
  const [response] = (await once(get({ port, agent: false }), 'response')) as [IncomingMessage];
  const bytes = Buffer.concat(await response.toArray());
  return { status: response.statusCode, bytes, ended: await ended };
}

test.each([null, ...contentCodings])(
  'no first byte of an export (%s) is written from the deadline of its charge on, which is reversed (Charging a page read) [charging-a-page-read]',
  async (given) => {
    coding = given;
    beforeChunk = () => clock.advance(withinMs);

    const { status, bytes, ended: end } = await download();

    expect([status, bytes.length]).toEqual([503, 0]);
    expect((end as Refused).refusal).toMatchObject({ code: 'billing_unavailable' });
    expect(outcome).toBe('abandoned');
  },
);

test.each([null, ...contentCodings])(
  'an export (%s) whose first byte was in time is sent to its end, whatever its deadline',
  async (given) => {
    coding = given;
    // All of it is packed before the first byte.
    const behindMs = given === null ? withinMs : 0;
    beforeChunk = (index) => clock.advance(index === 0 ? withinMs - 1 : behindMs);

    const { bytes, ended: end } = await download();

    expect(bytesTaken).toBe(bytes.length);
    expect((given === null ? bytes : unpackers[given](bytes)).toString()).toBe(text);
    expect([outcome, end]).toEqual(['delivered', undefined]);
  },
);

test('what costs nothing has no deadline, and what fails before its first byte can be refused', async () => {
  isCharged = false;
  beforeChunk = () => clock.advance(withinMs);
  expect((await download()).bytes.toString()).toBe(text);

  beforeChunk = () => {
    throw new Refused({ code: 'cursor_expired' });
  };
  const { status, ended: end } = await download();
  expect([status, (end as Refused).refusal.code]).toEqual([503, 'cursor_expired']);
});
