const colours = [
  'surface',
  'surface-2',
  'surface-3',
  'line',
  'line-strong',
  'text',
  'text-2',
  'accent',
  'accent-fill',
  'accent-soft',
  'danger',
  'danger-fill',
  'danger-soft',
  'passed',
  'failed',
  'blocked',
  'retest',
  'untested',
  'focus',
] as const;
const sizes = [1, 2, 3, 4, 5, 6] as const;

/** Colours, sizes of text and distances. */
export const DesignTokens = () => (
  <>
    <h3>Colours</h3>
    <ul className="design-colours">
      {colours.map((name) => (
        <li key={name}>
          <div className="design-colour" style={{ background: `var(--${name})` }} />
          <span className="note mono">{name}</span>
        </li>
      ))}
    </ul>
    <h3>Text</h3>
    <div className="stack tight">
      {sizes.map((size) => (
        <p key={size} style={{ fontSize: `var(--size-${size})` }}>
          Size {size}: 12 tests passed
        </p>
      ))}
      <p className="mono">Mono: 7f3a-19c0</p>
      <p className="note">A note</p>
      <p>
        <a href="#main">A link</a> · <kbd>Ctrl</kbd> <kbd>K</kbd>
      </p>
    </div>
    <h3>Distances</h3>
    <div className="stack tight">
      {sizes.map((gap) => (
        <div key={gap} className="row nowrap">
          <span className="note mono">gap-{gap}</span>
          <div className="design-gap" style={{ width: `var(--gap-${gap})` }} />
        </div>
      ))}
    </div>
  </>
);
