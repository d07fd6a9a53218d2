import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Koa from 'koa';

const pack = promisify(gzip);

/*
 * Koa with one page in memory. Arguments: its bytes, or the file that has it; `gzip` to pack it for
 * each request, as compressing middleware does.
 */
const [what = '', coding] = process.argv.slice(2);
const page = Number(what) > 0 ? Buffer.alloc(Number(what), 'x') : readFileSync(what);
const app = new Koa();
app.use(async (context) => {
  context.type = 'json';
  if (coding === 'gzip') {
    context.set('Content-Encoding', coding);
    context.body = await pack(page);
  } else context.body = page;
});
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
