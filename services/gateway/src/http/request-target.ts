/** Path and query of a request line, as they were sent. */
export interface RequestTarget {
  readonly path: string;
  readonly query: string;
}

/** Only the origin form (`/path?query`) names something here; any other is no route. */
export function targetOf(url: string | undefined): RequestTarget {
  const text = url ?? '';
  const mark = text.indexOf('?');
  return mark < 0
    ? { path: text, query: '' }
    : { path: text.slice(0, mark), query: text.slice(mark + 1) };
}

/** Decodes one path segment; what is no percent-encoding stays as it is and fails its check. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
