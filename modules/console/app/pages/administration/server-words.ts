import { t } from '../../texts/text.ts';

/** What a table of the database holds, in the words of the console. A test compares it with the schema. */
const tables: Readonly<Record<string, string>> = {
  auth_access_tokens: t('Access tokens'),
  auth_audit: t('Entries of the audit log'),
  auth_audit_exports: t('Exports of the audit log'),
  auth_audit_records: t('Records named in the audit log'),
  auth_identities: t('Identities of users'),
  auth_invitations: t('Invitations'),
  auth_master_key_checks: t('Checks of the master key'),
  auth_members: t('Memberships'),
  auth_oauth_requests: t('Sign-ins of programs'),
  auth_organizations: t('Organizations'),
  auth_provider_keys: t('Keys of identity providers'),
  auth_restores: t('Restored backups'),
  auth_revocation_positions: t('Position in the feed of revocations'),
  auth_revocations: t('Revocations'),
  auth_sessions: t('Sessions'),
  auth_signing_keys: t('Signing keys'),
  auth_used_id_tokens: t('Used ID tokens'),
  auth_users: t('Users'),
  checkmate_imported: t('Records from Checkmate'),
  core_keyed_calls: t('Calls with an idempotency key'),
  core_letters: t('Letters to send'),
  core_rate_counts: t('Counts for limits of requests'),
  core_refused_letters: t('Kinds of letters switched off'),
  cta_arrivals: t('States that users have been in'),
  cta_behaviour_tags: t('Behaviour tags'),
  cta_cohort_members: t('Users in cohorts'),
  cta_cohorts: t('Cohorts'),
  cta_ctas: t('CTAs'),
  cta_event_usage: t('Size of the events of tenants'),
  cta_events: t('Events of users'),
  cta_goals: t('Goals'),
  cta_holdouts: t('Holdouts'),
  cta_hour_counts: t('Figures by hour'),
  cta_previews: t('Previews'),
  cta_state_usage: t('Size of the user states of tenants'),
  cta_status_changes: t('Changes of status of CTAs'),
  cta_tenants: t('Tenants'),
  cta_user_aliases: t('Merged users'),
  cta_user_attributes: t('Attributes of users'),
  cta_user_counts: t('Figures by user'),
  cta_user_states: t('States of users'),
  cta_versions: t('Versions of CTAs'),
  testmgmt_attachments: t('Attachments'),
  testmgmt_automation_keys: t('Tests of pipelines'),
  testmgmt_blob_chunks: t('Parts of files'),
  testmgmt_blobs: t('Files'),
  testmgmt_configuration_groups: t('Configuration groups'),
  testmgmt_configuration_values: t('Values of configurations'),
  testmgmt_external_ids: t('Ids in other systems'),
  testmgmt_fields: t('Own fields'),
  testmgmt_follows: t('Followed projects'),
  testmgmt_labels: t('Labels'),
  testmgmt_links: t('Links to other systems'),
  testmgmt_milestone_changes: t('Changes of milestones'),
  testmgmt_milestones: t('Milestones'),
  testmgmt_options: t('Values of classifications'),
  testmgmt_outcomes: t('Last results of tests'),
  testmgmt_plans: t('Plans'),
  testmgmt_projects: t('Projects'),
  testmgmt_quarantines: t('Quarantines'),
  testmgmt_reported_results: t('Results of pipelines'),
  testmgmt_result_fields: t('Fields of results'),
  testmgmt_result_steps: t('Results of single steps'),
  testmgmt_results: t('Results'),
  testmgmt_review_verdicts: t('Verdicts on proposals'),
  testmgmt_reviews: t('Proposals'),
  testmgmt_run_configurations: t('Configurations of runs'),
  testmgmt_run_notices: t('Messages about runs'),
  testmgmt_run_sources: t('Branches and commits of runs'),
  testmgmt_run_tests: t('Tests of runs'),
  testmgmt_runs: t('Runs'),
  testmgmt_saved_views: t('Saved views'),
  testmgmt_section_versions: t('Versions of sections'),
  testmgmt_sections: t('Sections'),
  testmgmt_share_links: t('Links to reports'),
  testmgmt_squads: t('Squads'),
  testmgmt_test_labels: t('Labels of tests'),
  testmgmt_test_versions: t('Versions of tests'),
  testmgmt_tests: t('Tests'),
  testmgmt_text_marks: t('Words for the search'),
  testmgmt_unmatched_results: t('Results without a test'),
  trivet_migrations: t('Changes of the schema'),
};

/** The name of a table for people; undefined for a table that is not Trivet's, e.g. of a plugin. */
export const tableName = (table: string): string | undefined =>
  Object.hasOwn(tables, table) ? tables[table] : undefined;

/** What a write came through, in the words of the console. */
const surfaces: Readonly<Record<string, string>> = {
  http: t('HTTP'),
  console: t('console'),
  mcp: t('MCP'),
  stdio: t('MCP on the server'),
  cli: t('command line'),
  plugin: t('plugin'),
};

/** The checks of the server, in the words of the console. */
const checks: Readonly<Record<string, string>> = {
  storage: t('Database'),
  schema: t('Schema of the database'),
  disk: t('Space on the disk'),
  primary: t('Takes writes'),
  auth: t('Keys of the sign-in'),
};

const wordOf = (words: Readonly<Record<string, string>>, name: string): string =>
  (Object.hasOwn(words, name) ? words[name] : undefined) ?? name;

/** The name of a surface for people; that of a newer server stays as it is. */
export const surfaceWord = (surface: string): string => wordOf(surfaces, surface);

/** The name of a check for people; that of a plugin stays as it is. */
export const checkWord = (check: string): string => wordOf(checks, check);
