/** How a column is read: times become epoch milliseconds. */
type ColumnKind = 'int' | 'text' | 'time';

export interface CheckmateTable {
  /** What identifies a row, in the order in which it is read. */
  readonly key: readonly string[];
  /** The column by which the import asks for rows. */
  readonly of: string | null;
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** A database without it is none of Checkmate. The others came with later versions. */
  readonly isOptional?: true;
}

const written = { createdBy: 'int', createdOn: 'time', updatedOn: 'time', updatedBy: 'int' } as const;

/** The table of a list of values, e.g. of priorities, that the projects of an organization share. */
const values = (name: string): CheckmateTable => ({
  key: [`${name}Id`],
  of: 'orgId',
  columns: { [`${name}Id`]: 'int', [`${name}Name`]: 'text', orgId: 'int', projectId: 'int' },
  isOptional: true,
});

/**
 * The tables of a Checkmate database, with the columns that are read: no token, and no edit history. Its schema for MySQL as of commit
 * `b84361a5`, of December 2025.
 */
export const checkmateTables = {
  users: {
    key: ['userId'],
    of: null,
    columns: { userId: 'int', userName: 'text', email: 'text', role: 'text', status: 'text' },
  },
  organisations: {
    key: ['orgId'],
    of: null,
    columns: { orgId: 'int', orgName: 'text', createdOn: 'time' },
  },
  projects: {
    key: ['projectId'],
    of: 'orgId',
    columns: {
      projectId: 'int',
      projectName: 'text',
      projectDescription: 'text',
      orgId: 'int',
      status: 'text',
      ...written,
    },
  },
  priority: values('priority'),
  type: values('type'),
  automationStatus: values('automationStatus'),
  platform: values('platform'),
  testCoveredBy: values('testCoveredBy'),
  sections: {
    key: ['sectionId'],
    of: 'projectId',
    columns: {
      sectionId: 'int',
      sectionName: 'text',
      sectionDescription: 'text',
      parentId: 'int',
      projectId: 'int',
      ...written,
    },
  },
  squads: {
    key: ['squadId'],
    of: 'projectId',
    columns: { squadId: 'int', squadName: 'text', projectId: 'int', ...written },
  },
  labels: {
    key: ['labelId'],
    of: 'projectId',
    columns: { labelId: 'int', labelName: 'text', projectId: 'int', ...written },
  },
  tests: {
    key: ['testId'],
    of: 'projectId',
    columns: {
      testId: 'int',
      sectionId: 'int',
      projectId: 'int',
      title: 'text',
      squadId: 'int',
      priorityId: 'int',
      typeId: 'int',
      automationStatusId: 'int',
      testCoveredById: 'int',
      platformId: 'int',
      preConditions: 'text',
      steps: 'text',
      expectedResult: 'text',
      assignedTo: 'int',
      jiraTicket: 'text',
      defects: 'text',
      attachments: 'text',
      status: 'text',
      reference: 'text',
      additionalGroups: 'text',
      automationId: 'text',
      description: 'text',
      custom1: 'text',
      custom2: 'text',
      custom3: 'text',
      custom4: 'text',
      ...written,
    },
  },
  labelTestMap: {
    key: ['labelId', 'testId'],
    of: 'testId',
    columns: { labelId: 'int', testId: 'int' },
  },
  runs: {
    key: ['runId'],
    of: 'projectId',
    columns: {
      runId: 'int',
      projectId: 'int',
      status: 'text',
      runDescription: 'text',
      refrence: 'text',
      runName: 'text',
      lockedBy: 'int',
      lockedOn: 'time',
      ...written,
    },
  },
  testRunMap: {
    key: ['testRunMapId'],
    of: 'runId',
    columns: {
      testRunMapId: 'int',
      runId: 'int',
      testId: 'int',
      isIncluded: 'int',
      status: 'text',
      updatedBy: 'int',
      updatedOn: 'time',
      comment: 'text',
    },
  },
  testRunsStatusHistory: {
    key: ['testRunsStatusHistoryId'],
    of: 'runId',
    columns: {
      testRunsStatusHistoryId: 'int',
      runId: 'int',
      testId: 'int',
      status: 'text',
      updatedBy: 'int',
      updatedOn: 'time',
      comment: 'text',
    },
  },
} as const satisfies Readonly<Record<string, CheckmateTable>>;

export type TableName = keyof typeof checkmateTables;
export const tableNames = Object.keys(checkmateTables) as readonly TableName[];

type Kinds<T extends TableName> = (typeof checkmateTables)[T]['columns'];
/** A row of a table; a column that the database lacks is null. */
export type CheckmateRow<T extends TableName> = {
  readonly [K in keyof Kinds<T>]: Kinds<T>[K] extends 'text' ? string | null : number | null;
};

export type AnyCheckmateRow = Readonly<Record<string, string | number | null>>;

/** The columns that identify a row and its project cannot be left out. */
export const neededColumns = (name: TableName): readonly string[] => {
  const { key, of }: CheckmateTable = checkmateTables[name];
  return of === null ? key : [...new Set([...key, of])];
};

/** A text as it is stored: PostgreSQL refuses NUL. */
const storedText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

const mysqlTime = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?$/;

/** The epoch milliseconds of a TIMESTAMP in UTC, e.g. `2024-03-01 12:00:00`; null for none, also for MySQL's zero date. */
export function timeOfMysql(text: string): number | null {
  const [, year = '', month = '', day = '', hour = '', minute = '', second = ''] = mysqlTime.exec(text) ?? [];
  if (year === '' || month === '00') return null;
  const at = Date.UTC(+year, +month - 1, +day, +hour, +minute, +second);
  return Number.isNaN(at) ? null : at;
}

/** A value as one of its kind; null for one that is none. */
export function cellOf(kind: ColumnKind, value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  if (kind === 'text') return storedText(String(value));
  // A number of milliseconds may be a text, too: it is a 64-bit integer there.
  if (kind === 'time' && typeof value === 'string' && value.includes('-')) return timeOfMysql(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  const number = typeof value === 'number' ? value : Number(String(value).trim() || Number.NaN);
  return Number.isSafeInteger(number) ? number : null;
}
