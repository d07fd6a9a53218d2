import type { OperationId, OperationInput } from '@inventory/operator-client/operation-types';
import { Option } from 'commander';
import { many, once, wholeNumber } from './option-values.ts';

type KeyOf<Input> = Input extends unknown ? keyof Input & string : never;
/** Fields of the input of any of these operations. */
type FieldOf<Id extends OperationId> = Id extends unknown ? KeyOf<OperationInput<Id>> : never;

/** An option, and the fields of an operation's input that it sets. */
export interface VerbOption<Field extends string = string> {
  readonly option: Option;
  readonly toInput: (value: unknown) => { readonly [Name in Field]?: unknown };
}

interface VerbSettings<Field extends string> {
  /** Fields that are the same whatever is given. */
  readonly fixed?: { readonly [Name in Field]?: unknown };
  /** Names of options; of each group exactly one must be given. */
  readonly exactlyOne?: readonly (readonly string[])[];
  /** Columns of the table when the answer is a list. */
  readonly columns?: readonly string[];
  /** Written to standard error after a success. */
  readonly note?: string;
  /** The answer's field that must be true for exit code 0. */
  readonly mustHold?: string;
  readonly timeoutMs?: number;
  /** What cannot be taken back is done with `--yes` only; without it its effect is shown. */
  readonly irreversible?: string;
  /** Fields that are read from standard input; null where it holds none. */
  readonly fromInput?: (text: string) => { readonly [Name in Field]?: unknown } | null;
  /** A second operation, where its option is given and a field of the first answer is true. */
  readonly followedBy?: {
    readonly option: string;
    readonly when: string;
    readonly operation: OperationId;
    /** Fields of the first answer that are its input. */
    readonly fields: readonly string[];
    /** Written to standard error where the field is not true. */
    readonly otherwise: string;
  };
}

/** A command that is one operation of the operator API. */
export interface Verb extends VerbSettings<string> {
  /** Noun and verb, or the one word that is both. */
  readonly words: string;
  readonly summary: string;
  /** By its input, where the options decide. */
  readonly operation: OperationId | ((input: object) => OperationId);
  readonly options: readonly VerbOption[];
}

/** Declares a command; its options set fields of the operation only. */
export function verb<Id extends OperationId>(
  words: string,
  summary: string,
  operation: Id | ((input: object) => Id),
  options: readonly VerbOption<FieldOf<Id>>[],
  settings: VerbSettings<FieldOf<Id>> = {},
): Verb {
  return { words, summary, operation, options, ...settings };
}

/** An option whose value is a field. */
export function text<Field extends string>(flags: string, help: string, field: Field) {
  return valueOption(new Option(flags, help).argParser(once), field);
}

/** An option that may be repeated: its values are a field. */
export function list<Field extends string>(flags: string, help: string, field: Field) {
  return valueOption(new Option(flags, help).argParser(many), field);
}

export function whole<Field extends string>(flags: string, help: string, field: Field) {
  return valueOption(new Option(flags, help).argParser(wholeNumber), field);
}

/** An option without a value, which sets these fields. */
export function flag<Fields extends object>(
  flags: string,
  help: string,
  fields: Fields,
): VerbOption<keyof Fields & string> {
  return { option: new Option(flags, help), toInput: () => fields };
}

/** Makes an option one that its command cannot do without. */
export function required<Field extends string>(of: VerbOption<Field>): VerbOption<Field> {
  of.option.makeOptionMandatory();
  return of;
}

function valueOption<Field extends string>(option: Option, field: Field): VerbOption<Field> {
  return { option, toInput: (value) => ({ [field]: value }) as { [Name in Field]?: unknown } };
}

export const account = required(text('--account <acc_…>', 'the account', 'account_id'));
export const project = required(text('--project <prj_…>', 'the Project', 'project_id'));
export const serviceAccount = required(
  text('--service-account <sa_…>', 'the Service account', 'service_account_id'),
);
export const credential = required(
  text('--credential <cred_…>', 'the Credential', 'credential_id'),
);
/** Of every list. */
export const part = [
  whole('--limit <1-100>', 'how many at most; 50 when absent', 'limit'),
  text('--cursor <cursor>', 'next_cursor of the part before', 'cursor'),
] as const;
export const reason = text('--reason <text>', 'stands in the statement', 'reason');
/** Generated for each run where it is absent. */
export const key = text(
  '--key <text>',
  'idempotency key: the same key again changes nothing more; generated when absent',
  'idempotency-key',
);
