import { clientIdOf, isPredecessor } from './instances.ts';

const own = clientIdOf('gateway', 'pod-1:8081', 'b');

test.each([
  ['an earlier process of the instance', clientIdOf('gateway', 'pod-1:8081', 'a'), true],
  ['itself', own, false],
  ['another instance', clientIdOf('gateway', 'pod-10:8081', 'a'), false],
  ['another port', clientIdOf('gateway', 'pod-1:80810', 'a'), false],
  ['another service', clientIdOf('event-stream', 'pod-1:8081', 'a'), false],
  ['a process without an instance', clientIdOf('gateway', undefined, 'a'), false],
])('%s is removed: %s: %s', (_what, other, expected) => {
  expect(isPredecessor(other, own)).toBe(expected);
});
