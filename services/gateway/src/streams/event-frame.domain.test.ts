import { projectEvent } from '@inventory/contracts/http/project-event';
import { closingData, recoveryData, revokedData } from '@inventory/contracts/http/stream-frames';
import { writeEvent } from '@inventory/contracts/internal/event-log';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import fc from 'fast-check';
import type { z } from 'zod';
import { readChunks } from '../../test/support/read-chunks.ts';
import {
  checkpointFrame,
  chunkOf,
  closingFrame,
  contentOfChunks,
  eventFrame,
  heartbeatFrame,
  lastChunk,
  recoveryFrame,
  revokedFrame,
} from './event-frame.domain.ts';

const event: z.input<typeof projectEvent> = {
  id: 'evt_01900000-0000-5000-8000-000000000000',
  version: 1,
  type: 'inventory.refresh.completed',
  occurred_at: '2026-11-21T10:00:00.000Z',
  project_id: 'prj_01900000-0000-7000-8000-000000000000',
  data: {
    refresh_id: '01900000-0000-7000-8000-000000000001',
    state: 'completed',
    outcome: 'complete_changed',
    scope: { platform_id: '76561198000000017', app_id: 730, context_id: 2 },
    revision_id: null,
    watch_id: null,
  },
  links: { refresh: '/v2/platform/inventory-refreshes/01900000-0000-7000-8000-000000000001' },
};

test('frames are exactly these bytes (Events: frames) [events-control-frames]', () => {
  expect(checkpointFrame('abc', '2026-11-21T10:00:00.000Z')).toBe(
    'event: checkpoint\nid: abc\ndata: {"as_of":"2026-11-21T10:00:00.000Z"}\n\n',
  );
  const json = JSON.stringify(event);
  expect(eventFrame('abd', { type: event.type, json })).toBe(
    `event: inventory.refresh.completed\nid: abd\ndata: ${json}\n\n`,
  );
  expect(closingFrame('draining', 1500)).toBe(
    'event: stream.closing\nretry: 1500\ndata: {"reason":"draining","retry_after_ms":1500}\n\n',
  );
  expect(revokedFrame('owner_suspended')).toBe(
    'event: stream.authorization_revoked\ndata: {"reason":"owner_suspended"}\n\n',
  );
  expect(
    recoveryFrame({ reason: 'cursor_too_old', earliest_as_of: null, resume_cursor: 'x' }),
  ).toBe(
    'event: stream.recovery_required\ndata: {"reason":"cursor_too_old","earliest_as_of":null,"resume_cursor":"x"}\n\n',
  );
  expect(heartbeatFrame).toBe(':\n\n');
});

test('every control frame is as it is documented, with every reason (Events: frames) [events-control-frames]', () => {
  const dataOf = (frame: string): unknown => JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '');
  const notices = recoveryData.shape.reason.options.map((reason) => ({
    ...{ reason, earliest_as_of: '2026-11-21T10:00:00.000Z', resume_cursor: 'x' },
  }));

  for (const reason of closingData.shape.reason.options) {
    expect(closingData.strict().parse(dataOf(closingFrame(reason, 1_000)))).toMatchObject({
      reason,
    });
  }
  for (const reason of revokedData.shape.reason.options) {
    expect(revokedData.strict().parse(dataOf(revokedFrame(reason)))).toEqual({ reason });
  }
  for (const notice of notices) {
    expect(recoveryData.strict().parse(dataOf(recoveryFrame(notice)))).toEqual(notice);
  }
});

test('a parser that knows nothing of us reads every frame as one, whatever texts are in it (Events: frames) [events-control-frames]', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const seen: EventSourceMessage[] = [];
      const parser = createParser({ onEvent: (message) => seen.push(message) });
      const links = { refresh: text };

      parser.feed(
        `${eventFrame('cursor', writeEvent(projectEvent.parse({ ...event, links })))}${heartbeatFrame}`,
      );

      expect(seen).toHaveLength(1);
      expect(seen[0]).toMatchObject({ event: event.type, id: 'cursor' });
      expect(JSON.parse(seen[0]?.data ?? '')).toEqual({ ...event, links });
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

test('control frames carry no id, so that a reader keeps its position (Events: control frames) [events-control-frames]', () => {
  for (const frame of [closingFrame('max_age', 1_000), revokedFrame('network_policy')]) {
    expect(frame).not.toMatch(/^id/m);
    expect(frame).toMatch(/^data: /m);
  }
});

test('a field or an event that would break out of its line is refused, not sent', () => {
  for (const cursor of ['a\nid: b', 'a\rb', 'a\0']) {
    expect(() => checkpointFrame(cursor, 'now')).toThrow('line break');
    expect(() => eventFrame('id', { type: 'x', json: cursor })).toThrow('line break');
  }
});

const texts = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }), {
  maxLength: 5,
});

test('chunks in a row carry their texts whole and in order, wherever they are split, and so do they without their framing (Events: framing)', () => {
  fc.assert(
    fc.property(texts, fc.nat(), (all, somewhere) => {
      const chunks = Buffer.concat(all.map(chunkOf));
      const body = chunks.toString('latin1') + lastChunk;
      const written = all.map((text) => Buffer.from(text).toString('latin1'));

      const part = readChunks(body.slice(0, somewhere % body.length));

      expect(readChunks(body)).toEqual({ chunks: written, isComplete: true });
      expect(part).toEqual({ chunks: written.slice(0, part.chunks.length), isComplete: false });
      expect(contentOfChunks(chunks)).toEqual(Buffer.from(all.join('')));
    }),
    { numRuns: propertyRuns(100) },
  );
});
