import type { operations } from './generated/operator-api.ts';

export type OperationId = keyof operations;

/** All fields of an operation's path, query, headers and body, by their names. */
export type OperationInput<Id extends OperationId> = Undefinable<
  Fields<operations[Id]['parameters']['path']> &
    Fields<operations[Id]['parameters']['query']> &
    Fields<operations[Id]['parameters']['header']> &
    BodyOf<operations[Id]>
>;

/** The body of an operation's success. */
export type OperationResponse<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses']]: Status extends 200 | 201 | 202
    ? operations[Id]['responses'][Status] extends {
        content: { readonly 'application/json': infer Body };
      }
      ? Body
      : never
    : never;
}[keyof operations[Id]['responses']];

/** An absent part has no fields. */
type Fields<Part> = [NonNullable<Part>] extends [never] ? unknown : NonNullable<Part>;

type BodyOf<Operation> = Operation extends {
  readonly requestBody?: { readonly content: { readonly 'application/json': infer Body } };
}
  ? Body extends Readonly<Record<string, never>>
    ? unknown
    : Body
  : unknown;

/** Optional fields may be undefined: they are not sent then. */
type Undefinable<Input> = Input extends unknown
  ? {
      readonly [Name in keyof Input]: Record<never, never> extends Pick<Input, Name>
        ? Input[Name] | undefined
        : Input[Name];
    }
  : never;
