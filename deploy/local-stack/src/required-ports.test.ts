import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { assertPortsFree, requiredPorts } from './required-ports.ts';
import { readStackSettings } from './stack-settings.ts';

let server: Server;
let takenPort: number;

beforeEach(async () => {
  server = createServer().listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const address = server.address();
  takenPort = typeof address === 'object' && address !== null ? address.port : 0;
});

afterEach(() => server.close());

function gatewayOn(port: number) {
  return { port, setting: 'GATEWAY_PORT', user: 'the gateway' };
}

test('every port that a setting fixes is checked', () => {
  const settings = requiredPorts(readStackSettings({}), {}).map(({ setting }) => setting);

  expect(settings).toEqual([
    'GATEWAY_PORT',
    'OPERATOR_PORT',
    'SIMULATOR_PORT',
    'KAFKA_PORT',
    'MONGODB_PORT',
  ]);
});

test('a taken port is reported with its number, its user and the setting that changes it', async () => {
  const other = { port: 0, setting: 'OPERATOR_PORT', user: 'the operator API' };

  await expect(assertPortsFree([gatewayOn(takenPort), other], 0)).rejects.toThrow(
    new RegExp(`^Port ${takenPort}, which the gateway needs.*GATEWAY_PORT=<port> npm start$`),
  );
});

test('two settings with one port are reported', async () => {
  server.close();
  const other = { port: takenPort, setting: 'SIMULATOR_PORT', user: 'the simulator' };

  await expect(assertPortsFree([gatewayOn(takenPort), other], 0)).rejects.toThrow(
    `GATEWAY_PORT and SIMULATOR_PORT are both ${takenPort}: choose two ports.`,
  );
});
