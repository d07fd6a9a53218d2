import { once } from 'node:events';
import { errorBody } from '@inventory/contracts/http/error-body';
import { type HttpServer, startHttpServer } from '@inventory/http/http-server';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { asSent } from '@inventory/testkit/as-sent';
import { sendRaw } from '../../test/support/raw-call.ts';
import { renderUnreadable } from './render-errors.ts';

let server: HttpServer;

beforeEach(async () => {
  server = await startHttpServer({
    listener: (_request, response) => {
      response.writeHead(200).flushHeaders();
    },
    host: '127.0.0.1',
    port: 0,
    renderRefusal: renderUnreadable(systemIdentifiers),
  });
});
afterEach(() => server.close(100));

/** What the server itself reports of a connection, when its patience or a limit is at an end. */
async function reportOn(problem: string): Promise<void> {
  const [socket] = await once(server.server, 'connection');
  const error = Object.assign(new Error(problem), { code: problem });
  server.server.emit('clientError', error, socket);
}

test.each([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', 431, 'headers_too_large'],
  ['HPE_INVALID_METHOD', 400, 'malformed_request'],
])(
  '%s is sent as %i %s, with a request id, and the connection ends',
  async (problem, status, code) => {
    const reported = reportOn(problem);

    const response = await sendRaw(server.url, 'GET / HTTP/1.1\r\n');
    await reported;

    expect(response.status).toBe(status);
    const { error } = asSent(errorBody, response.json);
    expect(error).toMatchObject({ code, request_id: response.headers['x-request-id'] });
    expect(response.headers).toMatchObject({ connection: 'close', 'cache-control': 'no-store' });
  },
);
