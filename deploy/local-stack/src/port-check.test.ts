import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { portConflicts } from './port-check.ts';

let server: Server;
let takenPort: number;

beforeEach(async () => {
  server = createServer();
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const address = server.address();
  takenPort = typeof address === 'object' && address !== null ? address.port : 0;
});

afterEach(() => server.close());

function gatewayOn(port: number) {
  return { port, setting: 'GATEWAY_PORT', user: 'the gateway' };
}

test('a taken port is told with its number, who needs it and the setting that changes it', async () => {
  const [sentence, ...others] = await portConflicts([
    gatewayOn(takenPort),
    { port: 0, setting: 'OPERATOR_PORT', user: 'the operator API' },
  ]);

  expect(others).toEqual([]);
  expect(sentence).toContain(`Port ${takenPort}, which the gateway needs, is taken`);
  expect(sentence).toContain('GATEWAY_PORT=<port> npm start');
});

test('two settings with one port are told apart', async () => {
  server.close();
  const conflicts = await portConflicts([
    gatewayOn(takenPort),
    { port: takenPort, setting: 'SIMULATOR_PORT', user: 'the simulator' },
  ]);

  expect(conflicts).toEqual([
    `GATEWAY_PORT and SIMULATOR_PORT are both ${takenPort}: choose two ports.`,
  ]);
});
