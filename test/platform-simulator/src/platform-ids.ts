/**
 * Every platform id encodes what its account is, so that no account has to be stored:
 *
 *   761 SSS NNNNNNNNNNN   scenario number S, serial N (serial 0 is the one `GET /scenarios` lists)
 *   762 ZZZZZZ NNNNNNNN   an ordinary public account that holds Z assets, serial N
 *
 * With 77 in place of 76 they are accounts of the same kinds for the product's sandbox.
 *
 * Any other 17 digits are an account that does not exist.
 */
export type PlatformIdMeaning =
  | { readonly family: 'scenario'; readonly number: number; readonly serial: number }
  | { readonly family: 'size'; readonly size: number; readonly serial: number };

/** The platform id of a scenario number and serial (0 to 99,999,999,999). */
export function scenarioPlatformId(number: number, serial = 0): string {
  return `761${digits(number, 3)}${digits(serial, 11)}`;
}

/** The platform id of a public account with `size` assets (0 to 999,999), serial 0 to 99,999,999. */
export function sizePlatformId(size: number, serial = 0): string {
  return `762${digits(size, 6)}${digits(serial, 8)}`;
}

/** The account of a platform id; undefined when it is in no family. */
export function readPlatformId(platformId: string): PlatformIdMeaning | undefined {
  if (!/^[0-9]{17}$/.test(platformId)) {
    return undefined;
  }
  const part = (from: number, to?: number) => Number(platformId.slice(from, to));
  switch (platformId.slice(0, 3)) {
    case '761':
    case '771':
      return { family: 'scenario', number: part(3, 6), serial: part(6) };
    case '762':
    case '772':
      return { family: 'size', size: part(3, 9), serial: part(9) };
    default:
      return undefined;
  }
}

function digits(value: number, length: number): string {
  const text = String(value);
  if (!Number.isSafeInteger(value) || value < 0 || text.length > length) {
    throw new RangeError(`${value} is not an integer of at most ${length} digits`);
  }
  return text.padStart(length, '0');
}
