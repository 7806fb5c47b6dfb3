/** What a page calls a resource whose name comes from a list. */
import type { Resource } from './resource.ts'

/**
 * The name; an ellipsis while its list loads, since an ID is wider and rows would move. Without permission, and once it is
 * deleted, the ID.
 */
export const nameOrId = (list: Pick<Resource<unknown>, 'loading'>, name: string | undefined, id: string): string =>
  name ?? (list.loading ? '…' : id)
