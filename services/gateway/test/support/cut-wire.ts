import net from 'node:net';

/** A wire to a server; while it is cut every connection over it is broken. */
export interface CutWire {
  /** As the server's own, over this wire. */
  readonly uri: string;
  isOpen: boolean;
  close(): Promise<void>;
}

export async function startCut(serverUri: string): Promise<CutWire> {
  const uri = new URL(serverUri);
  const { hostname } = uri;
  const serverPort = Number(uri.port);
  const sockets = new Set<net.Socket>();
  let open = true;
  const server = net.createServer((client) => {
    if (!open) {
      client.destroy();
      return;
    }
    const upstream = net.connect(serverPort, hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  uri.port = String((server.address() as net.AddressInfo).port);
  return {
    uri: uri.href,
    get isOpen() {
      return open;
    },
    set isOpen(value: boolean) {
      open = value;
      if (!open) for (const socket of sockets) socket.destroy();
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
