import { chooseBackends } from './choose-backends.ts';
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

test('a caller that takes servers down gets native ones even where Docker answers', () => {
  const choice = chooseBackends({ ...nothingGiven, docker: 'never' }, true);

  expect(choice).toEqual({ kafka: { kind: 'native' }, mongodb: { kind: 'native' } });
});
