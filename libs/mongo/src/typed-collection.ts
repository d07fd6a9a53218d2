import type {
  Condition,
  CountDocumentsOptions,
  FindCursor,
  FindOptions,
  UpdateOptions,
} from 'mongodb';

type Embedded<Value> = Exclude<Extract<Value, object>, Date | readonly unknown[]>;
type Element<Value> = Value extends readonly (infer Item)[] ? Item : never;

/** Field names and dot paths into embedded documents, with the types of their values. */
type Fields<Stored> = {
  readonly [Name in keyof Stored & string]-?: Exclude<Stored[Name], undefined>;
};
type Paths<Stored> = {
  [Name in keyof Stored & string]:
    | Name
    | (Embedded<Stored[Name]> extends never
        ? never
        : `${Name}.${keyof Embedded<Stored[Name]> & string}`);
}[keyof Stored & string];
type At<Stored, Path extends string> = Path extends keyof Fields<Stored>
  ? Fields<Stored>[Path]
  : Path extends `${infer Name}.${infer Inner}`
    ? Name extends keyof Stored
      ? Inner extends keyof Embedded<Stored[Name]>
        ? Exclude<Embedded<Stored[Name]>[Inner], undefined>
        : never
      : never
    : never;

type Values<Stored> = { readonly [Path in Paths<Stored>]?: At<Stored, Path> };

export type TypedFilter<Stored> = {
  readonly [Path in Paths<Stored>]?: Condition<At<Stored, Path>>;
} & { readonly $or?: TypedFilter<Stored>[] };

export interface TypedUpdate<Stored> {
  readonly $set?: Values<Stored>;
  readonly $unset?: { readonly [Path in Paths<Stored>]?: '' };
  readonly $inc?: {
    readonly [Path in Paths<Stored>]?: Extract<At<Stored, Path>, number>;
  };
  readonly $min?: Values<Stored>;
  readonly $currentDate?: {
    readonly [Name in keyof Stored & string as Stored[Name] extends Date | undefined
      ? Name
      : never]?: true;
  };
  readonly $push?: {
    readonly [Name in keyof Stored & string as Element<Stored[Name]> extends never ? never : Name]?:
      | Element<Stored[Name]>
      | { readonly $each: Element<Stored[Name]>[] };
  };
}

/**
 * A collection whose filters and updates accept its own fields only, with their types; the driver's
 * types accept any name. A store declares its parameter with this type and receives the driver's
 * collection. Paths are one level deep.
 */
export interface TypedCollection<Stored extends object> {
  findOne(filter: TypedFilter<Stored>, options?: FindOptions): Promise<Stored | null>;
  find(filter: TypedFilter<Stored>, options?: FindOptions): FindCursor<Stored>;
  countDocuments(filter: TypedFilter<Stored>, options?: CountDocumentsOptions): Promise<number>;
  insertMany(documents: Stored[], options: { readonly ordered: false }): Promise<unknown>;
  updateOne(
    filter: TypedFilter<Stored>,
    update: TypedUpdate<Stored>,
    options?: UpdateOptions,
  ): Promise<{ readonly matchedCount: number; readonly modifiedCount: number }>;
  updateMany(
    filter: TypedFilter<Stored>,
    update: TypedUpdate<Stored>,
    options?: UpdateOptions,
  ): Promise<{ readonly matchedCount: number; readonly modifiedCount: number }>;
}
