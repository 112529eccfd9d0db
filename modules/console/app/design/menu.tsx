import type { ReactNode } from 'react';
import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Button } from './button.tsx';
import { Icon, type IconName } from './marks/icon.tsx';

interface MenuAction {
  readonly id: string;
  readonly name: string;
  readonly isDisabled?: boolean;
  /** Marked as the present choice. */
  readonly isChosen?: boolean;
  readonly onAction: () => void;
}

interface MenuProps {
  readonly label: string;
  /** What stands on the button, if it is another text than its label. */
  readonly text?: string;
  /** Before the text. */
  readonly before?: ReactNode;
  /** After the text. */
  readonly icon?: IconName;
  readonly actions: readonly MenuAction[];
  readonly small?: boolean;
  readonly onOpenChange?: (isOpen: boolean) => void;
}

/** A button that opens a list of actions. */
export const ActionMenu = ({
  label,
  text,
  before,
  icon = 'open',
  actions,
  small = false,
  onOpenChange,
}: MenuProps) => (
  <MenuTrigger {...(onOpenChange && { onOpenChange })}>
    <Button
      aria-label={text === undefined ? label : `${text}, ${label}`}
      small={small}
      {...(text === undefined && { kind: 'quiet' as const })}
    >
      {before}
      {text === undefined ? <Icon of="more" /> : <span className="menu-text cut">{text}</span>}
      {text !== undefined && <Icon of={icon} size={14} />}
    </Button>
    <Popover className="popover">
      <AriaMenu
        className="menu"
        items={actions}
        onAction={(key) => actions.find(({ id }) => id === key)?.onAction()}
      >
        {({ id, name, isDisabled = false, isChosen = false }) => (
          <MenuItem id={id} textValue={name} isDisabled={isDisabled} className="menu-item">
            <span className="cut">{name}</span>
            {isChosen && <Icon of="check" size={14} />}
          </MenuItem>
        )}
      </AriaMenu>
    </Popover>
  </MenuTrigger>
);
