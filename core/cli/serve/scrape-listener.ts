import { listenForScrapes, type CountedProcesses } from '../../http/server/metrics-routes.ts';
import { coreSettings } from '../../settings/settings.ts';
import type { Invocation } from '../invocation/invocation.ts';

/** Listens on `--metrics-listen`, if it is set. @throws UsageError when it cannot listen there. */
export function scrapesFor({ config, log }: Pick<Invocation, 'config' | 'log'>, counted: CountedProcesses) {
  const address = config.read(coreSettings)['metrics-listen'];
  if (address === undefined) return undefined;
  const listener = listenForScrapes(counted, address);
  log.info('metrics_listening', { origin: listener.origin });
  return listener;
}
