/** The part that is used; the package has no types. */
declare module 'launchdarkly-eventsource' {
  export class EventSource {
    constructor(url: string, options: { readonly headers: Readonly<Record<string, string>> });
    readonly readyState: number;
    addEventListener(
      type: string,
      listener: (message: { readonly lastEventId: string; readonly data: string }) => void,
    ): void;
    close(): void;
  }
}
