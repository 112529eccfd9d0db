interface SelectBoxProps {
  readonly label: string;
  readonly isSelected: boolean;
  readonly onToggle: () => void;
}

/** The box at the beginning of a row; Space does the same. It is a plain one: a table of thousands makes many of them. */
export const SelectBox = ({ label, isSelected, onToggle }: SelectBoxProps) => (
  <label className="select-box" onClick={(event) => event.stopPropagation()}>
    <input type="checkbox" tabIndex={-1} aria-label={label} checked={isSelected} onChange={onToggle} />
  </label>
);
