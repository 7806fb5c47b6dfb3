/** An actor's journal as a list of the API. Source: contract 5, `Transition`; contract 2, `GET {P}/transitions`. */
import { listTransitions } from '../../storage/runtime/journal.ts'
import type { Store } from '../../storage/store.ts'
import type { Cursors } from '../platform/http/cursor.ts'
import { type PageRequest, readLargePage } from '../platform/http/pagination.ts'
import type { Address } from './kind.ts'
import { presentTransition } from './transition.ts'

/** A page of the journal, ascending. The caller's access must be checked before. Throws `invalid_cursor` (422). */
export function readJournal(
  { store, cursors }: { store: Store; cursors: Cursors },
  organizationId: string,
  { kind, id }: Address,
  request: PageRequest,
) {
  const scope = { list: `${kind}-transitions`, organizationId, filters: { id } }
  return readLargePage(
    { cursors, scope },
    request,
    (last, limit) => listTransitions(store, { kind, actorId: id, after: Number(last?.[0] ?? 0), limit }),
    ({ sequence }) => [sequence],
    presentTransition,
  )
}
