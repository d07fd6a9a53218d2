import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { responseText, startBytesMax } from './response-text.ts';
import { newWebhookSecret } from './webhook-signature.ts';

const textOf = (body: string | Buffer, secrets: readonly string[] = []) =>
  responseText(Buffer.from(body as string).subarray(0, startBytesMax), secrets);

test('of any body at most a KiB of valid text is kept, and it is the start of the body (Events: webhooks)', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 4_000 }), (bytes) => {
      const text = textOf(Buffer.from(bytes));

      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_024);
      expect(text.isWellFormed()).toBe(true);
      const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
      expect(whole.startsWith(text)).toBe(true);
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('a character across the cut is left out, invalid bytes are replaced (Events: webhooks)', () => {
  expect(textOf(`${'x'.repeat(1_023)}€`)).toBe('x'.repeat(1_023));
  expect(textOf(Buffer.from([0x61, 0xff, 0x62]))).toBe('a\uFFFDb');
  expect(textOf('')).toBe('');
});

test('a secret of the endpoint is removed in every form in which a receiver could return it (Events: webhooks)', () => {
  const secret = `whsec_${Buffer.from('?>?>?>?>secret+of/32~~~bytes----').toString('base64')}`;
  const key = secret.slice(6);
  expect(key).toMatch(/[+/]/);

  for (const body of [
    `secret: ${secret}`,
    `${key}`,
    key.replace(/=+$/, ''),
    JSON.stringify({ secret }).replaceAll('/', '\\/'),
    `${'x'.repeat(1_010)}${secret}`,
  ]) {
    const shown = textOf(body, [newWebhookSecret(), secret]);
    expect(shown).not.toContain(key.slice(0, 10));
    expect(shown.replaceAll('\\/', '/')).not.toContain(key.slice(0, 10));
  }
  expect(textOf(`of another: ${newWebhookSecret()}`, [secret])).toBe('of another: [secret]');
});
