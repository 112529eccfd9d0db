import { defineModule } from '../../core/module.ts';
import { createCta, getCta, listCtas, setCtaStatus } from './cta-operations.ts';
import { ctaErrors } from './errors.ts';
import { createNudgePreview } from './preview-operations.ts';
import { ctaRoutes } from './routes.ts';
import * as tables from './schema.ts';
import { ctaSettings } from './settings.ts';
import { createBehaviourTag } from './tag-operations.ts';

/** Area B: calls to action at app launch, their state per user, behaviour tags and nudge previews. */
export const cta = defineModule({
  name: 'cta',
  requires: ['auth'],
  errors: ctaErrors,
  settings: ctaSettings,
  tables,
  operations: [createCta, setCtaStatus, getCta, listCtas, createBehaviourTag, createNudgePreview],
  routes: ctaRoutes,
});
