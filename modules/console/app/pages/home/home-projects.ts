/** Projects whose runs Home shows. */
const mostProjects = 6;

interface Listed {
  readonly isActive: boolean;
  readonly updatedAt: string;
}

/** The projects that changed last: each is a call. */
export const projectsOfHome = <P extends Listed>(projects: readonly P[]): readonly P[] =>
  projects
    .filter(({ isActive }) => isActive)
    .toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))
    .slice(0, mostProjects);
