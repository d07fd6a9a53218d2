import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';

/* A server that does nothing but stream a file, in gzip where that is accepted. Argument: the file. */
const file = process.argv[2] ?? '';
const server = createServer((request, response) => {
  const isPacked = request.headers['accept-encoding'] === 'gzip';
  const bytes = createReadStream(file, { highWaterMark: 256 * 1024 });
  if (isPacked) pipeline(bytes, createGzip({ level: 1 }), response, () => {});
  else pipeline(bytes, response, () => {});
});
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
