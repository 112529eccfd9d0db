interface Declaration {
  /** The tool that lists its values. */
  readonly tool: string;
  /** The property of that tool's result that contains the values. */
  readonly property: string;
  readonly singular: string;
  readonly plural: string;
  /** The values of a new project, in display order. */
  readonly usual: readonly string[];
}

/**
 * The classifications of tests. Each has a list of values per project, the field `<name>Id` and the name `<name>` in a test, a column in
 * CSV and a listing tool, all of which are derived from here. A new classification needs an entry here and a column in `schema.ts`.
 */
export const classifications = {
  priority: {
    tool: 'get-priority',
    property: 'priorities',
    singular: 'priority',
    plural: 'priorities',
    usual: ['Critical', 'High', 'Medium', 'Low'],
  },
  type: {
    tool: 'get-type',
    property: 'types',
    singular: 'type',
    plural: 'test types',
    usual: [
      'Functional',
      'Regression',
      'Smoke',
      'Acceptance',
      'Performance',
      'Security',
      'Usability',
      'Other',
    ],
  },
  automationStatus: {
    tool: 'get-automation-status',
    property: 'automationStatuses',
    singular: 'automation status',
    plural: 'automation statuses',
    usual: ['Automated', 'Automatable', 'Not automatable', 'Manual'],
  },
  platform: {
    tool: 'get-platforms',
    property: 'platforms',
    singular: 'platform',
    plural: 'platforms',
    usual: ['Web', 'Android', 'iOS', 'API', 'Desktop'],
  },
  testCoveredBy: {
    tool: 'get-test-covered-by',
    property: 'coverageTypes',
    singular: 'coverage type',
    plural: 'coverage types',
    usual: ['Unit', 'Integration', 'End to end', 'Manual'],
  },
} as const satisfies Readonly<Record<string, Declaration>>;

export type Classification = keyof typeof classifications;
/** The value of a test that a pipeline runs: automation coverage counts these tests, and results create tests with it. */
export const automated = { kind: 'automationStatus', name: 'Automated' } as const satisfies {
  kind: Classification;
  name: string;
};

/** The field of a test with the id of its value. */
export type ClassificationId = `${Classification}Id`;

/** In the order of a test's record and of a CSV file. */
export const everyClassification = Object.keys(classifications) as Classification[];

/** The field of a test with the id of its value, by the name of the classification. */
export const idFieldOf = Object.fromEntries(everyClassification.map((kind) => [kind, `${kind}Id`])) as {
  readonly [K in Classification]: `${K}Id`;
};

/** The words of classifications in queries and in files of test cases, where they differ from the names. */
const called: Readonly<Partial<Record<Classification, string>>> = {
  automationStatus: 'automation',
  testCoveredBy: 'covered-by',
};

/** The word that a person writes for a classification, e.g. `covered-by`. */
export const wordOfClassification = (kind: Classification): string => called[kind] ?? kind;

/** In the order of their tools in the interface specification; new ones follow. */
const inToolOrder: readonly Classification[] = [
  ...new Set<Classification>(['priority', 'platform', 'automationStatus', ...everyClassification]),
];

/** One entry for each listing tool. */
export const forEachListing = <V>(make: (kind: Classification) => V): readonly V[] => inToolOrder.map(make);

/** An object with one property for each classification, by its name. */
export const byName = <V>(make: (kind: Classification) => V): Readonly<Record<Classification, V>> =>
  Object.fromEntries(everyClassification.map((kind) => [kind, make(kind)])) as Record<Classification, V>;

/** An object with one property for each classification, by its id field. */
export const byIdField = <V>(make: (kind: Classification) => V): Readonly<Record<ClassificationId, V>> =>
  Object.fromEntries(everyClassification.map((kind) => [idFieldOf[kind], make(kind)])) as Record<
    ClassificationId,
    V
  >;
