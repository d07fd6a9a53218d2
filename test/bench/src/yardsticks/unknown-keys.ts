import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { secretEntropyBytes, writeSecret } from '@inventory/contracts/credential-secret';

/**
 * Sends requests with keys that no Credential has, each well-formed and new, at a rate that does not
 * depend on the answers: one on each connection in turn. Arguments: port, requests a second,
 * connections. A connection with a full pipeline is left out. Any message is answered with how many
 * were sent.
 */
const [port = 0, perSecond = 0, connections = 0] = process.argv.slice(2).map(Number);
const pipelineMax = 8;
const tickMs = 5;

interface Line {
  socket: Socket;
  open: number;
}

let sent = 0;

async function open(line: Line): Promise<void> {
  line.socket = connect(port, '127.0.0.1');
  line.open = 0;
  line.socket.setNoDelay(true);
  line.socket.on('data', (data) => {
    const answers = data.toString('latin1').split('HTTP/1.1 ').length - 1;
    line.open = Math.max(0, line.open - answers);
  });
  line.socket.on('error', () => {});
  line.socket.on('close', () => setTimeout(() => void open(line), 100).unref());
  await once(line.socket, 'connect').catch(() => {});
}

function sendOn(line: Line): void {
  if (!line.socket.writable || line.open >= pipelineMax) return;
  const key = writeSecret(`cred_${randomUUID()}`, randomBytes(secretEntropyBytes));
  line.socket.write(`GET /v2/prices HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n\r\n`);
  line.open += 1;
  sent += 1;
}

async function main(): Promise<void> {
  const lines = Array.from({ length: connections }, () => ({ open: 0 }) as Line);
  await Promise.all(lines.map(open));
  let due = 0;
  let next = 0;
  let atMs = performance.now();
  setInterval(() => {
    // What could not be sent in time is not sent later all at once.
    due = Math.min(due + ((performance.now() - atMs) * perSecond) / 1_000, perSecond / 20);
    atMs = performance.now();
    for (; due >= 1; due -= 1) {
      const line = lines[next % lines.length];
      if (line) sendOn(line);
      next += 1;
    }
  }, tickMs);
  process.on('message', () => process.send?.(sent));
  process.send?.('ready');
}

void main();
