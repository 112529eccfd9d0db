import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Button } from './button.tsx';

interface MenuAction {
  readonly id: string;
  readonly name: string;
  readonly isDisabled?: boolean;
  readonly onAction: () => void;
}

interface MenuProps {
  readonly label: string;
  /** What stands on the button, if it is another text than its label. */
  readonly text?: string;
  readonly actions: readonly MenuAction[];
  readonly small?: boolean;
}

/** A button that opens a list of actions. */
export const ActionMenu = ({ label, text, actions, small = false }: MenuProps) => (
  <MenuTrigger>
    <Button
      aria-label={text === undefined ? label : `${text}, ${label}`}
      small={small}
      {...(text === undefined && { kind: 'quiet' as const })}
    >
      {text ?? '⋯'}
    </Button>
    <Popover className="popover">
      <AriaMenu
        className="menu"
        items={actions}
        onAction={(key) => actions.find(({ id }) => id === key)?.onAction()}
      >
        {({ id, name, isDisabled = false }) => (
          <MenuItem id={id} textValue={name} isDisabled={isDisabled} className="menu-item">
            {name}
          </MenuItem>
        )}
      </AriaMenu>
    </Popover>
  </MenuTrigger>
);
