import { addressLines, callLines, type TryItOptions } from './try-it-lines.ts';

const options: TryItOptions = {
  stack: {
    gatewayUrl: 'http://127.0.0.1:8080',
    operatorUrl: 'http://127.0.0.1:8081',
    simulatorUrl: null,
    kafkaBrokers: '127.0.0.1:9192',
    origin: { kafka: 'Apache Kafka 4.3.0, native process', mongodb: 'MongoDB 8' },
    services: [],
  },
  demo: { accountId: 'acc_1', projectId: 'prj_1', apiKey: 'inv_1', creditsAvailable: 7 },
  scope: { platform_id: '76100500000000000', app_id: 730, context_id: 2 },
  stackFile: '/x/stack.json',
  logsDir: '/x/logs',
};

test.each([
  '/refresh',
  '/cancel',
  '/current',
  '/inventory-refreshes/$REFRESH',
  '/v2/projects/prj_1/inventory-refreshes',
  '/v2/projects/prj_1/events/stream',
  '/v2/projects/prj_1/events?',
])('there is a complete call to paste for %s', (path) => {
  const [line] = callLines(options).filter((one) => one.includes('curl') && one.includes(path));

  expect(line).toContain('http://127.0.0.1:8080/v2/');
  expect(line).toContain("-H 'X-API-Key: inv_1'");
});

test('the operator token is not shown, only its file', () => {
  const shown = addressLines(options).join('\n');

  expect(shown).toContain('its token is in /x/stack.json');
  expect(shown).not.toContain('Simulator');
  expect(shown).toContain('http://127.0.0.1:8080/docs');
});
