/** One of the known values, or one that is added within the version. */
export type Open<Known extends string> = Known | (string & Record<never, never>);
