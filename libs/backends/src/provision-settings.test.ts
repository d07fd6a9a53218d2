import { readProvisionSettings } from './provision-settings.ts';

test('the environment wins over the defaults of the caller', () => {
  const settings = readProvisionSettings(
    { KAFKA_PORT: '19092', INVENTORY_DOCKER: 'never' },
    { ports: { kafka: 9092, mongodb: 27_017 }, docker: 'detect' },
  );

  expect(settings).toMatchObject({ kafkaPort: 19_092, mongodbPort: 27_017, mayUseDocker: false });
});

test('servers that are given are reached as the services reach them', () => {
  const { kafka, mongodb } = readProvisionSettings(
    { KAFKA_BROKERS: 'a:9093', KAFKA_TLS: 'true', MONGODB_URI: 'mongodb://a', MONGODB_TLS: 'true' },
    {},
  );

  const timing = { requestTimeoutMs: 10_000, sessionTimeoutMs: 15_000 };
  expect(kafka).toEqual({ brokers: ['a:9093'], tls: {}, timing });
  expect(mongodb).toEqual({ uri: 'mongodb://a', tls: {} });
});

test('access to servers that are not given is refused, as is a file that cannot be read', () => {
  const read = (environment: Record<string, string>) => () =>
    readProvisionSettings(environment, {});

  expect(read({ KAFKA_TLS: 'true', MONGODB_TLS: 'true' })).toThrow(
    'KAFKA_TLS: needs KAFKA_BROKERS beside it\nMONGODB_TLS: needs MONGODB_URI beside it',
  );
  expect(
    read({ KAFKA_BROKERS: 'a:1', KAFKA_TLS: 'true', KAFKA_TLS_CA_FILE: '/nowhere/ca.pem' }),
  ).toThrow('KAFKA_TLS_CA_FILE: the file cannot be read (ENOENT)');
});

test('every problem is reported at once', () => {
  const environment = { KAFKA_PORT: '99999', MONGODB_PORT: 'x', INVENTORY_DOCKER: 'maybe' };

  const read = () => readProvisionSettings(environment, {});

  for (const name of Object.keys(environment)) expect(read).toThrow(name);
});
