import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { MongoClient } from 'mongodb';
import { Agent, request } from 'undici';
import { openPingPong } from './ping-pong.ts';

/*
 * The least a paid page costs: one Kafka round trip, one durable insert, one proxied fetch of the
 * same bytes. Arguments: brokers, first and last topic of an echo, MongoDB address and database,
 * page source.
 */
async function main(): Promise<void> {
  const [brokers = '', first = '', last = '', uri = '', database = '', source = ''] =
    process.argv.slice(2);
  const pingPong = await openPingPong(brokers, first, last);
  const client = await MongoClient.connect(uri);
  const charges = client.db(database).collection<{ _id: string; at: Date }>('charges');
  const agent = new Agent({ connections: 64, pipelining: 1 });
  const app = new Koa();
  app.use(async (context) => {
    const [page] = await Promise.all([
      request(source, { dispatcher: agent }).then(({ body }) => body.arrayBuffer()),
      charges.insertOne(
        { _id: randomUUID(), at: new Date() },
        { writeConcern: { w: 'majority', journal: true } },
      ),
    ]);
    await pingPong.ping();
    context.type = 'json';
    context.body = Buffer.from(page);
  });
  const server = app.listen(0, '127.0.0.1', () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
}

void main();
