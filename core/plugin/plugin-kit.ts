import { Type } from '@sinclair/typebox';
import {
  and,
  asc,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  like,
  lt,
  lte,
  ne,
  or,
  sql,
} from 'drizzle-orm';
import { member, roleIn, signedIn } from '../base/actor.ts';
import { isoTime } from '../base/clock.ts';
import * as columns from '../db/query/columns.ts';
import { prepared } from '../db/query/db.ts';
import { defineErrors, fail } from '../base/errors.ts';
import { perHost } from '../host/host.ts';
import { jsonAnswer } from '../http/answer/answer.ts';
import { callerOf, signedInCaller } from '../http/caller/bearer.ts';
import { readJson } from '../http/request/body.ts';
import { counter, gauge, histogram } from '../metrics/metric.ts';
import { defineModule, type Module } from '../module/module.ts';
import { closedObject, nullable, recordId, words } from '../base/schema.ts';
import { operation } from '../tools/operation.ts';
import { page, pageOf, paging } from '../tools/page.ts';

/**
 * The version of the kit below: a plugin says with `export const kit = 1` which one it was written for. Every addition raises it. A removal
 * or a change of meaning also raises `oldestKit` (docs/plugins.md).
 */
export const kitVersion = 1;

/** The oldest kit whose plugins still work. */
export const oldestKit = 1;

/** The building blocks of a plugin, so that its file needs no packages. */
export const pluginKit = {
  defineModule,
  operation,
  Type,
  closedObject,
  nullable,
  words,
  recordId,
  page,
  paging,
  pageOf,
  columns,
  query: { and, asc, desc, eq, gt, gte, inArray, isNotNull, isNull, like, lt, lte, ne, or, sql },
  prepared,
  perHost,
  signedIn,
  member,
  roleIn,
  defineErrors,
  /** {@link defineErrors} by its name in 0.1.0. */
  catalogue: defineErrors,
  fail,
  isoTime,
  metrics: { counter, gauge, histogram },
  http: { jsonAnswer, readJson, callerOf, signedInCaller },
};

export type PluginKit = typeof pluginKit;

/** The default export of a plugin file. */
export type Plugin = (kit: PluginKit) => Module | Promise<Module>;
