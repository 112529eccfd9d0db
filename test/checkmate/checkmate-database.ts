/* A database of Checkmate, written from its documented tables and columns: enough for an import, and some that an import must not need. */

const person = 'int null';
const stamped =
  'createdOn timestamp null default current_timestamp, updatedOn timestamp not null default current_timestamp on update current_timestamp, createdBy int null, updatedBy int null';
const values = (name: string) =>
  `create table ${name} (${name}Id int auto_increment primary key, ${name}Name varchar(30) not null, ${stamped}, orgId int not null, projectId int null)`;

export const checkmateSchema: readonly string[] = [
  `create table users (userId int auto_increment primary key, userName varchar(100) not null, email varchar(100) not null unique,
    ssoId varchar(200) unique, profileUrl text, role enum('admin','user','reader') not null default 'user', token varchar(500) unique,
    updatedBy ${person}, status enum('active','archive','delete') default 'active')`,
  `create table organisations (orgId int auto_increment primary key, orgName varchar(20) not null unique, createdBy ${person}, createdOn timestamp null default current_timestamp)`,
  `create table projects (projectId int auto_increment primary key, projectName varchar(50) not null, projectDescription varchar(255),
    orgId int not null, testsCount int default 0, runsCount int default 0, status enum('Active','Archived','Deleted') not null default 'Active', ${stamped})`,
  values('priority').replace(', projectId int null', ''),
  values('type'),
  values('automationStatus'),
  values('platform'),
  values('testCoveredBy'),
  `create table sections (sectionId int auto_increment primary key, sectionName varchar(250) not null, sectionDescription text, parentId int null,
    editHistory json, projectId int not null, ${stamped}, key sectionNameIndex (sectionName))`,
  `create table squads (squadId int auto_increment primary key, squadName varchar(100) not null, editInfo json, projectId int not null, ${stamped})`,
  `create table labels (labelId int auto_increment primary key, labelName varchar(100) not null, labelType enum('System','Custom'), editHistory json, projectId int not null, ${stamped})`,
  `create table tests (testId int auto_increment primary key, sectionId int null, projectId int not null, title varchar(750) not null, squadId int null,
    priorityId int null, typeId int null, automationStatusId int null, testCoveredById int null, platformId int null, preConditions text, steps text,
    expectedResult text, assignedTo int null, testStatusHistory json, editInfo json, createdByName varchar(100), jiraTicket varchar(100),
    defects varchar(100), attachments varchar(100), status enum('Active','Archived','Deleted') not null default 'Active', reference text,
    additionalGroups text, automationId varchar(100), description text, custom1 text, custom2 text, custom3 text, custom4 text, ${stamped})`,
  `create table labelTestMap (labelId int not null, testId int not null, projectId int not null, ${stamped}, unique key labelToTest (labelId, testId))`,
  `create table runs (runId int auto_increment primary key, projectId int not null, status enum('Active','Locked','Archived','Deleted'),
    runDescription varchar(255), refrence varchar(255), runName varchar(50) not null, lockedBy int null, lockedOn timestamp null, ${stamped})`,
  `create table testRunMap (testRunMapId int auto_increment primary key, runId int, testId int, projectId int not null, isIncluded boolean default true,
    status varchar(25) not null default 'Untested', statusUpdates json, updatedBy int null, createdOn timestamp null default current_timestamp,
    updatedOn timestamp not null default current_timestamp on update current_timestamp, comment varchar(200))`,
  `create table testRunsStatusHistory (testRunsStatusHistoryId int auto_increment primary key, runId int, testId int, status varchar(25) not null,
    updatedBy int null, updatedOn timestamp not null default current_timestamp, createdOn timestamp not null default current_timestamp, comment text,
    totalTestCase int default 0, passedTestCase int default 0, failedTestCase int default 0, untestedTestCase int default 0)`,
];

const at = (hour: number) => `'2024-03-01 ${String(hour).padStart(2, '0')}:00:00'`;
const utc = "set time_zone = '+00:00'";
/** A statement that stores rows. Values are SQL. */
const rows = (table: string, columns: string, ...given: readonly string[]) =>
  `insert into ${table} (${columns}) values ${given.map((row) => `(${row})`).join(', ')}`;

/** The times of the records: createdOn and updatedOn. */
const when = `${at(8)}, ${at(9)}`;

