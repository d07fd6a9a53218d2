import { randomBytes, randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { secretEntropyBytes, writeSecret } from '@inventory/contracts/credential-secret';

/**
 * Sends requests with keys that no Credential has, each well-formed and new, at a rate that does not
 * depend on the responses: a connection with a full pipeline is cut, and another is opened. Arguments:
 * port, requests a second, connections. The reply to any message is how many the system has taken.
 */
const [port = 0, perSecond = 0, connections = 0] = process.argv.slice(2).map(Number);
/** Below what the gateway reads from a connection before it has responded. */
const pipelineMax = 8;
const tickMs = 5;
const reopenMs = 100;

interface Connection {
  readonly socket: Socket;
  inFlight: number;
}

let sent = 0;
const open: Connection[] = [];

function openAt(index: number): void {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  const connection = { socket, inFlight: 0 };
  open[index] = connection;
  socket.on('data', (data) => {
    connection.inFlight -= data.toString('latin1').split('HTTP/1.1 ').length - 1;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    if (open[index] === connection) setTimeout(openAt, reopenMs, index);
  });
}

/** False where the connection takes no request now. */
function sendAt(index: number): boolean {
  const connection = open[index];
  if (connection?.socket.readyState !== 'open') return false;
  if (connection.inFlight >= pipelineMax) {
    openAt(index);
    connection.socket.destroy();
    return false;
  }
  const key = writeSecret(`cred_${randomUUID()}`, randomBytes(secretEntropyBytes));
  const request = `GET /v2/prices HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n\r\n`;
  connection.inFlight += 1;
  connection.socket.write(request, (error) => {
    if (!error) sent += 1;
  });
  return true;
}

let last = 0;

/** On the next connection that takes it; false where none does. */
function sendOne(): boolean {
  for (let tries = 0; tries < connections; tries += 1) {
    last = (last + 1) % connections;
    if (sendAt(last)) return true;
  }
  return false;
}

for (let index = 0; index < connections; index += 1) openAt(index);
let due = 0;
let atMs = performance.now();
setInterval(() => {
  // What could not be sent in time is not sent later all at once.
  due = Math.min(due + ((performance.now() - atMs) * perSecond) / 1_000, perSecond / 20);
  atMs = performance.now();
  while (due >= 1 && sendOne()) due -= 1;
}, tickMs);
process.on('message', () => process.send?.(sent));
process.send?.('ready');
