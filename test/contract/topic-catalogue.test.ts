import { messages, messageTypes } from '@inventory/contracts/messages';
import {
  type ServiceName,
  serviceNames,
  type TopicName,
  topicNames,
  topicsOf,
} from '@inventory/contracts/topics';
import { programOf } from '../tidy/tracked-files.ts';

const sourceOf = (service: ServiceName) =>
  programOf(service)
    .map(({ text }) => text)
    .join('\n');

/** The topics of every call of `consume` or `broadcast`. */
function subscribed(source: string, call: 'consume' | 'broadcast'): TopicName[] {
  const calls = source.matchAll(
    new RegExp(`bus\\.${call}\\(\\{[^}]*?topics: \\[([^\\]]*)\\]`, 'g'),
  );
  const lists = [...calls].map(([, list = '']) => list).join();
  return topicNames.filter((name) => lists.includes(`'${name}'`));
}

/** The topics of every call of `readTopic`. */
function readOnce(source: string): TopicName[] {
  const calls = [...source.matchAll(/readTopic\(\{[^}]*?topic: ('[^']*')/g)];
  return topicNames.filter((name) => calls.some(([, topic]) => topic === `'${name}'`));
}

describe.each(serviceNames)('the topic catalogue names %s', (service) => {
  const source = sourceOf(service);
  const mentioned = new Set(
    messageTypes.filter((type) => source.includes(`'${type}'`)).map((type) => messages[type].topic),
  );

  test('as a consumer and as a reader of the topics it subscribes to, and of no other', () => {
    expect(subscribed(source, 'consume')).toEqual(topicsOf(service, 'consumers'));
    const read = [...subscribed(source, 'broadcast'), ...readOnce(source)];
    expect(read.toSorted()).toEqual(topicsOf(service, 'readers').toSorted());
  });

  test('as a producer where it has messages of a topic that it does not subscribe to', () => {
    const received = [...topicsOf(service, 'consumers'), ...topicsOf(service, 'readers')];
    const produced = topicsOf(service, 'producers');

    expect([...mentioned].filter((name) => !received.includes(name)).toSorted()).toEqual(
      produced.filter((name) => !received.includes(name)).toSorted(),
    );
    expect(produced.filter((name) => !mentioned.has(name))).toEqual([]);
  });
});

test('no subscription of a service escapes the comparison', () => {
  const all = serviceNames.map(sourceOf).join('\n');
  const calls = [...all.matchAll(/\.(consume|broadcast)\(/g)].length;
  const compared = [...all.matchAll(/bus\.(consume|broadcast)\(\{[^}]*?topics: \[/g)].length;

  expect(compared).toBe(calls);
});
