import { readProvisionSettings } from './provision-settings.ts';

test('the environment wins over what the caller would like', () => {
  const settings = readProvisionSettings(
    { KAFKA_PORT: '19092', MONGODB_NATIVE: 'wheel', INVENTORY_DOCKER: 'never' },
    { ports: { kafka: 9092, mongodb: 27_017 }, mongodbNative: 'cargo', docker: 'detect' },
  );

  expect(settings).toMatchObject({
    kafkaPort: 19_092,
    mongodbPort: 27_017,
    mongodbNative: 'wheel',
    docker: 'never',
  });
});

test('servers that are given are reached as the services reach them', () => {
  const { access } = readProvisionSettings(
    { KAFKA_BROKERS: 'a:9093', KAFKA_TLS: 'true', MONGODB_URI: 'mongodb://a', MONGODB_TLS: 'true' },
    {},
  );

  const timing = { requestTimeoutMs: 10_000, sessionTimeoutMs: 15_000 };
  expect(access).toEqual({
    kafka: { brokers: ['a:9093'], tls: {}, timing },
    mongodb: { uri: 'mongodb://a', tls: {} },
  });
});

test('how to reach servers that are not given is refused, as is what cannot be read', () => {
  const read = (environment: Record<string, string>) => () =>
    readProvisionSettings(environment, {});

  expect(read({ KAFKA_TLS: 'true', MONGODB_TLS: 'true' })).toThrow(
    'KAFKA_TLS: needs KAFKA_BROKERS beside it\nMONGODB_TLS: needs MONGODB_URI beside it',
  );
  expect(
    read({ KAFKA_BROKERS: 'a:1', KAFKA_TLS: 'true', KAFKA_TLS_CA_FILE: '/nowhere/ca.pem' }),
  ).toThrow('KAFKA_TLS_CA_FILE: the file cannot be read (ENOENT)');
});

test('every problem is told at once, and no secret is repeated', () => {
  const environment = {
    KAFKA_BROKERS: 'kafka://host',
    MONGODB_URI: 'someone:hunter2@host',
    KAFKA_PORT: '99999',
    MONGODB_PORT: 'x',
    MONGODB_NATIVE: 'postgres',
    INVENTORY_DOCKER: 'maybe',
  };

  const read = () => readProvisionSettings(environment, {});

  for (const name of Object.keys(environment)) expect(read).toThrow(name);
  expect(read).not.toThrow(/hunter2/);
});
