import { newAccountId, newRefreshId, newRequestId } from '@inventory/testkit/builders';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { storedCommandKey } from './command-key-mapping.ts';

const [one, other] = [newAccountId(), newAccountId()];
const hex = (key: string, accountId = one) => storedCommandKey(accountId, key).toString('hex');

describe('The key a command is found under', () => {
  test('is different for different commands', () => {
    const refresh = newRefreshId();
    const request = newRequestId();
    const keys = [
      `reserve:${refresh}`,
      `resolve:${refresh}`,
      `charge:${request}`,
      `reverse:${request}`,
      `reserve:${newRefreshId()}`,
      'grant:1',
      'grant:2',
      'adjust:1',
      `grant:${refresh}`,
      `grant:more-${refresh}`,
    ];

    expect(new Set(keys.map((key) => hex(key))).size).toBe(keys.length);
  });

  test('is of one account where its sender chose it, and the same for the same', () => {
    expect(hex('grant:1')).toBe(hex('grant:1'));
    expect(hex('grant:1')).not.toBe(hex('grant:1', other));
  });

  test('has one size, whatever the sender chose', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (chosen) => hex(`grant:${chosen}`).length === 34),
      { numRuns: propertyRuns(200) },
    );
  });

  test('comes later for a refresh that came later', () => {
    const [first, second] = ['0190aaaa', '0190aaab'].map(
      (time) => `reserve:${time}-0000-7000-8000-000000000000`,
    );

    expect(hex(first ?? '') < hex(second ?? '')).toBe(true);
  });
});
