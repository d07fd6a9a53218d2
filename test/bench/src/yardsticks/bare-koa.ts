import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Koa from 'koa';

const pack = promisify(gzip);

/* Koa that packs one page for each request, as compressing middleware does. Argument: its file. */
const page = readFileSync(process.argv[2] ?? '');
const app = new Koa();
app.use(async (context) => {
  context.type = 'json';
  context.set('Content-Encoding', 'gzip');
  context.body = await pack(page);
});
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
