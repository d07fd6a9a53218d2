import type { ServerResponse } from 'node:http';
import type { Environment } from '@inventory/contracts/environment';
import type { RequestsLeft } from '@inventory/contracts/http/meta';
import type { RequestId } from '@inventory/contracts/ids';
import type { Refusal } from '@inventory/contracts/refusal';
import type { ContentCoding } from '@inventory/contracts/vocabulary';
import type { Principal } from '../tenancy/principal.domain.ts';

/** A request that passed every check before its operation, but for the count where that runs beside it. */
export interface AdmittedRequest {
  readonly requestId: RequestId;
  readonly principal: Principal;
  /** That of the Principal; where no key is required, what is read is of the live one. */
  readonly environment: Environment;
  readonly rateLimit: RequestsLeft;
  /**
   * Resolves once the request is counted; rejects with the refusal for the rate. An operation that is
   * `countedBeside` awaits it before its first effect.
   */
  readonly counted: Promise<void>;
  /** The media type of the route that the client prefers. */
  readonly type: string;
  /** The content coding that the client prefers; null where it accepts none of ours. */
  readonly acceptedCoding: () => ContentCoding | null;
  /** Aborted when the connection is closed before the response is written. */
  readonly signal: AbortSignal;
  /**
   * Counts the bytes of a response of this size until it is delivered; returns the refusal where the
   * clients of the account, or all of them, have too many left to take. Where it was called before,
   * the size alone changes.
   */
  readonly hold: (bytes: number) => Refusal | null;
  /** Closes the connection. */
  readonly close: () => void;
  /** The client's address, as network policies apply to it. */
  readonly clientAddress: string;
  /** Digest of the secret in the request; the secret itself is not kept. */
  readonly secretDigest: string;
}

/** A response that writes itself, and may be refused until its head is sent. */
export interface StreamedResponse {
  readonly status: 200;
  readonly stream: (response: ServerResponse) => Promise<void>;
}

export interface PublicResponse {
  readonly status: 200 | 201 | 202;
  readonly headers?: Readonly<Record<string, string>>;
  /** Media type of the body; JSON when absent. */
  readonly type?: string;
  /** In parts where they came from another service. */
  readonly body: Buffer | readonly Buffer[];
  /** Set where the response is a page that is charged. */
  readonly delivery?: PageDelivery;
}

/** The outcome of writing a charged response: the writer reports one of the two, once. */
export interface PageDelivery {
  /** No first body byte may be written from then on. */
  readonly deadlineMs: number;
  /** The first body byte is written: the charge is final. */
  delivered(): void;
  /** No body byte was or will be written: the charge is reversed. */
  abandoned(): void;
}
