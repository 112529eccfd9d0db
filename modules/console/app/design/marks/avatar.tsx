import { hueOf, initialsOf } from './initials.ts';

interface AvatarProps {
  readonly name: string;
  /** Of the user: it decides on the hue. */
  readonly id: number;
}

/**
 * The initials of a person, beside the name or with the name under the pointer. Screen readers hear the name, which stands beside it: the letters are
 * drawn by the style, so that no text of a button is missing in its name.
 */
export const Avatar = ({ name, id }: AvatarProps) => (
  <span
    className={`avatar hue-${hueOf(id)}`}
    title={name}
    aria-hidden="true"
    data-initials={initialsOf(name)}
  />
);

/** A person in a row: the initials and the name. */
export const PersonName = ({ name, id }: AvatarProps) => (
  <span className="person">
    <Avatar name={name} id={id} />
    <span className="cut">{name}</span>
  </span>
);
