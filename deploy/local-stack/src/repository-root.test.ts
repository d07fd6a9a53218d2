import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { serviceNames } from '@inventory/contracts/topics';
import { serviceProgram } from './repository-root.ts';

const tracingPackages = [
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

describe.each(serviceNames)('%s', (service) => {
  test('loads the packages of tracing only where tracing is on', () => {
    const program = serviceProgram(service);
    const untraced = loadedPackages(program, {});
    expect(untraced).toEqual(expect.arrayContaining(['kafkajs', 'mongodb']));
    expect(untraced.filter((name) => tracingPackages.includes(name))).toEqual([]);
    const traced = loadedPackages(program, { OTEL_TRACES_EXPORTER: 'none' });
    expect(traced).toEqual(expect.arrayContaining(tracingPackages));
  });
});
