import { EventEmitter } from 'node:events';
import type { Refused } from '@inventory/http/refused';
import { createTestClock } from '@inventory/testkit/test-clock';
import type { PublicContext } from '../request-state.ts';
import { createDeliverySlots } from './delivery-slots.ts';
import { holdBytes, holdRead } from './hold-response.ts';

const limits = { perKeyMax: 100_000, totalMax: 150_000 };

function openSlots() {
  const clock = createTestClock();
  const undelivered = createDeliverySlots<`acc_${string}`>({
    ...{ limits, clock, kind: 'page' },
    bytesPerSecondMin: 65_536,
  });
  /** A request of an account, and whether its connection was closed. */
  function newRequest(accountId: `acc_${string}`, method = 'GET') {
    const res = Object.assign(new EventEmitter(), { closed: false });
    const seen = { isClosed: false };
    const socket = {
      destroy: () => {
        seen.isClosed = true;
      },
    };
    const context = { req: { method, socket }, res, state: { principal: { accountId } } };
    return { seen, res, context: context as unknown as PublicContext };
  }
  /** The code of the refusal of a response that costs nothing. */
  function readOf(bytes: number, { context }: ReturnType<typeof newRequest>): string | null {
    try {
      holdRead(undelivered, context, { status: 200, body: Buffer.alloc(bytes) });
      return null;
    } catch (error) {
      return (error as Refused).refusal.code;
    }
  }
  return { clock, undelivered, newRequest, readOf };
}

test('the response of a read is held until it is closed, and refused past the bytes of its account or of all (Everything is bounded)', () => {
  const { newRequest, readOf } = openSlots();
  const first = newRequest('acc_1');
  expect(readOf(90_000, first)).toBeNull();

  expect(readOf(20_000, newRequest('acc_1'))).toBe('rate_limit_exceeded');
  expect(readOf(70_000, newRequest('acc_2'))).toBe('service_unavailable');
  first.res.emit('close');
  expect(readOf(70_000, newRequest('acc_2'))).toBeNull();
});

test('a small one is not counted, nor that of an operation that has had its effect', () => {
  const { newRequest, readOf } = openSlots();
  readOf(100_000, newRequest('acc_1'));

  expect(readOf(16_000, newRequest('acc_1'))).toBeNull();
  expect(readOf(60_000, newRequest('acc_1', 'POST'))).toBeNull();
});

test('one whose client takes nothing of it is closed for another in time', () => {
  const { clock, newRequest, readOf } = openSlots();
  const slow = newRequest('acc_1');
  readOf(100_000, slow);
  clock.advance(14_000);

  expect([readOf(100_000, newRequest('acc_1')), slow.seen.isClosed]).toEqual([null, true]);
});

test('what is held of a page that was read is never refused for its size, and nothing is held for a client that has left', () => {
  const { undelivered, newRequest, readOf } = openSlots();
  const page = newRequest('acc_1');
  expect(holdBytes(undelivered, page.context, 1_000)).toBeNull();
  readOf(90_000, newRequest('acc_2'));

  expect(holdBytes(undelivered, page.context, 100_000)).toBeNull();
  page.res.emit('close');
  const gone = newRequest('acc_1');
  gone.res.closed = true;
  expect(holdBytes(undelivered, gone.context, 60_000)).toBeNull();
  expect(holdBytes(undelivered, newRequest('acc_1').context, 60_000)).toBeNull();
});
