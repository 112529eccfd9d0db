import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { Link } from 'wouter';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './marks/icon.tsx';

type Kind = 'primary' | 'danger' | 'quiet';

interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style'> {
  readonly kind?: Kind;
  readonly small?: boolean;
}

const classOf = (kind: Kind | undefined, small: boolean | undefined): string =>
  ['button', kind, small && 'small'].filter(Boolean).join(' ');

/** A button. Its text says what happens: "Create run", not "OK". */
export const Button = ({ kind, small, ...rest }: ButtonProps) => (
  <AriaButton {...rest} className={classOf(kind, small)} />
);

interface IconButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children' | 'aria-label'> {
  readonly icon: IconName;
  /** What happens: read by screen readers, and shown under the pointer. */
  readonly label: string;
}

/** A button for an action that everybody knows by its icon: close, remove, move. */
export const IconButton = ({ icon, label, ...rest }: IconButtonProps) => (
  <AriaButton {...rest} aria-label={label} className="button quiet small only-icon">
    <span title={label} className="icon-place">
      <Icon of={icon} />
    </span>
  </AriaButton>
);

interface LinkButtonProps {
  readonly to: string;
  readonly kind?: Kind;
  readonly small?: boolean;
  readonly children: ReactNode;
}

/** A link to another page of the console that looks like a button. */
export const LinkButton = ({ to, kind, small, children }: LinkButtonProps) => (
  <Link href={to} className={classOf(kind, small)}>
    {children}
  </Link>
);
