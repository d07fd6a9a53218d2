import {
  count,
  duration,
  integer,
  type readSettings,
  SettingsError,
} from '@inventory/runtime/settings';

export const streamSettings = {
  STREAMS_PER_PROJECT_MAX: integer(1, 1_000)
    .prefault('4')
    .describe('Event streams of one Project over all replicas'),
  STREAMS_MAX: count()
    .prefault('12000')
    .describe('Event streams that one replica holds, at most seven of eight CONNECTIONS_MAX'),
  STREAM_HEARTBEAT_MS: duration()
    .prefault('15000')
    .describe('Time without a frame after which an event stream has a heartbeat'),
  STREAM_LIFE_MAX_MS: duration()
    .prefault('900000')
    .describe('Longest life of an event stream; each ends after two thirds of it at the earliest'),
  STREAM_SLOW_AFTER_MS: duration()
    .prefault('25000')
    .describe(
      'Time without progress after which an event stream is closed: no byte is taken or acknowledged',
    ),
  STREAM_AUTHORITY_EVERY_MS: duration()
    .prefault('30000')
    .describe('Longest time between two checks of the Principal of an event stream'),
  STREAM_DRAIN_MS: duration()
    .prefault('10000')
    .describe('Time over which event streams are closed when the service stops'),
} as const;

/** Of the connections of a replica; the others are for requests. */
const streamsShareMax = 7 / 8;

type Parsed = ReturnType<typeof readSettings<typeof streamSettings>>;

export type StreamConfig = Readonly<ReturnType<typeof streamConfig>> & {
  readonly deadlines: Readonly<Record<'storeMs', number>>;
};

/** A `SettingsError` where streams could use up the connections. */
export function streamConfig(parsed: Parsed, connectionsMax: number) {
  if (parsed.STREAMS_MAX > streamsShareMax * connectionsMax) {
    const problem = 'must leave an eighth of CONNECTIONS_MAX to other requests';
    throw new SettingsError([`STREAMS_MAX: ${problem}`]);
  }
  return {
    streams: {
      perProjectMax: parsed.STREAMS_PER_PROJECT_MAX,
      totalMax: parsed.STREAMS_MAX,
      heartbeatMs: parsed.STREAM_HEARTBEAT_MS,
      lifeMaxMs: parsed.STREAM_LIFE_MAX_MS,
      slowAfterMs: parsed.STREAM_SLOW_AFTER_MS,
      authorityEveryMs: parsed.STREAM_AUTHORITY_EVERY_MS,
      drainMs: parsed.STREAM_DRAIN_MS,
    },
  };
}
