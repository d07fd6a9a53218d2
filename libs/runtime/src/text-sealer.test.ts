import { randomBytes } from 'node:crypto';
import { createTextSealer } from './text-sealer.ts';

const newKey = () => randomBytes(32).toString('base64url');

test('a sealed text opens under its binding only and does not contain the plain text', () => {
  const sealer = createTextSealer([newKey()]);
  const sealed = sealer.seal('whsec_secret', 'whe_1');

  expect(sealer.open(sealed, 'whe_1')).toBe('whsec_secret');
  expect(sealer.open(sealed, 'whe_2')).toBeNull();
  expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('whsec');
  expect(sealer.seal('whsec_secret', 'whe_1')).not.toBe(sealed);
});

test('after a key replacement texts sealed before still open', () => {
  const [older, newer] = [newKey(), newKey()];
  const sealed = createTextSealer([older]).seal('whsec_secret', 'whe_1');

  const both = createTextSealer([newer, older]);
  expect(both.open(sealed, 'whe_1')).toBe('whsec_secret');
  expect(both.isCurrent(sealed, 'whe_1')).toBe(false);
  expect(both.isCurrent(both.seal('whsec_secret', 'whe_1'), 'whe_1')).toBe(true);
  expect(createTextSealer([newer]).open(sealed, 'whe_1')).toBeNull();
});

test('a text that was tampered with does not open', () => {
  const sealer = createTextSealer([newKey()]);
  const bytes = Buffer.from(sealer.seal('whsec_secret', 'whe_1'), 'base64url');
  bytes[20] = (bytes[20] ?? 0) ^ 1;

  expect(sealer.open(bytes.toString('base64url'), 'whe_1')).toBeNull();
  expect(sealer.open('AAAA', 'whe_1')).toBeNull();
});
