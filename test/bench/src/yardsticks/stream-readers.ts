import { connect, type Socket } from 'node:net';

/*
 * Clients of event streams, in a process of their own. Their commands arrive as messages:
 * connections to open, a mark to count from, a report to give, all to cut.
 */
export interface StreamTarget {
  readonly path: string;
  readonly apiKey: string;
}

export type ReaderCommand =
  | {
      readonly do: 'open';
      readonly port: number;
      readonly targets: readonly StreamTarget[];
      /** Resume from the last cursor of each connection. */
      readonly resume: boolean;
    }
  | { readonly do: 'mark' | 'report' | 'cut' };

export interface ReaderReport {
  readonly open: number;
  /** Event frames since the mark. */
  readonly deliveries: number;
  /** When each event came to the first connection, by its id, in Unix milliseconds. */
  readonly arrivals: Readonly<Record<string, number>>;
}

interface Reading {
  readonly socket: Socket;
  readonly index: number;
  started: boolean;
  /** The end of what came last: the newest cursor is in it. */
  tail: Buffer;
}

/** Below the look-ups of unknown keys that a gateway admits at a time. */
const openAtOnce = 100;
const addressesOfNetwork = 250;
const tailBytes = 2_048;
const dataField = Buffer.from('\ndata: {"id"');
let readings: Reading[] = [];
let lastIds: string[] = [];
let deliveries = 0;
let arrivals: Record<string, number> = {};

function countFrames(chunk: Buffer): number {
  let frames = 0;
  for (let at = chunk.indexOf(dataField); at >= 0; at = chunk.indexOf(dataField, at + 1)) {
    frames += 1;
  }
  return frames;
}

function recordArrivals(chunk: Buffer): void {
  const nowMs = Date.now();
  for (const [, id = ''] of chunk.toString('latin1').matchAll(/\ndata: \{"id":"(evt_[^"]+)"/g)) {
    arrivals[id] = nowMs;
  }
}

function take(reading: Reading, chunk: Buffer): void {
  reading.started ||= chunk.includes('event: ') || /(^|\n): /.test(chunk.toString('latin1'));
  reading.tail = chunk.subarray(-tailBytes);
  deliveries += countFrames(chunk);
  if (reading.index === 0) recordArrivals(chunk);
}

function open(port: number, target: StreamTarget, index: number, resume: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    // Source addresses of their own: those of one share its ports and its look-ups of unknown keys.
    const network = 1 + Math.floor(index / addressesOfNetwork);
    const localAddress = `127.0.${network}.${1 + (index % addressesOfNetwork)}`;
    const socket = connect({ host: '127.0.0.1', port, localAddress, noDelay: true });
    const reading = { socket, index, started: false, tail: Buffer.alloc(0) };
    const cursor = resume ? lastIds[index] : undefined;
    socket.on('connect', () => {
      const resumed = cursor === undefined ? '' : `Last-Event-ID: ${cursor}\r\n`;
      socket.write(
        `GET ${target.path} HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n` +
          `X-API-Key: ${target.apiKey}\r\n${resumed}\r\n`,
      );
    });
    socket.on('data', (chunk) => {
      take(reading, chunk);
      if (reading.started) resolve();
      else if (chunk.includes('HTTP/1.1') && !chunk.includes('HTTP/1.1 200')) {
        reject(new Error(`refused: ${chunk.toString('latin1', 0, 200)}`));
      }
    });
    socket.on('error', reject);
    socket.on('close', () =>
      reject(new Error(`ended: ${reading.tail.toString('latin1', 0, 200)}`)),
    );
    readings.push(reading);
  });
}

async function openAll({ port, targets, resume }: Extract<ReaderCommand, { do: 'open' }>) {
  for (let from = 0; from < targets.length; from += openAtOnce) {
    const some = targets.slice(from, from + openAtOnce);
    await Promise.all(some.map((target, index) => open(port, target, from + index, resume)));
  }
}

function cut(): void {
  lastIds = [];
  for (const { socket, index, tail } of readings) {
    const ids = [...tail.toString('latin1').matchAll(/^id: (.+)$/gm)];
    lastIds[index] = ids.at(-1)?.[1] ?? '';
    socket.removeAllListeners('error');
    socket.on('error', () => {});
    socket.destroy();
  }
  readings = [];
}

function report(): ReaderReport {
  return {
    open: readings.filter(({ socket }) => !socket.destroyed).length,
    deliveries,
    arrivals,
  };
}

process.on('message', (command: ReaderCommand) => {
  const reply = (what: unknown) => process.send?.(what);
  switch (command.do) {
    case 'open':
      openAll(command).then(
        () => reply('opened'),
        (error: unknown) => reply(`failed: ${error}`),
      );
      return;
    case 'mark':
      deliveries = 0;
      arrivals = {};
      reply('marked');
      return;
    case 'cut':
      cut();
      reply('cut');
      return;
    case 'report':
      reply(report());
  }
});
process.send?.('ready');
