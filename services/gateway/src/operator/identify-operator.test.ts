import { Refused } from '@inventory/http/refused';
import { createLogger } from '@inventory/runtime/logger';
import { secretDigest } from '@inventory/runtime/secret-digest';
import { only } from '@inventory/testkit/only';
import type { Context } from 'koa';
import { createPeerBuckets } from '../http/limits/peer-buckets.ts';
import { createAudit } from './audit.ts';
import type { OperatorState } from './identify-operator.ts';
import { identifyOperator } from './identify-operator.ts';

const clock = { now: () => 7 };
const logger = createLogger({ service: 'gateway', level: 'silent' });
const withToken = (name: string, token: string) =>
  ({ name, roles: ['read'], tokenDigest: secretDigest(token) }) as const;
const operators = [
  withToken('alice', 'right'),
  withToken('bob', 'other'),
  withToken('alice', 'next'),
];

function openDoor() {
  const identify = identifyOperator({
    operators,
    attempts: createPeerBuckets(3, clock),
    audit: createAudit({
      store: only({ append: async () => {} }),
      clock,
      identifiers: { uuidV7: () => '1' },
      logger,
    }),
    logger,
  });
  /** The name of the operator, or the code of the refusal. */
  return async (peer: string, token: string): Promise<string | undefined> => {
    const state: Partial<OperatorState> = {};
    const context = {
      state,
      req: { socket: { remoteAddress: peer }, url: '/', method: 'GET' },
      get: () => `Bearer ${token}`,
      set: () => {},
    } as unknown as Context;
    try {
      await identify(context as unknown as Parameters<typeof identify>[0], async () => {});
      return state.operator?.name;
    } catch (error) {
      return error instanceof Refused ? error.refusal.code : 'failed';
    }
  };
}

test('wrong tokens from any address of an IPv6 /64 share one throttle, and other networks are let in', async () => {
  const enter = openDoor();

  for (const host of ['1', '2', '3']) {
    expect(await enter(`2001:db8:1:2::${host}`, 'wrong')).toBe('operator_token_required');
  }

  expect(await enter('2001:db8:1:2::4', 'wrong')).toBe('operator_throttled');
  expect(await enter('2001:db8:1:3::4', 'wrong')).toBe('operator_token_required');
  expect(await enter('::ffff:192.0.2.1', 'wrong')).toBe('operator_token_required');
});

test('a right token is served whatever wrong ones its address sends, and takes none of their attempts', async () => {
  const enter = openDoor();

  const entered = [];
  for (let round = 0; round < 5; round += 1) {
    entered.push(await enter('192.0.2.1', `wrong ${round}`), await enter('192.0.2.1', 'right'));
  }
  entered.push(await enter('192.0.2.1', 'other'), await enter('192.0.2.1', 'next'));

  const [missing, throttled] = ['operator_token_required', 'operator_throttled'];
  expect(entered).toEqual([
    ...[missing, 'alice', missing, 'alice', missing, 'alice', throttled, 'alice'],
    ...[throttled, 'alice', 'bob', 'alice'],
  ]);
});

test.each(['', 'righ', 'right ', 'RIGHT', secretDigest('right'), 'x'.repeat(9_000)])(
  '%.10j is no token of an operator',
  async (token) => {
    expect(await openDoor()('192.0.2.1', token)).toBe('operator_token_required');
  },
);
