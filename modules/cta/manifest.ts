import { defineModule } from '../../core/module/module.ts';
import { ctaErrors } from './base/errors.ts';
import { ctaSettings } from './base/settings.ts';

/** Area B: calls to action at app launch, their state per user, behaviour tags and nudge previews. */
export const cta = defineModule({
  name: 'cta',
  requires: ['auth'],
  errors: ctaErrors,
  settings: ctaSettings,
  tools: {
    cta: [
      'create-tenant',
      'create-cta',
      'update-cta',
      'clone-cta',
      'set-cta-status',
      'get-cta',
      'list-ctas',
      'list-cta-versions',
      'revert-cta',
      'list-cta-status-changes',
      'explain-cta',
      'simulate-cta',
      'create-behaviour-tag',
      'update-behaviour-tag',
      'get-behaviour-tag',
      'list-behaviour-tags',
      'delete-behaviour-tag',
      'link-behaviour-tag',
      'unlink-behaviour-tag',
      'create-cohort',
      'update-cohort',
      'get-cohort',
      'list-cohorts',
      'count-cohort-users',
      'delete-cohort',
      'add-cohort-users',
      'remove-cohort-users',
      'set-user-attributes',
      'get-user-attributes',
      'purge-cta-user',
      'set-cta-kill-switch',
      'get-cta-kill-switches',
      'create-nudge-preview',
      'get-nudge-preview',
      'list-nudge-previews',
      'delete-nudge-preview',
    ],
  },
  organizationOf: async (q, { ids }) =>
    ids['tenantId'] === undefined && ids['ctaId'] === undefined
      ? undefined
      : (await import('./ctas/cta-store.ts')).organizationOfIds(q, ids),
  // The facts that an app sends with its launch, and those that its gateway adds.
  corsHeaders: [
    'x-tenant-id',
    'auth-userid',
    'api_version',
    'app_version',
    'hotupdate_version',
    'codepush_version',
    'package_name',
    'x-api-key',
    'user-email',
  ],
  warnings: ({ config }, { loopback }) =>
    loopback || config.read(ctaSettings)['cta-require-token']
      ? []
      : ['Area B believes the header auth-userid unless --cta-require-token is given.'],
  load: async () => (await import('./parts.ts')).parts,
});
