import { isObject } from '../../../../core/json/json-scan.ts';

/** Reads members of unchecked JSON: a member of another type counts as absent. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** A non-empty list of objects. */
export const isList = (value: unknown): value is readonly JsonObject[] =>
  Array.isArray(value) && value.length > 0 && value.every(isObject);

export const objectIn = (object: JsonObject, key: string): JsonObject => {
  const value = object[key];
  return isObject(value) ? value : {};
};

export const listIn = (object: JsonObject, key: string): readonly unknown[] => {
  const value = object[key];
  return Array.isArray(value) ? value : [];
};

export const objectsIn = (object: JsonObject, key: string): readonly JsonObject[] =>
  listIn(object, key).filter(isObject);

export const textIn = (object: JsonObject, key: string): string => {
  const value = object[key];
  return typeof value === 'string' ? value : '';
};

/** The texts of a list. */
export const textsIn = (object: JsonObject, key: string): readonly string[] =>
  listIn(object, key).filter((value) => typeof value === 'string');

export const numberIn = (object: JsonObject, key: string): number | undefined => {
  const value = object[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};
