import { messages } from '@inventory/contracts/messages';
import { newAccountId, newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import type { OutgoingMessage } from './bus.ts';
import { decode, encode } from './wire-record.ts';

const position = {
  topic: 'refresh.commands.v1',
  partition: 1,
  offset: '9',
  writtenAtMs: 5,
} as const;

function cancel(overrides: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return {
    type: 'refresh.cancel.v1',
    id: 'cancel:1',
    body: {
      refreshId: newRefreshId(),
      accountId: newAccountId(),
      projectId: newProjectId(),
      requestedAtMs: Date.UTC(2026, 0, 1),
    },
    ...overrides,
  } as OutgoingMessage;
}

test('a message is sent to the topic and with the key of its contract', () => {
  const message = cancel();
  const { topic, record } = encode(message);

  expect(topic).toBe(messages['refresh.cancel.v1'].topic);
  expect(record.key).toBe((message.body as { refreshId: string }).refreshId);
});

test('an encoded message decodes to itself, whatever the ids and the deadline', () => {
  const text = fc.string({ minLength: 1 });
  fc.assert(
    fc.property(
      text,
      fc.option(text, { nil: undefined }),
      fc.option(fc.nat({ max: 8_640_000_000_000_000 }), { nil: undefined }),
      (id, waitingId, deadlineMs) => {
        const message = cancel({ id, waitingId, deadlineMs });
        const decoded = decode(encode(message).record, position);
        expect(decoded).toMatchObject({
          result: 'message',
          message: { id, waitingId, deadlineMs, body: message.body, trace: {}, ...position },
        });
      },
    ),
    { numRuns: propertyRuns(500) },
  );
});

test('the text of an event of any type and with any fields is carried as it was written (Events)', () => {
  const fields = { type: 'inventory.later.type', occurred_at: '2026-01-01T00:00:00.000Z' };
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (others) => {
      const json = JSON.stringify({ ...others, ...fields, more: others });
      const event = {
        ...{ id: `evt_${newRefreshId()}` as const, type: fields.type, refreshId: null, json },
        occurredAtMs: Date.parse(fields.occurred_at),
      };
      const at = { projectId: newProjectId(), position: 1, logEpoch: 1, appendedAtMs: null };
      const body = { ...at, event };
      const { topic, record } = encode({ type: 'project.event-appended.v1', id: 'e', body });

      const decoded = decode(record, { ...position, topic });

      expect(decoded).toMatchObject({ result: 'message', message: { body } });
    }),
    { numRuns: propertyRuns(300) },
  );
});

test('fields that a later version added are ignored, not refused', () => {
  const { record } = encode(cancel());
  const widened = { ...JSON.parse(record.value.toString()), added_later: { deep: true } };

  const decoded = decode({ ...record, value: Buffer.from(JSON.stringify(widened)) }, position);

  expect(decoded.result === 'message' && decoded.message.body).not.toHaveProperty('added_later');
  expect(decoded.result).toBe('message');
});

test('decoding never throws, whatever the bytes and headers', () => {
  const names = ['message-type', 'message-id', 'deadline-ms', 'traceparent', 'x'];
  const headers = fc.dictionary(
    fc.constantFrom(...names),
    fc.oneof(fc.string(), fc.constantFrom('refresh.cancel.v1', '__proto__', 'constructor', '')),
  );
  fc.assert(
    fc.property(
      fc.string(),
      fc.oneof(
        fc.uint8Array(),
        fc.json().map((json) => Buffer.from(json)),
      ),
      headers,
      (key, value, given) => {
        const decoded = decode({ key, value: Buffer.from(value), headers: given }, position);
        if (decoded.result === 'undecodable')
          expect(decoded.detail.length).toBeLessThanOrEqual(1_000);
      },
    ),
    { numRuns: propertyRuns(1_000) },
  );
});

test.each(['', 'soon', 'NaN', 'Infinity'])(
  'a deadline that is no time (%j) counts as none',
  (text) => {
    const { record } = encode(cancel());

    const decoded = decode(
      { ...record, headers: { ...record.headers, 'deadline-ms': text } },
      position,
    );

    expect(decoded).toMatchObject({ result: 'message', message: { deadlineMs: undefined } });
  },
);
