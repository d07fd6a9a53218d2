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
