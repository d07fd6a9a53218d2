import type { ProjectId } from '@inventory/contracts/ids';
import type { Standing } from '../domain/standing.ts';

/** A standing as stored: what is null or empty is left out. */
export type StandingDocument =
  | {
      readonly caps?: readonly {
        readonly projectId: ProjectId;
        readonly cap: number;
        readonly spent: number;
      }[];
      readonly period?: number;
      readonly alertThreshold?: number;
    }
  /** More caps than a commit repeats. */
  | { readonly isOmitted: true };

/** With more caps each commit would grow by kilobytes; such an account is read from its fold. */
const capsMax = 20;

/** Null for an account without caps and alert. */
export function toStandingDocument(standing: Standing): StandingDocument | null {
  const { caps, period, alertThreshold } = standing;
  if (caps.length > capsMax) return { isOmitted: true };
  if (caps.length === 0 && alertThreshold === null) return null;
  return {
    ...(caps.length === 0 ? {} : { caps, period }),
    ...(alertThreshold === null ? {} : { alertThreshold }),
  };
}

/** Null where it was omitted. */
export function fromStandingDocument(document: StandingDocument | undefined): Standing | null {
  if (document === undefined) return { caps: [], period: 0, alertThreshold: null };
  if ('isOmitted' in document) return null;
  const { caps = [], period = 0, alertThreshold = null } = document;
  return { caps, period, alertThreshold };
}
