import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { projectId, refreshId } from './answers.ts';

export interface AskedStream {
  readonly path: string;
  readonly lastEventId: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The script of one connection. */
export interface StreamScript {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Written one after the other, each in a packet of its own. */
  readonly parts?: readonly (string | Uint8Array)[];
  /** How it ends: properly, in the middle, or not at all. */
  readonly end?: 'eof' | 'cut' | 'silent';
}

/** A real HTTP server with a script for each connection, the last one for ever. */
export interface StreamServer {
  readonly url: string;
  readonly asked: readonly AskedStream[];
  readonly open: () => number;
  plays(...scripts: readonly StreamScript[]): void;
  close(): Promise<void>;
}

export async function startStreamServer(): Promise<StreamServer> {
  const asked: AskedStream[] = [];
  let scripts: readonly StreamScript[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    const { headers, url = '' } = request;
    const script = scripts[Math.min(asked.length, scripts.length - 1)] ?? {};
    asked.push({ path: url, lastEventId: headers['last-event-id']?.toString(), headers });
    open += 1;
    response.on('close', () => {
      open -= 1;
    });
    void give(response, script);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    open: () => open,
    plays(...next) {
      asked.length = 0;
      scripts = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function give(response: ServerResponse, script: StreamScript): Promise<void> {
  const { status = 200, headers, parts = [], end = 'eof' } = script;
  response.writeHead(status, { 'content-type': 'text/event-stream', ...headers });
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  for (const part of parts) {
    await new Promise<void>((resolve) => {
      response.write(part, () => setImmediate(resolve));
    });
  }
  if (end === 'eof') response.end();
  if (end === 'cut') response.destroy();
}

export function event(serial: number, change: Readonly<Record<string, unknown>> = {}) {
  return {
    id: `evt_0197a4b0-0000-5000-8000-${String(serial).padStart(12, '0')}`,
    version: 1,
    type: 'inventory.refresh.completed',
    occurred_at: '2026-01-01T00:00:09.000Z',
    project_id: projectId,
    data: { refresh_id: refreshId, state: 'completed', outcome: 'complete_changed' },
    links: { refresh: `/v2/platform/inventory-refreshes/${refreshId}` },
    ...change,
  };
}

export const cursorOf = (serial: number) => `cursor-${serial}`;

export function frame(type: string, data: unknown, id?: string): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${type}\n${idLine}data: ${JSON.stringify(data)}\n\n`;
}

export function checkpoint(cursor: string): string {
  return frame('checkpoint', { as_of: '2026-01-01T00:00:00.000Z' }, cursor);
}

export function eventFrame(serial: number): string {
  return frame('inventory.refresh.completed', event(serial), cursorOf(serial));
}
