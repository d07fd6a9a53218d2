import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { readPlatformId, scenarioPlatformId, sizePlatformId } from './platform-ids.ts';

describe('platform ids', () => {
  it('say which account they are, for every family', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 999 }),
        fc.nat({ max: 99_999_999_999 }),
        fc.nat({ max: 999_999 }),
        fc.nat({ max: 99_999_999 }),
        (number, serial, size, sizeSerial) => {
          expect(readPlatformId(scenarioPlatformId(number, serial))).toEqual({
            family: 'scenario',
            number,
            serial,
          });
          expect(readPlatformId(sizePlatformId(size, sizeSerial))).toEqual({
            family: 'size',
            size,
            serial: sizeSerial,
          });
        },
      ),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it.each(['', '7620000010000000', '762000001000000000', '99900000000000000', '7620000010000000x'])(
    'mean no account when they are %p',
    (platformId) => {
      expect(readPlatformId(platformId)).toBeUndefined();
    },
  );

  it.each([-1, 1.5, 1_000_000, Number.NaN])('are not made for a size of %p', (size) => {
    expect(() => sizePlatformId(size)).toThrow(RangeError);
  });
});
