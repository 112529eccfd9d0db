/** The number of a build in the name of a run, e.g. "#424"; the name of another run as it is. */
export const shortRunName = (name: string): string => /(?<!\S)#\d[\w.-]{0,20}/.exec(name)?.[0] ?? name;
