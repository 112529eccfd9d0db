/** How the address and a query name an own field. @example ownKey('browser') // 'cf.browser' */
export const ownKey = (key: string): string => `cf.${key}`;
