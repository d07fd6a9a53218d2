import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { exactTotalAmount } from './read-records.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 1, numRuns: 10_000, endOnFailure: true };

function read(text: string): bigint | null {
  return exactTotalAmount(JSON.parse(text).data.total_amount, text);
}

const keepsEveryDigit = (of: typeof read) =>
  fc.property(
    fc.bigInt({ min: 0n, max: 10n ** 30n }),
    (amount) => of(`{"data":{"total_amount":${amount}}}`) === amount,
  );

test('total_amount keeps every digit, also beyond 2^53 (Reads) [total-amount]', () => {
  fc.assert(keepsEveryDigit(read), { numRuns: propertyRuns(500) });
});

test('the property fails when the amount is converted to a number', () => {
  const throughNumber = (text: string) => BigInt(JSON.parse(text).data.total_amount);

  expect(fc.check(keepsEveryDigit(throughNumber), faultRuns).failed).toBe(true);
});

test('a field of the same name inside an item changes nothing', () => {
  const item = '{"total_amount":7,"text":"\\"total_amount\\":8"}';
  const body = `{"data":{"descriptions":[${item}],"total_amount":90071992547409931234,"assets":[${item}]}}`;

  expect(read(body)).toBe(90071992547409931234n);
});

test.each(['"12"', 'null', '-12345678901234567890', '1e30', '12345678901234567.5'])(
  '%s is no amount',
  (written) => {
    expect(read(`{"data":{"total_amount":${written}}}`)).toBeNull();
  },
);
