import { Refused } from '@inventory/http/refused';
import { createLogger } from '@inventory/runtime/logger';
import { secretDigest } from '@inventory/runtime/secret-digest';
import { createTokenBuckets } from '@inventory/runtime/token-buckets';
import type { Context } from 'koa';
import { createAudit } from './audit.ts';
import { identifyOperator } from './identify-operator.ts';

const clock = { now: () => 7 };
const logger = createLogger({ service: 'gateway', level: 'silent' });
const alice = { name: 'alice', roles: ['read'] as const, tokenDigest: secretDigest('right') };

function openDoor() {
  const identify = identifyOperator({
    operators: [alice],
    attempts: createTokenBuckets({ perMinute: 3, keysMax: 100, clock }),
    audit: createAudit({
      store: { append: async () => {} },
      clock,
      identifiers: { uuidV7: () => '1' },
      logger,
    }),
    logger,
  });
  /** The code of the refusal; null where the token is one of an operator. */
  return async (peer: string, token: string): Promise<string | null> => {
    const context = {
      state: {},
      req: { socket: { remoteAddress: peer }, url: '/', method: 'GET' },
      get: () => `Bearer ${token}`,
      set: () => {},
    } as unknown as Context;
    try {
      await identify(context as unknown as Parameters<typeof identify>[0], async () => {});
      return null;
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

  expect(await enter('2001:db8:1:2::4', 'right')).toBe('operator_throttled');
  expect(await enter('2001:db8:1:3::4', 'right')).toBeNull();
  expect(await enter('::ffff:192.0.2.1', 'right')).toBeNull();
});
