import type { TraceCarrier } from '@inventory/runtime/tracing';
import type { Refresh } from '../domain/refresh.ts';
import type { RefreshDocument } from './collections.ts';
import { fromDocument } from './mapping.ts';

/** A refresh and the trace of the request that asked for it. */
export interface StoredRefresh {
  readonly refresh: Refresh;
  readonly trace: TraceCarrier;
}

export function toStored(document: RefreshDocument): StoredRefresh {
  return { refresh: fromDocument(document), trace: document.trace };
}
