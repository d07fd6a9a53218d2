import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { targetOf } from './request-target.ts';

const unreserved = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'];
/** Stay as they are: encoded they mean something else, or are another spelling of no known path. */
const others = ['/', ':', '@', '%2F', '%2f', '%25', '%3A', '%C3%A9', '%00', '%', '%4', '%zz', ''];

const encoded = (character: string, isUpper: boolean) => {
  const hex = character.charCodeAt(0).toString(16);
  return `%${isUpper ? hex.toUpperCase() : hex}`;
};

/** A part of a path as it is, and as it may be written. */
const part = fc.oneof(
  fc
    .tuple(fc.constantFrom(...unreserved), fc.constantFrom('plain', 'upper', 'lower'))
    .map(([one, form]) => [one, form === 'plain' ? one : encoded(one, form === 'upper')] as const),
  fc.constantFrom(...others).map((one) => [one, `${one}/`] as const),
);
const origins = ['', 'http://gateway', 'HTTPS://user@[::1]:8443', 'http://elsewhere.example:80'];

test('a target is the same in its absolute form and with any unreserved character encoded (Transport: RFC 9112)', () => {
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 20 }),
      fc.constantFrom('', '?', '?a=%41/http://b?c'),
      fc.constantFrom(...origins),
      (parts, query, origin) => {
        const written = `${origin}/${parts.map(([, one]) => one).join('')}${query}`;
        // What is no encoding by itself is followed by a slash in both.
        const path = `/${parts.map(([one, two]) => (two.endsWith('/') ? two : one)).join('')}`;

        expect(targetOf(written)).toEqual({ path, query: query.slice(1) });
      },
    ),
    { numRuns: propertyRuns(1_000) },
  );
});

test.each([
  ['http://gateway', '/', ''],
  ['http://gateway?a=b', '/', 'a=b'],
  ['*', '*', ''],
  ['http:///v2/account', 'http:///v2/account', ''],
  ['ftp://gateway/v2/account', 'ftp://gateway/v2/account', ''],
  ['//gateway/v2/account', '//gateway/v2/account', ''],
  [undefined, '/', ''],
])('the target %p has the path %p', (url, path, query) => {
  expect(targetOf(url)).toEqual({ path, query });
});
