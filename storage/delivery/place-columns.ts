/** The columns of the Environment and the Project in which something uses a resource; the query joins both tables. */
export const placeColumns = [
  'projects.id as project_id',
  'projects.slug as project_slug',
  'environments.id as environment_id',
  'environments.kind as environment_kind',
] as const
