import { requiredPorts } from './required-ports.ts';
import { readStackSettings } from './stack-settings.ts';

function settingsNamed(environment: Record<string, string>): string[] {
  return requiredPorts(readStackSettings(environment), environment).map(({ setting }) => setting);
}

test('every fixed port is looked at before anything is started', () => {
  expect(settingsNamed({})).toEqual([
    'GATEWAY_PORT',
    'OPERATOR_PORT',
    'SIMULATOR_PORT',
    'KAFKA_PORT',
    'MONGODB_PORT',
  ]);
});

test.each([
  ['a given Kafka', { KAFKA_BROKERS: 'broker:9092' }, 'KAFKA_PORT'],
  ['a given MongoDB', { MONGODB_URI: 'mongodb://host' }, 'MONGODB_PORT'],
  ['a given platform', { PLATFORM_BASE_URL: 'https://platform.example' }, 'SIMULATOR_PORT'],
])('%s needs no port here', (_case, environment, setting) => {
  expect(settingsNamed(environment)).not.toContain(setting);
  expect(settingsNamed(environment)).toHaveLength(4);
});
