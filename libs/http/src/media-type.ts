import type { Context } from 'koa';

/** A parameter, also where its value is left out (RFC 9110, 5.6.6). */
const parameter = /;[ \t]*([\w!#$%&'*+.^`|~-]+)[ \t]*(?:=[ \t]*("(?:[^"\\]|\\.)*"|[^\s;,"]*))?/g;

/**
 * The first of these media types that a request accepts most; false when it accepts none. The
 * parameters of what it accepts do not count, but for its weight: there is one form of each type.
 */
export function acceptedType(context: Context, types: readonly string[]): string | false {
  const { headers } = context.req;
  headers.accept &&= headers.accept.replaceAll(parameter, (whole, name) =>
    /^q$/i.test(name) ? whole : '',
  );
  return context.accepts(...types);
}

/** Whether this is the type of JSON: its parameters do not count, but for another charset than UTF-8. */
export function isJsonType(contentType: string): boolean {
  const [type = ''] = contentType.split(';', 1);
  if (type.trim().toLowerCase() !== 'application/json') return false;
  return [...contentType.matchAll(parameter)].every(
    ([, name, value = '']) =>
      !/^charset$/i.test(name ?? '') || /^utf-?8$/i.test(value.replaceAll(/["\\]/g, '')),
  );
}
