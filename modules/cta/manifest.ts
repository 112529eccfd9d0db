import { defineModule } from '../../core/module/module.ts';
import { bucketSettings } from './base/command-settings.ts';
import { ctaErrors } from './base/errors.ts';
import { ctaSettings } from './base/settings.ts';
import { toolFiles } from './tools/tool-files.ts';

/** Area B: calls to action at app launch, their state per user, behaviour tags and nudge previews. */
export const cta = defineModule({
  name: 'cta',
  requires: ['auth'],
  errors: ctaErrors,
  settings: ctaSettings,
  operationFiles: toolFiles,
  // Apps keep the state of each CTA by its id.
  keptIds: ['cta_ctas'],
  commands: [
    {
      name: 'cta bucket',
      needs: 'configuration',
      summary: 'Print the bucket of a user, which decides the arm of an experiment: sha256 of seed:user',
      settings: bucketSettings,
      run: async (host) => (await import('./experiments/bucket-command.ts')).printBucket(host),
    },
  ],
  ids: async () => (await import('./ctas/id-listings.ts')).idParameters,
  organizationOf: async (q, { ids }) =>
    ids['tenantId'] === undefined && ids['ctaId'] === undefined
      ? undefined
      : (await import('./ctas/cta-store.ts')).organizationOfIds(q, ids),
  onUsersMerged: async (q, merged) =>
    (await import('./user-states/user-merge.ts')).joinMergedUsers(q, merged),
  // The facts that an app sends with its launch, and those added by its gateway.
  corsHeaders: [
    'x-tenant-id',
    'auth-userid',
    'api_version',
    'app_version',
    'hotupdate_version',
    'codepush_version',
    'package_name',
    'tz',
    'x-api-key',
    'user-email',
  ],
  warnings: ({ config }, { loopback }) =>
    loopback || config.read(ctaSettings)['cta-require-token']
      ? []
      : ['Area B believes the header auth-userid unless --cta-require-token is given.'],
  load: async () => (await import('./parts.ts')).parts,
});
