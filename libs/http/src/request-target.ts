/** Path and query of a request line, as sent. */
export interface RequestTarget {
  readonly path: string;
  readonly query: string;
}

export function targetOf(url: string | undefined): RequestTarget {
  const text = url ?? '';
  const mark = text.indexOf('?');
  return mark < 0
    ? { path: text, query: '' }
    : { path: text.slice(0, mark), query: text.slice(mark + 1) };
}
