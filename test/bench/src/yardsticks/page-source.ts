import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/* Serves one page of so many bytes, ready made. Argument: the bytes. */
const page = Buffer.from(JSON.stringify('x'.repeat(Number(process.argv[2]) - 2)));
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': page.length });
  response.end(page);
});
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
