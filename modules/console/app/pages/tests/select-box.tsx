interface SelectBoxProps {
  readonly label: string;
  readonly isSelected: boolean;
  readonly onToggle: () => void;
}

/** The box at the beginning of a row. It is a plain one: a table of thousands makes many of them. */
export const SelectBox = ({ label, isSelected, onToggle }: SelectBoxProps) => (
  <input
    type="checkbox"
    aria-label={label}
    checked={isSelected}
    onChange={onToggle}
    onClick={(event) => event.stopPropagation()}
    onDoubleClick={(event) => event.stopPropagation()}
  />
);
