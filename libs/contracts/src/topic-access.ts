import {
  consumerGroup,
  deadLetterTopic,
  environmentsOf,
  readerGroupPrefix,
  type ServiceName,
  topicsOf,
} from './topics.ts';

/** Stands for the name of a service in a pattern of principals. */
export const servicePlaceholder = '{service}';

/** A right at the broker. `Read` and `Write` include `Describe`. */
export interface Access {
  readonly resource: 'topic' | 'group';
  /** Without the prefix of an installation. */
  readonly name: string;
  readonly pattern: 'literal' | 'prefixed';
  readonly operation: 'Read' | 'Write';
}

/**
 * All that the Kafka user of a service may do. Groups come first, so that a service that finds its
 * topics can join.
 */
export function accessOf(service: ServiceName): Access[] {
  const produced = topicsOf(service, 'producers');
  const consumed = topicsOf(service, 'consumers');
  const read = topicsOf(service, 'readers');
  const groups = environmentsOf(service).flatMap((environment) =>
    consumed.map((topic) => consumerGroup(service, topic, environment)),
  );
  return [
    ...[...new Set(groups)].map((name) => literal('group', name, 'Read')),
    ...(read.length > 0 ? [groupsOfReaders(service)] : []),
    ...[...consumed, ...read].map((name) => literal('topic', name, 'Read')),
    ...[...produced, ...consumed.map(deadLetterTopic)].map((name) =>
      literal('topic', name, 'Write'),
    ),
  ];
}

function literal(
  resource: Access['resource'],
  name: string,
  operation: Access['operation'],
): Access {
  return { resource, name, pattern: 'literal', operation };
}

function groupsOfReaders(service: ServiceName): Access {
  const name = readerGroupPrefix(service);
  return { resource: 'group', name, pattern: 'prefixed', operation: 'Read' };
}
