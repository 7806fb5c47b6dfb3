/** An actor's journal as a list of the API. Source: contract 5, `Transition`; contract 2, `GET {P}/transitions`. */
import { Type } from '@sinclair/typebox'
import { listTransitions } from '../../storage/runtime/actors.ts'
import type { Store } from '../../storage/store.ts'
import type { TransitionRow } from '../../storage/tables.ts'
import type { Cursors } from '../platform/http/cursor.ts'
import { type PageRequest, readLargePage } from '../platform/http/pagination.ts'
import { nullable, oneOf, Timestamp } from '../platform/http/schema.ts'
import type { Address } from './kind.ts'
import { type Transition as PresentedTransition, presentTransition } from './transition.ts'

export const Transition = Type.Unsafe<PresentedTransition>(
  Type.Object(
    {
      sequence: Type.Integer({ minimum: 1, description: '1, 2, 3 … without gaps.' }),
      from: nullable(Type.String({ description: 'The state before; null at the beginning.' })),
      to: Type.String({ description: 'The state after; equal to `from` when it stayed.' }),
      event: Type.String({ description: 'What moved it.' }),
      actor: Type.Object({
        type: oneOf(['user', 'apiKey', 'system', 'runner', 'agentJob', 'workflow']),
        id: Type.String(),
      }),
      attempt: Type.Integer(),
      reason: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
      at: Timestamp(),
    },
    { $id: 'Transition', description: 'One entry of the journal of an actor.' },
  ),
)

/** A page of the journal, ascending. Whether the caller may see it is settled before. Throws `invalid_cursor` (422). */
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
    (last, limit) =>
      store.all<TransitionRow>(listTransitions(store, { kind, actorId: id, after: Number(last?.[0] ?? 0), limit })),
    ({ sequence }) => [sequence],
    presentTransition,
  )
}
