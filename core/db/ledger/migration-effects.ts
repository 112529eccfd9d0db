import type { MigrationEffect } from './migration.ts';

/**
 * The effect of each built-in migration since 0.1.0. The migrations of 0.1.0 (up to 0006) need none, because every released executable
 * knows them. `migration-effects.test.ts` checks the SQL of an `expand` (docs/decisions/rolling-upgrade.md).
 */
export const migrationEffects: Readonly<Record<string, MigrationEffect>> = {
  '0007_tests_in_section': 'expand',
  '0008_cta_state_usage': 'expand',
  '0009_audited_writes': 'expand',
  '0010_live_sessions': 'expand',
  '0011_keyed_calls_age': 'expand',
  '0012_rate_counts': 'expand',
  '0013_testmgmt_outcomes': 'expand',
  '0014_test_updated_by': 'expand',
  '0015_query_speed': 'expand',
  '0016_who_changed_what': 'expand',
  '0017_text_marks': 'expand',
  '0018_tests_updated': 'expand',
  '0019_tests_by_column': 'expand',
  '0020_results_of_pipelines': 'expand',
  '0021_oauth_requests': 'expand',
  '0022_merged_users': 'expand',
  '0023_run_tests_changed': 'expand',
  '0024_unmatched_results': 'expand',
  '0025_restores': 'expand',
  '0026_guests': 'expand',
  '0027_cta_events': 'expand',
  '0028_experiments': 'expand',
  '0029_evidence': 'expand',
  '0030_exposures': 'expand',
  '0031_step_results': 'expand',
  '0032_share_links': 'expand',
  '0033_links': 'expand',
  '0034_planning': 'expand',
  '0035_milestone_links': 'expand',
  '0036_test_versions': 'expand',
  '0037_reviews': 'expand',
  '0038_fields': 'expand',
  '0039_agents_and_milestones': 'expand',
  '0040_checkmate_imported': 'expand',
  '0041_external_ids': 'expand',
  '0042_directory': 'expand',
};
