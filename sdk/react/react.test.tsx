import { expect, test } from 'bun:test';
import type { ReactElement } from 'react';
import { renderToString } from 'react-dom/server';
import { createTestTrivet } from '../testing/test-trivet.ts';
import { TrivetProvider, useAction, useSession, useTrack } from './react.tsx';

/* On a server. In a browser, with StrictMode: test/console/sdk-react.test.ts. */
const rule = {
  stateTransition: { open: { '0': [{ transitionTo: '1' }] } },
  stateToAction: { '1': 'a' },
  actions: [{ actionId: 'a', type: 'POPUP', template: {} }],
};

function Shown(): ReactElement {
  const session = useSession();
  const { action } = useAction();
  return <p>{`${session === null} ${action === null} ${typeof useTrack()}`}</p>;
}

test('a server renders nobody and nothing, and touches no global', () => {
  const trivet = createTestTrivet({ rules: [{ ctaId: '1', rule }] });
  const names = ['document', 'window', 'localStorage', 'navigator', 'fetch'] as const;
  const kept = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const name of names)
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get: () => {
        throw new Error(`touched ${name}`);
      },
    });
  try {
    const html = renderToString(
      <TrivetProvider trivet={trivet}>
        <Shown />
      </TrivetProvider>,
    );
    expect(html).toBe('<p>true true function</p>');
  } finally {
    for (const [name, was] of kept) {
      Reflect.deleteProperty(globalThis, name);
      if (was) Object.defineProperty(globalThis, name, was);
    }
  }
  trivet.dispose();
});

test.each([
  ['useSession', () => useSession()],
  ['useAction', () => useAction()],
  ['useTrack', () => useTrack()],
])('%s says what is missing outside the provider', (_name, use) => {
  const Alone = () => {
    use();
    return null;
  };
  expect(() => renderToString(<Alone />)).toThrow(
    'trivet-sdk/react: put <TrivetProvider trivet={trivet}> above this component.',
  );
});
