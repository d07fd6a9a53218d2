import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { balanceConnections, type ConnectionBalancer } from './balance-connections.ts';

let replicas: { server: Server; port: number }[];
let balancer: ConnectionBalancer;

beforeEach(async () => {
  replicas = await Promise.all(['one', 'two'].map(replica));
  balancer = await balanceConnections(replicas.map(({ port }) => port));
});

afterEach(async () => {
  for (const { server } of replicas) server.close();
  await balancer.close();
});

/** Answers what it is sent, after its name. */
async function replica(name: string) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (sent) => socket.end(`${name} ${sent.toString()}`));
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

async function ask(): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: balancer.port });
  socket.write('hello');
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

test('connections go to the replicas in turn', async () => {
  const answers = [await ask(), await ask(), await ask(), await ask()];

  expect(answers.toSorted()).toEqual(['one hello', 'one hello', 'two hello', 'two hello']);
});

test('a replica that is down is passed over', async () => {
  replicas[0]?.server.close();

  expect([await ask(), await ask(), await ask()]).toEqual(['two hello', 'two hello', 'two hello']);
});
