import { defineConfig } from 'drizzle-kit';

// One schema, two engines: `npm run generate` runs this once for each (TRIVET_TEST_ENGINE chooses the columns).
const engine = process.env['TRIVET_TEST_ENGINE'] === 'postgres' ? 'postgres' : 'sqlite';

export default defineConfig({
  dialect: engine === 'postgres' ? 'postgresql' : 'sqlite',
  schema: [
    './core/tools/idempotency-schema.ts',
    './core/http/rate/rate-schema.ts',
    './core/letters/letter-schema.ts',
    './modules/testmgmt/base/following-schema.ts',
    './modules/*/base/schema.ts',
    './modules/testmgmt/base/pipeline-schema.ts',
    './modules/testmgmt/base/evidence-schema.ts',
    './modules/testmgmt/sharing/share-schema.ts',
    './modules/testmgmt/saved-views/saved-view-schema.ts',
    './modules/testmgmt/base/planning-schema.ts',
    './modules/testmgmt/query/query-mark-schema.ts',
    './modules/testmgmt/base/version-schema.ts',
    './modules/testmgmt/base/review-schema.ts',
    './modules/testmgmt/base/field-schema.ts',
    './modules/testmgmt/base/import-schema.ts',
  ],
  out: `./drizzle/${engine}`,
  breakpoints: false,
});
