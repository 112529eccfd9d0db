import { coreErrors, defineErrors, type FaultKind } from '../../../core/base/errors.ts';

export const testmgmtErrors = {
  PROJECT_NOT_FOUND: { status: 404, tip: 'Use get-projects to see the projects of an organization.' },
  TEST_NOT_FOUND: { status: 404, tip: 'Use get-tests to see the tests of a project.' },
  RUN_NOT_FOUND: { status: 404, tip: 'Use get-runs to see the runs of a project.' },
  SECTION_NOT_FOUND: { status: 404, tip: 'Use get-sections to see the sections of a project.' },
  NOT_IN_PROJECT: { status: 400, tip: 'Use only ids of this project: get-tests lists its tests.' },
  NOT_IN_RUN: { status: 400, tip: 'Use get-run-tests-list to see the tests of the run.' },
  DUPLICATE_ID: { status: 400, tip: 'Give each id once; get-tests lists them.' },
  PROJECT_INACTIVE: {
    status: 409,
    tip: 'An administrator can activate it with update-project-status (isActive true). Reading works without that.',
  },
  RESULT_CHANGED: {
    status: 409,
    tip: 'Read these tests again with get-run-tests-list, then report with their new updatedAt as seenAt, or without seenAt.',
  },
  TEST_CHANGED: {
    status: 409,
    tip: 'Read the test again with get-test-details, then use update-test with its new updatedAt as seenAt, or without seenAt.',
  },
  REVIEW_REQUIRED: {
    status: 409,
    tip: 'Use propose-test-change (toolset extra); somebody else approves it with review-test-change, then merge-test-change writes it.',
  },
  REVIEW_NOT_FOUND: { status: 404, tip: 'Use list-reviews to see the proposals of a project.' },
  REVIEW_CHANGED: {
    status: 409,
    tip: 'Read the proposal again with get-review, then use review-test-change with its hash as seenHash.',
  },
  REVIEW_CLOSED: { status: 409, tip: 'Use propose-test-change without reviewId for a new proposal.' },
  REVIEW_NOT_APPROVED: {
    status: 409,
    tip: 'Ask somebody else, or one of its reviewers, to approve it with review-test-change.',
  },
  REVIEW_VERDICT_REFUSED: {
    status: 403,
    tip: 'Use get-review to see its author and its reviewers; one of them, or a person in the console, decides.',
  },
  TOO_MANY_REVIEWS: {
    status: 409,
    tip: 'Merge or decline open proposals first: list-reviews, merge-test-change, review-test-change.',
  },
  VERSION_NOT_FOUND: {
    status: 404,
    tip: 'Use list-test-versions to see the versions that are kept of a test.',
  },
  ACTIVITY_NOT_FOUND: { status: 404, tip: 'Use list-activity to see the writes in your projects.' },
  ACTIVITY_NOT_UNDOABLE: {
    status: 409,
    tip: 'Use list-test-versions and revert-test for single tests.',
  },
  ACTIVITY_OVERTAKEN: {
    status: 409,
    tip: 'Take back the later writes first (list-activity with testId names them), or use revert-test for single tests.',
  },
  FIELD_NOT_FOUND: { status: 404, tip: 'Use list-fields to see the fields of a project.' },
  FIELD_EXISTS: { status: 409, tip: 'Use edit-field to change it; list-fields lists them.' },
  INVALID_FIELD_VALUE: {
    status: 400,
    tip: 'Use list-fields to see the fields of the project, their kinds and options.',
  },
  RUN_LOCKED: {
    status: 423,
    tip: 'Use create-run for a new run, or ask an administrator to use unlock-run.',
  },
  SECTION_EXISTS: {
    status: 409,
    tip: 'Use the existing section, or another name; get-sections lists them.',
  },
  SECTION_CYCLE: {
    status: 400,
    tip: 'Choose a parent outside the section; get-sections shows each path, and null is the top level.',
  },
  SECTION_TOO_DEEP: { status: 400, tip: 'Choose a parent higher up; get-sections shows each path.' },
  IMPORT_UNREADABLE: {
    status: 400,
    tip: 'Send the text of the file and its format, e.g. testrail-xml; csv and json are those of download-tests. For a table of other columns use the format table with a mapping.',
  },
  IMPORT_FAULTY: {
    status: 400,
    tip: 'Correct these rows; import-tests with dryRun true lists all problems.',
  },
  IMPORT_CREATES: {
    status: 400,
    tip: 'Correct the names in the file, add them first (add-labels, add-squads, add-section), or leave out strict.',
  },
  RESULT_FILE_UNREADABLE: {
    status: 400,
    tip: 'Call ingest-results with the file as the test tool wrote it (JUnit XML, CTRF, TAP, TRX and others: docs/pipelines.md). Nothing was written.',
  },
  TESTS_RAN_TOGETHER: {
    status: 409,
    tip: 'Tests that ran side by side are two tests. get-run-test-status shows both results; delete-test ends one of them.',
  },
  NO_RESULT_FILES: {
    status: 400,
    tip: 'Give at least one file: files of ingest-results, a part of multipart/form-data, or trivet results FILE.',
  },
  SHARE_LINK_NOT_FOUND: { status: 404, tip: 'Use list-share-links to see the live links of a project.' },
  TOO_MANY_SHARE_LINKS: {
    status: 409,
    tip: 'Use list-share-links, then revoke-share-link for those that are no longer needed.',
  },
  VIEW_NOT_FOUND: { status: 404, tip: 'Use list-views to see your views of a project and the shared ones.' },
  VIEW_EXISTS: {
    status: 409,
    tip: 'Use another name, or delete-view for the other view; list-views lists them.',
  },
  TOO_MANY_VIEWS: {
    status: 409,
    tip: 'Use list-views, then delete-view for those that are no longer needed.',
  },
  ATTACHMENT_NOT_FOUND: {
    status: 404,
    tip: 'Use list-attachments to see the attachments of a test or a run.',
  },
  ATTACHMENT_TOO_LARGE: {
    status: 413,
    tip: 'Use add-attachment with a smaller file; the operator can raise --attachment-max to 256 MiB.',
  },
  ATTACHMENT_QUOTA: {
    status: 409,
    tip: 'Delete attachments that are no longer needed with delete-attachment; the operator can raise --attachment-quota.',
  },
  TOO_MANY_ATTACHMENTS: {
    status: 409,
    tip: 'Use list-attachments, then delete-attachment for those that are no longer needed.',
  },
  LINK_NOT_FOUND: { status: 404, tip: 'Use list-links to see the links of a test or of a project.' },
  TOO_MANY_LINKS: {
    status: 409,
    tip: 'Use list-links, then remove-links for those that are no longer needed.',
  },
  QUARANTINE_FULL: {
    status: 409,
    tip: 'Use list-quarantined, then end-quarantine for tests that are well again; or give force true.',
  },
  MILESTONE_NOT_FOUND: { status: 404, tip: 'Use get-milestones to see the milestones of a project.' },
  MILESTONE_EXISTS: {
    status: 409,
    tip: 'Use the existing milestone, or another name; get-milestones lists them.',
  },
  MILESTONE_CLOSED: {
    status: 409,
    tip: 'Choose an open milestone (get-milestones with status open), or open it again: edit-milestone with status open.',
  },
  PLAN_NOT_FOUND: { status: 404, tip: 'Use get-plans to see the plans of a project.' },
  PLAN_TOO_LARGE: {
    status: 400,
    tip: 'Use configurations "pairwise" or fewer tests in create-plan, or make several plans; dryRun true counts them.',
  },
  CONFIGURATION_GROUP_NOT_FOUND: {
    status: 404,
    tip: 'Use get-configuration-groups to see the groups of a project with their values.',
  },
  CONFIGURATION_GROUP_EXISTS: {
    status: 409,
    tip: 'Use edit-configuration-group to change the existing group, or another name.',
  },
  NOT_A_MEMBER: {
    status: 400,
    tip: 'Use get-all-users to see who is a member of the organization of the project.',
  },
  PROJECT_FULL: {
    status: 409,
    tip: 'Use existing names (get-sections, get-labels, get-squads, get-milestones), or another project.',
  },
  STEPS_TOO_LONG: {
    status: 400,
    tip: 'Use create-test for several shorter tests, or keep long data in a file and name it in the step.',
  },
  METADATA_EXISTS: {
    status: 409,
    tip: 'Use merge-metadata to make them one, or another name; get-labels and the like list them.',
  },
  TOO_MANY_TESTS: {
    status: 400,
    tip: 'Change them in parts first, with change-tests and a query such as section:, and call again for the rest.',
  },
  TOO_MANY_LABELS: {
    status: 400,
    tip: 'Take labels away with removeLabels of update-test; get-test-details lists the labels of a test.',
  },
  INVALID_QUERY: {
    status: 400,
    tip: 'Write terms as label:smoke last:failed -has:steps for get-tests; docs/query.md lists the fields.',
  },
  QUERY_TOO_EXPENSIVE: {
    status: 400,
    tip: 'Add a condition that few tests fit, e.g. label: (get-labels lists them), section: or last:failed, or use fewer words.',
  },
  SECTION_NOT_EMPTY: {
    status: 409,
    tip: 'Use delete-section with withContents true to delete them too (dryRun counts them), or move its tests first: bulk-update-tests, move-section.',
  },
} as const satisfies Record<string, FaultKind>;

/** Creates the errors of this module and of the kernel: `throw fail.RUN_NOT_FOUND('There is no run 7.')`. */
export const fail = defineErrors({ ...coreErrors, ...testmgmtErrors });
