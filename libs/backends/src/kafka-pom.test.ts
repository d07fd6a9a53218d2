import { kafkaPom } from './kafka-pom.ts';

test('Maven is asked for exactly the broker, its log binding and one copying plug-in', () => {
  const pom = kafkaPom('4.3.0', '2.25.4');

  const artifacts = [...pom.matchAll(/<artifactId>(.+)<\/artifactId>\s*<version>(.+)<\/version>/g)];
  expect(artifacts.map(([, name, version]) => `${name}:${version}`)).toEqual([
    'kafka-broker:4.3.0',
    'kafka_2.13:4.3.0',
    'log4j-slf4j-impl:2.25.4',
    'maven-dependency-plugin:3.8.1',
  ]);
});
