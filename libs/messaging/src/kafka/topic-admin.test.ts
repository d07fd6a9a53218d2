import { only } from '@inventory/testkit/only';
import { type Admin, KafkaJSAggregateError, KafkaJSProtocolError } from 'kafkajs';
import { untilSettled } from './kafkajs/read-as-admin.ts';
import { createMissing } from './topic-admin.ts';

const { KafkaJSCreateTopicError } = require('kafkajs/src/errors');
const { createErrorFromCode } = require('kafkajs/src/protocol/error');

const wanted = ['a', 'b'].map((topic) => ({ topic }));
const requestTimedOut = 7;
const alreadyExists = 36;
const invalidReplicationFactor = 38;

/** The client's error for a response with these errors by topic. */
const refusal = (...codes: number[]) =>
  new KafkaJSAggregateError(
    'Topic creation errors',
    codes.map((code) => new KafkaJSCreateTopicError(createErrorFromCode(code))),
  );

/** A cluster that creates only some of the requested topics. */
function slowCluster(
  existing: string[],
  responses: readonly { creates: string[]; error?: Error }[],
) {
  const asked: string[][] = [];
  const admin = only<Admin>({
    listTopics: async () => [...existing],
    async createTopics({ topics }) {
      const response = responses[asked.length];
      asked.push(topics.map(({ topic }) => topic));
      existing.push(...(response?.creates ?? []));
      if (response?.error) throw response.error;
      return true;
    },
  });
  return { admin, asked };
}

test('after a timeout the missing topics are requested again, and all that were created are returned', async () => {
  const { admin, asked } = slowCluster(
    [],
    [
      { creates: ['a'], error: refusal(requestTimedOut, requestTimedOut) },
      { creates: ['b'], error: refusal(alreadyExists) },
    ],
  );

  expect(await createMissing(admin, wanted, 10_000)).toEqual(['a', 'b']);
  expect(asked).toEqual([['a', 'b'], ['b']]);
});

test('existing topics are not created', async () => {
  const { admin, asked } = slowCluster(['a', 'b'], []);

  expect(await createMissing(admin, wanted, 10_000)).toEqual([]);
  expect(asked).toEqual([]);
});

test('an invalid topic is an error at once', async () => {
  const error = refusal(requestTimedOut, invalidReplicationFactor);
  const { admin, asked } = slowCluster([], [{ creates: [], error }]);

  await expect(createMissing(admin, wanted, 10_000)).rejects.toBe(error);
  expect(asked).toHaveLength(1);
  expect(error.errors.every((one) => one instanceof KafkaJSProtocolError)).toBe(true);
});

test('a request that met no broker is repeated: kafkajs 2.2.4 reads a property of null then', async () => {
  const noMetadata = new TypeError("Cannot read properties of null (reading 'topicMetadata')");
  const responses = [Promise.reject(noMetadata), Promise.resolve('settled')];

  expect(await untilSettled(async () => responses.shift())).toBe('settled');
});