/** Two projects with everything that an import knows, one archived and one deleted. */
export const checkmateRecords: readonly string[] = [
  utc,
  rows(
    'users',
    'userId, userName, email, role, token, status',
    "1, 'Ann', 'ann@example.org', 'admin', 'secret-token', 'active'",
    "2, 'Bob Ü', 'bob@example.org', 'user', null, 'active'",
    "3, 'Rea', 'rea@example.org', 'reader', null, 'active'",
    "4, 'Gone', 'gone@example.org', 'user', null, 'delete'",
  ),
  rows('organisations', 'orgId, orgName, createdOn', `5, 'Acme', ${at(1)}`),
  rows(
    'projects',
    'projectId, projectName, projectDescription, orgId, status, createdBy, createdOn, updatedOn',
    `11, 'Shop', 'The shop', 5, 'Active', 1, ${when}`,
    `12, 'Old', null, 5, 'Archived', 1, ${when}`,
    `13, 'Gone', null, 5, 'Deleted', 1, ${when}`,
  ),
  rows('priority', 'priorityId, priorityName, orgId', "1, 'P1', 5", "2, 'P2', 5"),
  rows(
    'platform',
    'platformId, platformName, orgId, projectId',
    "1, 'Web', 5, null",
    "2, 'Shop only', 5, 11",
  ),
  rows('automationStatus', 'automationStatusId, automationStatusName, orgId', "1, 'Automated', 5"),
  rows('type', 'typeId, typeName, orgId', "1, 'Smoke', 5"),
  rows('testCoveredBy', 'testCoveredById, testCoveredByName, orgId', "1, 'Manual', 5"),
  rows(
    'sections',
    'sectionId, sectionName, sectionDescription, parentId, projectId, createdBy, createdOn, updatedOn',
    `21, 'Payment', 'Cards', 22, 11, 1, ${when}`,
    `22, 'Checkout', null, null, 11, 1, ${when}`,
    `23, 'checkout ', null, null, 11, 1, ${when}`,
  ),
  rows(
    'squads',
    'squadId, squadName, projectId, createdBy, createdOn, updatedOn',
    `31, 'Core', 11, 2, ${when}`,
  ),
  rows(
    'labels',
    'labelId, labelName, projectId, createdBy, createdOn, updatedOn',
    `41, 'smoke', 11, 2, ${when}`,
    `42, 'api', 11, 2, ${when}`,
  ),
  rows(
    'tests',
    'testId, sectionId, projectId, title, squadId, priorityId, typeId, automationStatusId, testCoveredById, platformId, preConditions, steps, expectedResult, assignedTo, jiraTicket, custom1, status, description, createdBy, updatedBy, createdOn, updatedOn',
    `101, 21, 11, 'Pay by card', 31, 2, 1, 1, 1, 2, 'A card', '1. Open\\n2. Pay', 'It\\'s paid; "ok" -- (1),(2) ü 😀 \\\\', 2, 'SHOP-1', 'own', 'Active', 'Why', 1, 2, ${when}`,
    `102, 22, 11, 'Cash', null, 1, null, null, null, 1, null, 'One text', null, null, null, null, 'Active', null, 2, null, ${when}`,
    `103, 23, 11, '${'Long '.repeat(80)}', null, null, null, null, null, null, null, null, null, null, null, null, 'Active', null, 99, null, ${when}`,
    `104, null, 11, 'Was deleted', null, null, null, null, null, null, null, null, null, null, null, null, 'Deleted', null, 1, null, ${when}`,
    `105, null, 12, 'In the old project', null, null, null, null, null, null, null, null, null, null, null, null, 'Active', null, 1, null, ${when}`,
    `106, null, 13, 'In the deleted project', null, null, null, null, null, null, null, null, null, null, null, null, 'Active', null, 1, null, ${when}`,
  ),
  rows('labelTestMap', 'labelId, testId, projectId', '41, 101, 11', '42, 101, 11', '41, 102, 11'),
  rows(
    'runs',
    'runId, projectId, status, runDescription, refrence, runName, lockedBy, lockedOn, createdBy, createdOn, updatedOn',
    `51, 11, 'Active', 'Nightly', 'v1', 'Run A', null, null, 2, ${when}`,
    `52, 11, 'Locked', null, null, 'Run B', 1, ${at(12)}, 2, ${when}`,
    `53, 11, 'Deleted', null, null, 'Run C', null, null, 2, ${when}`,
    `54, 11, 'Archived', null, null, 'Run D', null, null, 2, ${when}`,
  ),
  rows(
    'testRunMap',
    'runId, testId, projectId, isIncluded, status, updatedBy, updatedOn, comment',
    `51, 101, 11, 1, 'Passed', 2, ${at(14)}, 'ok now'`,
    `51, 102, 11, 1, 'Skipped', 2, ${at(11)}, null`,
    `51, 103, 11, 1, 'Untested', null, ${at(9)}, null`,
    `51, 104, 11, 0, 'Untested', null, ${at(9)}, null`,
    `52, 101, 11, 1, 'Failed', 1, ${at(13)}, 'broken'`,
    `52, 102, 11, 1, 'Blocked', 1, ${at(12)}, 'no history'`,
    `53, 101, 11, 1, 'Failed', 1, ${at(12)}, null`,
    `54, 104, 11, 1, 'Passed', 1, ${at(12)}, null`,
  ),
  rows(
    'testRunsStatusHistory',
    'runId, testId, status, updatedBy, updatedOn, comment',
    `51, 101, 'Failed', 2, ${at(10)}, 'timeout after 30 s'`,
    `51, 102, 'Skipped', 2, ${at(11)}, null`,
    `52, 101, 'Failed', 1, ${at(13)}, 'broken'`,
    `51, 101, 'Passed', 2, ${at(14)}, 'ok now'`,
    `53, 101, 'Failed', 1, ${at(12)}, null`,
  ),
];

/** What came later: a test, a run, a new result, and one of a test that has another result here meanwhile. */
export const checkmateNews: readonly string[] = [
  utc,
  rows(
    'tests',
    'testId, sectionId, projectId, title, createdBy, createdOn, updatedOn',
    `120, 22, 11, 'A new one', 1, ${when}`,
  ),
  "update tests set title = 'Changed there' where testId = 102",
  rows(
    'runs',
    'runId, projectId, status, runName, createdBy, createdOn, updatedOn',
    `60, 11, 'Active', 'Run E', 2, ${when}`,
  ),
  rows(
    'testRunMap',
    'runId, testId, projectId, status, updatedBy, updatedOn',
    `60, 120, 11, 'Passed', 2, ${at(16)}`,
    `51, 120, 11, 'Untested', null, ${at(15)}`,
  ),
  rows(
    'testRunsStatusHistory',
    'runId, testId, status, updatedBy, updatedOn, comment',
    `60, 120, 'Passed', 2, ${at(16)}, null`,
    `51, 101, 'Retest', 2, ${at(17)}, null`,
    `51, 102, 'Passed', 2, ${at(17)}, 'late'`,
  ),
  "update testRunMap set status = 'Retest', comment = null where runId = 51 and testId = 101",
  "update testRunMap set status = 'Passed', comment = 'late' where runId = 51 and testId = 102",
];
