import { env } from 'node:process';
import WorkerEnvironment from '../support/worker-environment.ts';

type Options = ConstructorParameters<typeof WorkerEnvironment>;

const [config, context] = [
  { projectConfig: { testEnvironmentOptions: {}, fakeTimers: {} } },
  { testPath: '' },
] as unknown as Options;

test('a test file finds the globals and variables that its worker began with, whatever the one before it did', async () => {
  const { setTimeout: timer } = globalThis;
  const environment = new WorkerEnvironment(config, context);
  environment.fakeTimersModern.useFakeTimers();
  Object.assign(globalThis, { left: true, [Symbol.for('left')]: true, structuredClone: null });
  Object.assign(env, { LEFT: '1', PATH: '' });

  await environment.teardown();

  expect(Reflect.ownKeys(globalThis)).not.toContain('left');
  expect(Reflect.ownKeys(globalThis)).not.toContain(Symbol.for('left'));
  expect(structuredClone({})).toEqual({});
  expect(setTimeout).toBe(timer);
  expect(env).not.toHaveProperty('LEFT');
  expect(env).not.toMatchObject({ PATH: '' });
});

test('a package is the one that Node has for the worker', () => {
  const { createRequire } = process.getBuiltinModule('node:module');

  expect(require('mongodb')).toBe(createRequire(__filename)('mongodb'));
});
