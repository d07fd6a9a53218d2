import { publicDocument } from '../../services/gateway/src/http/openapi/describe-public-api.ts';
import { publicRoutes } from '../../services/gateway/src/public-routes.ts';
import { responseContract } from './response-contract.ts';

/** Throws when an answer of the public API differs from its document. */
export const expectDocumented = responseContract(publicDocument(publicRoutes));
