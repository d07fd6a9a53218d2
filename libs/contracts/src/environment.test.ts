import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { environmentOf, environmentOfPlatformId } from './environment.ts';
import type { AccountId } from './ids.ts';

const account = (uuid: string): AccountId => `acc_${uuid}`;

test('the version of its id alone is the environment of an account: no other digit changes it (Sandbox) [sandbox]', () => {
  fc.assert(
    fc.property(fc.uuid({ version: 7 }), fc.uuid({ version: 8 }), (seven, eight) => {
      expect(environmentOf(account(seven))).toBe('live');
      expect(environmentOf(account(eight))).toBe('sandbox');
      const other = (uuid: string, version: string) => uuid.slice(0, 14) + version + uuid.slice(15);
      expect(environmentOf(account(other(eight, '7')))).toBe('live');
      expect(environmentOf(account(other(seven, '8')))).toBe('sandbox');
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

test('platform ids of the sandbox begin with 771 or 772; those of the platform, 7656…, and all others are live (Sandbox) [sandbox]', () => {
  const digits = (count: number) => fc.stringMatching(new RegExp(`^[0-9]{${count}}$`));
  fc.assert(
    fc.property(fc.constantFrom('771', '772'), digits(14), (start, rest) => {
      expect(environmentOfPlatformId(start + rest)).toBe('sandbox');
    }),
  );
  fc.assert(
    fc.property(digits(17), (id) => {
      const isSandbox = id.startsWith('771') || id.startsWith('772');
      expect(environmentOfPlatformId(id)).toBe(isSandbox ? 'sandbox' : 'live');
    }),
    { numRuns: propertyRuns(1_000) },
  );
});
