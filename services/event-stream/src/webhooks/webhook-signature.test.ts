import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret, signatureHeaders } from './webhook-signature.ts';

const id = 'evt_01900000-0000-5000-8000-000000000000';
/** The receiver's library compares with its own clock. */
const now = () => Math.floor(Date.now() / 1_000);

test('a secret is whsec_ and base64 of 32 bytes, another one each time (Events: webhooks)', () => {
  const secret = newWebhookSecret();

  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newWebhookSecret()).not.toBe(secret);
});

test('what is sent is verified by the Standard Webhooks library, with either secret of a rotation (Events: webhooks) [webhooks-standard-webhooks]', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (content) => {
      const secrets = [newWebhookSecret(), newWebhookSecret()];
      const body = JSON.stringify(content);
      const headers = signatureHeaders({ id, timestamp: now(), body }, secrets);

      for (const secret of secrets) {
        const verified = new Webhook(secret).verify(body, { ...headers });
        expect(JSON.stringify(verified)).toBe(body);
      }
    }),
    { numRuns: propertyRuns(200) },
  );
});

test('another secret, a changed body and an old request are not verified (Events: webhooks)', () => {
  const secret = newWebhookSecret();
  const receiver = new Webhook(secret);
  const body = '{"a":1}';
  const headers = { ...signatureHeaders({ id, timestamp: now(), body }, [secret]) };
  const old = { ...signatureHeaders({ id, timestamp: now() - 3_600, body }, [secret]) };

  expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow('signature');
  expect(() => receiver.verify('{"a":2}', headers)).toThrow('signature');
  expect(() => receiver.verify(body, old)).toThrow('old');
  expect(() => receiver.verify(body, { ...headers, 'webhook-id': 'evt_other' })).toThrow();
});
