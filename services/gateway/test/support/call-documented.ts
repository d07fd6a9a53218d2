import { expectDocumented } from '../../../../test/support/public-contract.ts';
import { type ApiCall, type ApiResponse, callApi } from './api-call.ts';

/** As {@link callApi}; an answer of an operation that its document does not allow fails. */
export async function callDocumented(baseUrl: string, call: ApiCall): Promise<ApiResponse> {
  const response = await callApi(baseUrl, call);
  const { status, headers, text } = response;
  const isOfApi = /^\/(v2|v1|api)\//.test(call.path);
  // Compressed bodies are checked by their tests; HEAD has no body.
  if (!isOfApi || headers['content-encoding'] || call.method === 'HEAD') return response;
  const { path, method = 'GET' } = call;
  expectDocumented({ method, path, status, contentType: headers['content-type'], text });
  return response;
}
