import {
  MongoBulkWriteError,
  MongoError,
  MongoInvalidArgumentError,
  MongoServerError,
} from 'mongodb';

/**
 * What server or driver says of an error itself: it passes. A handshake fails where nothing else is
 * wrong than the login, which an operator replaces.
 */
export const passingLabels = [
  'RetryableWriteError',
  'RetryableError',
  'SystemOverloadedError',
  'HandshakeError',
] as const;

/** Errors that pass and have no label: in reads, in older servers, or in one document of many. */
export const passingCodes = {
  // No primary, or one that changes its role or ends.
  ShutdownInProgress: 91,
  FailedToSatisfyReadPreference: 133,
  PrimarySteppedDown: 189,
  LegacyNotPrimary: 10_058,
  NotWritablePrimary: 10_107,
  InterruptedAtShutdown: 11_600,
  InterruptedDueToReplStateChange: 11_602,
  NotPrimaryNoSecondaryOk: 13_435,
  NotPrimaryOrSecondary: 13_436,
  // Members or shards that do not reach each other in time.
  HostUnreachable: 6,
  HostNotFound: 7,
  WriteConcernTimeout: 64,
  NetworkTimeout: 89,
  UnsatisfiableWriteConcern: 100,
  ReadConcernMajorityNotAvailableYet: 134,
  NetworkInterfaceExceededTimeLimit: 202,
  PooledConnectionAcquisitionExceededTimeLimit: 407,
  SocketException: 9_001,
  ConfigServerUnreachable: 56_846,
  RetriableRemoteCommandFailure: 91_331,
  // What a shard or a collection is doing meanwhile.
  StaleEpoch: 150,
  StaleDbVersion: 249,
  InterruptedDueToStorageChange: 355,
  InterruptedDueToReshardingCriticalSection: 453,
  StaleConfig: 13_388,
  InterruptedDueToFCVChange: 10_045_600,
  // A read or write that was ended before its end.
  LockTimeout: 24,
  CursorNotFound: 43,
  MaxTimeMSExpired: 50,
  WriteConflict: 112,
  QueryPlanKilled: 175,
  CursorKilled: 237,
  SnapshotUnavailable: 246,
  ExceededTimeLimit: 262,
  Interrupted: 11_601,
  // Overload.
  TemporarilyUnavailable: 365,
  ResourceExhausted: 402,
  AdmissionQueueOverflow: 433,
  RateLimitExceeded: 449,
  PooledConnectionAcquisitionRejected: 450,
  IngressRequestRateLimitExceeded: 462,
  // What an operator ends: a login or role that is missing, writes that are blocked, a full disk.
  Unauthorized: 13,
  AuthenticationFailed: 18,
  UserWritesBlocked: 371,
  ReauthenticationRequired: 391,
  OutOfDiskSpace: 14_031,
} as const;

const codes: ReadonlySet<unknown> = new Set(Object.values(passingCodes));

/**
 * Whether an error means that the store is unavailable: the same operation succeeds once it is
 * back. By label first, by code second. Errors of the driver do, but for an argument that it
 * refuses, such as a document that is too large. For a bulk write that lost its connection the driver
 * throws a server error, with the network error instead of the response.
 */
export function isMongoUnavailable(error: unknown): boolean {
  if (!(error instanceof MongoServerError)) {
    return error instanceof MongoError && !(error instanceof MongoInvalidArgumentError);
  }
  return (
    passingLabels.some((label) => error.hasErrorLabel(label)) ||
    codesOf(error).some((code) => codes.has(code)) ||
    isMongoUnavailable(error.errorResponse)
  );
}

/** Of a bulk write, those of its documents and of its write concern. */
function codesOf(error: MongoServerError): readonly unknown[] {
  if (!(error instanceof MongoBulkWriteError)) return [error.code];
  const ofDocuments = [error.writeErrors].flat().map(({ code }) => code);
  return [error.code, error.result.getWriteConcernError()?.code, ...ofDocuments];
}
