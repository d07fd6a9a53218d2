/**
 * Arguments are validated at run time too: plain JavaScript has no types, and a wrong value may be
 * another inventory, or a misspelt option its default.
 */
type Holds = (value: unknown) => boolean;

const isText: Holds = (value) => typeof value === 'string';
const isTextOrNull: Holds = (value) => value === null || isText(value);
const isTexts: Holds = (value) => Array.isArray(value) && value.every(isText);
const isFunction: Holds = (value) => typeof value === 'function';
const isDuration: Holds = (value) => typeof value === 'number' && !Number.isNaN(value);
const isWholeWithin =
  (minimum: number, maximum: number): Holds =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum;

const text = [isText, 'must be text'] as const;
const textOrNull = [isTextOrNull, 'must be text or null'] as const;
const texts = [isTexts, 'must be an array of texts'] as const;
const callback = [isFunction, 'must be a function'] as const;
const duration = [isDuration, 'must be a number of milliseconds'] as const;
const count = [
  isWholeWithin(1, Number.MAX_SAFE_INTEGER),
  'must be a positive whole number',
] as const;

/** Every option of every call, by name. */
const rules: Readonly<Record<string, readonly [Holds, string]>> = {
  deadlineMs: duration,
  tryTimeoutMs: duration,
  silenceMaxMs: duration,
  signal: [(value) => value instanceof AbortSignal, 'must be an AbortSignal'],
  idempotencyKey: text,
  maxCredits: count,
  maxAge: [isWholeWithin(0, 86_400), 'must be a whole number from 0 to 86400'],
  language: text,
  waitSeconds: [isWholeWithin(0, 30), 'must be a whole number from 0 to 30'],
  limit: [isWholeWithin(1, 100), 'must be a whole number from 1 to 100'],
  pageSize: [isWholeWithin(1, 2000), 'must be a whole number from 1 to 2000'],
  capture: [(value) => typeof value === 'boolean', 'must be true or false'],
  everySeconds: [isWholeWithin(300, 604_800), 'must be a whole number from 300 to 604800'],
  maxCreditsPerDay: count,
  dryRun: [(value) => typeof value === 'boolean', 'must be true or false'],
  charged: [(value) => typeof value === 'boolean', 'must be true or false'],
  state: text,
  assetIds: texts,
  descriptions: text,
  fromRow: [isWholeWithin(0, Number.MAX_SAFE_INTEGER), 'must be a whole number, 0 or more'],
  observationId: text,
  cursor: textOrNull,
  after: textOrNull,
  lastEventId: textOrNull,
  states: texts,
  types: texts,
  refreshIds: texts,
  outcomes: texts,
  scope: [(value) => typeof value === 'object', 'must be an inventory'],
  requestedFrom: text,
  requestedTo: text,
  bookedFrom: text,
  bookedTo: text,
  from: text,
  to: text,
  projectId: text,
  onProgress: callback,
  onEvent: callback,
  onGap: callback,
  onInterruption: callback,
  baseUrl: text,
  eventsUrl: text,
  apiKey: text,
  fetch: callback,
};

/** Throws a TypeError for an unknown option, and for a value that an option cannot have. */
export function checkOptions(options: unknown, required: readonly string[] = []): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('The options must be an object.');
  }
  const given = options as Readonly<Record<string, unknown>>;
  for (const name of new Set([...required, ...Object.keys(given)])) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) throw new TypeError(`There is no option ${name.slice(0, 50)}.`);
    const [holds, reason] = rule;
    const value = given[name];
    const isAbsent = value === undefined && !required.includes(name);
    if (!isAbsent && !holds(value)) throw new TypeError(`${name} ${reason}.`);
  }
}
