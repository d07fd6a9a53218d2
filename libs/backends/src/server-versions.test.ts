import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serverVersions } from './server-versions.ts';

const compose = readFileSync(join(__dirname, '../../../docker-compose.yml'), 'utf8');

test('containers started by tests and by Docker Compose are of the same images', () => {
  const images = [...compose.matchAll(/^\s+image:\s*(\S+)\s*$/gm)].map(([, image]) => image);

  expect(images).toContain(serverVersions.kafkaImage);
  expect(images).toContain(serverVersions.mongodbImage);
});

test('the native Kafka is the version of its container', () => {
  expect(serverVersions.kafkaImage).toBe(`apache/kafka:${serverVersions.kafka}`);
});

test('no backend is reachable from outside this machine', () => {
  const ports = [...compose.matchAll(/^\s+- ['"]?(\S+:\d+)['"]?\s*$/gm)].map(([, port]) => port);

  expect(ports.length).toBeGreaterThanOrEqual(2);
  for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
});
