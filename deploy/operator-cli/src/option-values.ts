import { InvalidArgumentError } from 'commander';

/** The value of an option that is given once. */
export function once(value: string, previous: unknown): string {
  if (previous !== undefined) throw new InvalidArgumentError('It is given more than once.');
  return checked(value);
}

/** The values of an option that may be repeated. */
export function many(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, checked(value)];
}

export function wholeNumber(value: string, previous: unknown): number {
  const isWhole = /^(0|-?[1-9][0-9]{0,14})$/.test(once(value, previous));
  if (!isWhole) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}

function checked(value: string): string {
  if (value === '') throw new InvalidArgumentError('It must not be empty.');
  // A URL takes them as steps up its path, however they are encoded.
  if (value === '.' || value === '..') throw new InvalidArgumentError('It must be more than dots.');
  if (value.startsWith('--')) throw new InvalidArgumentError('It is the name of an option.');
  return value;
}
