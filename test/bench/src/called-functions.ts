import { once } from 'node:events';

/** Functions that a process has called, by the file that defines them. */
export type CalledFunctions = ReadonlyMap<string, ReadonlySet<string>>;

export interface CallRecorder {
  /** What was called since the last call of this function. */
  take(): Promise<CalledFunctions>;
  close(): void;
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
    }[];
  }[];
}

/** Connects to the inspector of a Node process (`--inspect`) at this WebSocket address. */
export async function recordCalls(inspectorUrl: string): Promise<CallRecorder> {
  const socket = new WebSocket(inspectorUrl);
  await once(socket, 'open');
  let lastId = 0;
  const send = (method: string, params: object = {}): Promise<unknown> => {
    lastId += 1;
    const id = lastId;
    const answered = new Promise((resolve) => {
      const onMessage = ({ data }: MessageEvent) => {
        const message = JSON.parse(String(data)) as { id?: number; result?: unknown };
        if (message.id !== id) return;
        socket.removeEventListener('message', onMessage);
        resolve(message.result);
      };
      socket.addEventListener('message', onMessage);
    });
    socket.send(JSON.stringify({ id, method, params }));
    return answered;
  };
  await send('Profiler.enable');
  await send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    async take() {
      const { result } = (await send('Profiler.takePreciseCoverage')) as Coverage;
      return new Map(result.map(({ url, functions }) => [url, new Set(functions.flatMap(called))]));
    },
    close: () => socket.close(),
  };
}

/** The name and place of a function that was called; the module itself is none. */
function called({ functionName, ranges }: Coverage['result'][number]['functions'][number]) {
  const [range] = ranges;
  const isCalled = range !== undefined && range.count > 0 && range.startOffset > 0;
  return isCalled ? [`${functionName}@${range.startOffset}`] : [];
}
