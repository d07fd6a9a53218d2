import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { serviceNames } from '@inventory/contracts/topics';
import { serviceProgram } from './repository-root.ts';

const tracingPackages = [
  '@opentelemetry/instrumentation',
  'require-in-the-middle',
  '@opentelemetry/sdk-node',
  '@opentelemetry/instrumentation-http',
  '@opentelemetry/instrumentation-mongodb',
  '@opentelemetry/instrumentation-undici',
];

/** Runs the program of a service without settings: it loads its modules, then reports what is missing. */
function loadedPackages(program: readonly string[], environment: Record<string, string>): string[] {
  const printer = join(__dirname, '../test/support/print-loaded-packages.cjs');
  const { status, stdout } = spawnSync(process.execPath, ['--require', printer, ...program], {
    env: environment,
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  return stdout.split('\n');
}

test.each(serviceNames)('%s loads no package of tracing while tracing is off', (service) => {
  const packages = loadedPackages(serviceProgram(service), {});
  expect(packages).toEqual(expect.arrayContaining(['koa', 'mongodb']));
  expect(packages.filter((name) => tracingPackages.includes(name))).toEqual([]);
});

test('the packages of tracing are loaded where a setting names an exporter', () => {
  const packages = loadedPackages(serviceProgram('gateway'), { OTEL_TRACES_EXPORTER: 'none' });
  expect(packages).toEqual(expect.arrayContaining(tracingPackages));
});
