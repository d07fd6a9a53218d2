import { type IncomingMessage, request } from 'node:http';
import { waitFor } from '@inventory/testkit/wait-for';

export interface OpenedStream {
  readonly status: number;
  /** What was received so far. */
  text(): string;
  /** Resolves when the text has this part. */
  received(part: string): Promise<string>;
  cut(): void;
}

/** GET …/events/stream on a connection of its own. */
export function openEventStream(
  url: string,
  { projectId, key }: { readonly projectId: string; readonly key: string },
): Promise<OpenedStream> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(`/v2/projects/${projectId}/events/stream`, url), {
      agent: false,
      headers: { accept: 'text/event-stream', 'x-api-key': key },
    });
    sent.on('error', reject);
    sent.on('response', (response) => resolve(streamOf(response)));
    sent.end();
  });
}

function streamOf(response: IncomingMessage): OpenedStream {
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (part: string) => {
    text += part;
  });
  response.on('error', () => {});
  return {
    status: response.statusCode ?? 0,
    text: () => text,
    received: (part) => waitFor(`"${part}" is received`, () => text.includes(part) && text),
    cut: () => void response.destroy(),
  };
}
