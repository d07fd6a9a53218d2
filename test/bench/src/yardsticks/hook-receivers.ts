import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * Receivers of webhooks. A path begins with how it responds: `/fast` at once, `/timed` at once and
 * with the time of arrival, `/hang` after fourteen seconds, within the timeout of a request. Ready
 * with its port. Messages: {do: 'mark'} starts to count, {do: 'report'} replies with a HookReport.
 */
export interface HookReport {
  /** Requests to `/fast`, and when the first and the last of them arrived. */
  readonly fast: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Event ids of requests to `/timed` with the time of their arrival. */
  readonly timed: readonly (readonly [string, number])[];
  /** Requests to `/hang` without a response at present. */
  readonly hanging: number;
}

const hangMs = 14_000;
let fast = 0;
let firstMs = Number.NaN;
let lastMs = Number.NaN;
let timed: [string, number][] = [];
let hanging = 0;

const nowMs = () => performance.timeOrigin + performance.now();

const server = createServer((request, response) => {
  const { url = '', headers } = request;
  const atMs = nowMs();
  const respond = () => void response.writeHead(204).end();
  request.resume();
  if (url.startsWith('/hang')) {
    hanging += 1;
    setTimeout(() => {
      hanging -= 1;
      respond();
    }, hangMs);
    return;
  }
  if (url.startsWith('/timed')) {
    timed.push([String(headers['webhook-id']), atMs]);
  } else {
    if (fast === 0) firstMs = atMs;
    fast += 1;
    lastMs = atMs;
  }
  respond();
});
server.keepAliveTimeout = 60_000;

process.on('message', (command: { readonly do: 'mark' | 'report' }) => {
  if (command.do === 'mark') {
    fast = 0;
    timed = [];
    process.send?.('marked');
    return;
  }
  process.send?.({ fast, firstMs, lastMs, timed, hanging } satisfies HookReport);
});

server.listen(0, '127.0.0.1', () => {
  process.send?.(String((server.address() as AddressInfo).port));
});
