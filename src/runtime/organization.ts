/** The organization that owns the unit of work of a move. */

interface Owned {
  organization_id?: string | null
}

/** The organization of an actor's row, or of the row nested in it; undefined if the actor belongs to none. */
export const organizationOf = (row: unknown): string | undefined =>
  (row as Owned | undefined)?.organization_id ?? (row as { row?: Owned } | undefined)?.row?.organization_id ?? undefined
