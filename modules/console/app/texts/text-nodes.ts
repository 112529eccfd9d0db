import { createElement, Fragment, type ReactNode } from 'react';
import { textOf } from './text.ts';

/** A sentence with elements in it, e.g. `nodes('Sent to {address}.', { address: <b>{email}</b> })`. */
export const nodes = (key: string, values: Readonly<Record<string, ReactNode>>): ReactNode =>
  createElement(
    Fragment,
    null,
    ...textOf(key)
      .split(/(\{\w+\})/)
      .map((part) => {
        const name = /^\{(\w+)\}$/.exec(part)?.[1];
        return name !== undefined && name in values ? values[name] : part;
      }),
  );
