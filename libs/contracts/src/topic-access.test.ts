import { accessOf } from './topic-access.ts';
import { consumerGroup, serviceNames, topicNames, topics, topicsOf } from './topics.ts';

const brief = (service: (typeof serviceNames)[number]) =>
  accessOf(service).map(
    ({ resource, name, pattern, operation }) =>
      `${operation} ${resource} ${name}${pattern === 'prefixed' ? '*' : ''}`,
  );

test('the rights of a service follow from the catalogue: groups, topics read, topics written, dead letters', () => {
  expect(brief('event-stream')).toEqual([
    'Read group event-stream-balances',
    'Read group event-stream',
    'Read group event-stream-*',
    'Read topic billing.outcomes.v1',
    'Read topic refresh.outcomes.v1',
    'Read topic authority.changes.v1',
    'Write topic project.events.v1',
    'Write topic billing.outcomes.v1.dead-letter',
    'Write topic refresh.outcomes.v1.dead-letter',
  ]);
  expect(brief('gateway')).toEqual([
    'Read group gateway-*',
    'Read topic refresh.outcomes.v1',
    'Read topic project.events.v1',
    'Read topic authority.changes.v1',
    'Read topic replies.v1',
    'Write topic refresh.commands.v1',
    'Write topic billing.commands.v1',
    'Write topic revision.commands.v1',
    'Write topic refresh.outcomes.v1',
    'Write topic authority.changes.v1',
  ]);
});

test.each(topicNames)(
  '%s is written by its producers and read by those it is for, alone',
  (name) => {
    const { producers, consumers, readers } = topics[name];
    const may = (operation: string) =>
      serviceNames.filter((service) =>
        accessOf(service).some((access) => access.name === name && access.operation === operation),
      );

    expect(may('Write').toSorted()).toEqual([...producers].toSorted());
    expect(may('Read').toSorted()).toEqual([...consumers, ...readers].toSorted());
  },
);

test('no service may join a group of another', () => {
  const groups = serviceNames.flatMap((service) =>
    topicsOf(service, 'consumers').map((topic) => ({
      service,
      group: consumerGroup(service, topic),
    })),
  );
  for (const service of serviceNames) {
    const own = accessOf(service).filter(({ resource }) => resource === 'group');
    const covered = groups.filter(({ group }) =>
      own.some(({ name, pattern }) =>
        pattern === 'literal' ? name === group : group.startsWith(name),
      ),
    );
    expect(covered.filter((found) => found.service !== service)).toEqual([]);
    const prefixes = own.filter(({ pattern }) => pattern === 'prefixed').map(({ name }) => name);
    const others = serviceNames.filter((other) => other !== service);
    expect(others.filter((other) => prefixes.some((name) => `${other}-`.startsWith(name)))).toEqual(
      [],
    );
  }
});
