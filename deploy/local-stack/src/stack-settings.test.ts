import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readStackSettings, stackSettingNames } from './stack-settings.ts';

test.each([
  [{ REPLICAS: 'collector=2' }, '"collector" is none of gateway, refresh-collector'],
  [{ REPLICAS: 'gateway=0' }, 'gateway must be a number from 1 to 9'],
  [{ GATEWAY_PORT: 'http' }, 'GATEWAY_PORT: must be a whole number'],
  [{ PLATFORM_BASE_URL: 'platform' }, 'PLATFORM_BASE_URL'],
  [{ DEMO_INVENTORY: '76100500000000000/730' }, 'must be <platform_id>/<app_id>/<context_id>'],
])('%p is refused', (environment, words) => {
  expect(() => readStackSettings(environment)).toThrow(words);
});

test('all problems are reported at once', () => {
  const environment = { REPLICAS: 'x=1', GATEWAY_PORT: '-1', DEMO_INVENTORY: 'x' };

  expect(() => readStackSettings(environment)).toThrow(
    /REPLICAS.*\nDEMO_INVENTORY.*\nGATEWAY_PORT/,
  );
});

test('the README explains every setting', () => {
  const readme = readFileSync(join(__dirname, '..', 'README.md'), 'utf8');

  for (const name of stackSettingNames) expect(readme).toContain(`\`${name}\``);
});
