import { chooseBackends, wantsDocker } from './choose-backends.ts';
import type { ProvisionSettings } from './provision-settings.ts';

const nothingGiven: ProvisionSettings = {
  kafkaBrokers: null,
  mongodbUri: null,
  access: { kafka: null, mongodb: null },
  kafkaPort: null,
  mongodbPort: null,
  mongodbNative: null,
  docker: 'detect',
  cacheDir: '/cache',
};

test('with nothing given and no daemon both backends are native processes', () => {
  expect(chooseBackends(nothingGiven, false)).toEqual({
    kafka: { kind: 'native' },
    mongodb: { kind: 'native' },
  });
});

test('a Docker daemon that answers is used before native processes', () => {
  expect(chooseBackends(nothingGiven, true)).toEqual({
    kafka: { kind: 'docker' },
    mongodb: { kind: 'docker' },
  });
});

test.each([true, false])(
  'an address given comes first, for each backend on its own (%s)',
  (docker) => {
    const choice = chooseBackends({ ...nothingGiven, kafkaBrokers: 'broker:9092' }, docker);

    expect(choice.kafka).toEqual({ kind: 'address', address: 'broker:9092' });
    expect(choice.mongodb).toEqual({ kind: docker ? 'docker' : 'native' });
  },
);

test('naming a native build of MongoDB keeps it native where Docker answers', () => {
  const choice = chooseBackends({ ...nothingGiven, mongodbNative: 'cargo' }, true);

  expect(choice).toEqual({ kafka: { kind: 'docker' }, mongodb: { kind: 'native' } });
});

test('a caller that takes servers down gets native ones even where Docker answers', () => {
  const choice = chooseBackends({ ...nothingGiven, docker: 'never' }, true);

  expect(choice).toEqual({ kafka: { kind: 'native' }, mongodb: { kind: 'native' } });
});

test.each([
  ['nothing is given', {}, true],
  ['only Kafka is given', { kafkaBrokers: 'broker:9092' }, true],
  ['both are given', { kafkaBrokers: 'broker:9092', mongodbUri: 'mongodb://host' }, false],
  [
    'Kafka is given and a native MongoDB asked for',
    { kafkaBrokers: 'b:1', mongodbNative: 'wheel' },
    false,
  ],
  ['native processes are wanted', { docker: 'never' }, false],
] as const)('Docker is asked only when its answer matters: %s', (_case, given, asked) => {
  expect(wantsDocker({ ...nothingGiven, ...given })).toBe(asked);
});
