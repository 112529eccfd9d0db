import { fail, type Fault } from '../../base/errors.ts';
import { asFault, isAbort } from '../../base/foreign-errors.ts';
import { errorFields } from '../../base/log.ts';
import type { Host } from '../../host/host.ts';
import { noteStorageFailure } from '../../host/storage-damage.ts';
import { coreMetrics } from '../../metrics/core-metrics.ts';
import { exchangeOf } from '../request/exchange.ts';

/**
 * The fault of a request that failed. It is counted; a failure of the server is logged. Work that ends because its client has left is no
 * failure: nobody reads the response, and it must not raise an alert.
 */
export function refusalFor(host: Host, request: Request, error: unknown): Fault {
  const fault =
    request.signal.aborted && isAbort(error)
      ? fail.CLIENT_LEFT('The client closed the connection.')
      : asFault(error);
  noteStorageFailure(host, error);
  if (fault.code === 'INTERNAL')
    host.log.error('request_failed', { requestId: exchangeOf(request).requestId, ...errorFields(error) });
  host.metrics.count(coreMetrics.refusals, [fault.code]);
  return fault;
}
