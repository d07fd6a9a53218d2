import type { AddressInfo } from 'node:net';
import Koa from 'koa';

/* Koa with one page of so many bytes in memory. Argument: the bytes. */
const page = Buffer.alloc(Number(process.argv[2]), 'x');
const app = new Koa();
app.use((context) => {
  context.type = 'json';
  context.body = page;
});
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
