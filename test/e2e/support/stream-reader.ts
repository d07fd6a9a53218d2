import { type IncomingMessage, request } from 'node:http';
import { waitFor } from '@inventory/testkit/wait-for';
import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** A stream as a customer's backend reads it. */
export interface StreamReader {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly frames: readonly EventSourceMessage[];
  /** The body of a refusal. */
  readonly text: () => string;
  readonly ended: () => boolean;
  frame(event: string): Promise<EventSourceMessage>;
  events(count: number): Promise<readonly EventSourceMessage[]>;
  /** Stops reading without closing, and resumes. */
  pause(): void;
  resume(): void;
  cut(): void;
}

export interface StreamRequest {
  readonly gatewayUrl: string;
  readonly projectId: string;
  readonly apiKey: string;
  readonly lastEventId?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

const refreshCompleted = 'inventory.refresh.completed';

export function openReader(wanted: StreamRequest): Promise<StreamReader> {
  const { gatewayUrl, projectId, apiKey, lastEventId } = wanted;
  const { hostname, port } = new URL(gatewayUrl);
  return new Promise((resolve, reject) => {
    const sent = request({
      hostname,
      port,
      path: `/v2/projects/${projectId}/events/stream`,
      agent: false,
      headers: {
        accept: 'text/event-stream',
        'x-api-key': apiKey,
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        ...wanted.headers,
      },
    });
    sent.on('error', reject);
    sent.on('response', (response) => resolve(readerOf(response)));
    sent.end();
  });
}

function readerOf(response: IncomingMessage): StreamReader {
  const frames: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => frames.push(message) });
  let text = '';
  let ended = false;
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    if (response.statusCode === 200) parser.feed(chunk);
    else text += chunk;
  });
  for (const end of ['end', 'close', 'error']) {
    response.on(end, () => {
      ended = true;
    });
  }
  const named = (event: string) => frames.filter((frame) => frame.event === event);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    frames,
    text: () => text,
    ended: () => ended,
    frame: (event) => waitFor(`a frame ${event} arrives`, () => named(event).at(-1)),
    events: (count) =>
      waitFor(
        `${count} events arrive`,
        () => named(refreshCompleted).length >= count && named(refreshCompleted),
      ),
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    cut: () => void response.destroy(),
  };
}
