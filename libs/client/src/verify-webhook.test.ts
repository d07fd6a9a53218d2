import { createHmac, randomBytes } from 'node:crypto';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { event } from '../test/stream-server.ts';
import { WebhookVerificationError } from './errors.ts';
import { signWebhook, verifyWebhook } from './verify-webhook.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const other = `whsec_${randomBytes(32).toString('base64')}`;
const nowMs = 1_767_225_600_000;
const body = JSON.stringify(event(1));

function signed(with_: readonly string[], { at = nowMs / 1_000, text = body } = {}) {
  const id = event(1).id;
  const signatures = with_.map((one) => {
    const key = Buffer.from(one.replace('whsec_', ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${at}.${text}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': signatures.join(' '),
  };
}

function faultOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    throw error;
  }
  throw new Error('it was believed');
}

test('the example of Standard Webhooks is verified, and signed alike [webhooks-standard-webhooks]', () => {
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const text = '{"test": 2432232314}';
  const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

  expect(
    signWebhook({ id: headers['webhook-id'], body: text, nowMs: 1_614_265_330_999 }, key),
  ).toEqual(headers);
  // Verified, and then found to be no event of the service.
  expect(faultOf(() => verifyWebhook(headers, text, key, { nowMs: 1_614_265_330_000 }))).toBe(
    'body_malformed',
  );
});

test('it is verified with headers and bodies of every kind, and with either secret of a rotation [webhooks-standard-webhooks]', () => {
  const headers = signed([other, secret]);
  const received = { ...headers, 'Webhook-Id': headers['webhook-id'], host: ['a', 'b'] };

  expect(verifyWebhook(headers, body, secret, { nowMs })).toEqual(event(1));
  expect(verifyWebhook(new Headers(headers), Buffer.from(body), [other], { nowMs })).toEqual(
    event(1),
  );
  expect(verifyWebhook(received, body, [secret, other], { nowMs })).toEqual(event(1));
  expect(verifyWebhook(signed([other]), body, [secret, other], { nowMs })).toEqual(event(1));
});

test('by default the present time is used', () => {
  const at = Math.floor(Date.now() / 1_000);

  expect(verifyWebhook(signed([secret], { at }), body, secret)).toEqual(event(1));
  expect(faultOf(() => verifyWebhook(signed([secret], { at: at - 400 }), body, secret))).toBe(
    'timestamp_outside_tolerance',
  );
});

test('hostile headers are refused, whatever their content', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('v1,', 'v1,=', ' '.repeat(1e5), '1e3', '-1'));
  fc.assert(
    fc.property(text, text, text, (id, timestamp, signature) => {
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signature,
      };
      expect(['headers_missing', 'timestamp_malformed', 'signature_mismatch']).toContain(
        faultOf(() => verifyWebhook(headers, body, secret, { nowMs })),
      );
    }),
    { numRuns: propertyRuns(300) },
  );
  expect(faultOf(() => verifyWebhook({}, body, secret))).toBe('headers_missing');
});

test('an invalid secret is a TypeError', () => {
  for (const bad of ['', 'whsec_', 'whsec_???', []]) {
    expect(() => verifyWebhook(signed([secret]), body, bad, { nowMs })).toThrow(TypeError);
  }
});
