/** The route of the inbox. */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { type BudgetParts, budgetOf } from '../budget.ts'
import { permissionOfKind } from './kinds.ts'
import { InboxPage, InboxQuery } from './schema.ts'
import { Inbox, type InboxParts } from './service.ts'

type InboxRouteParts = Omit<InboxParts, 'budgetOf'> & { guarded: Guarded; billing: BudgetParts }

export function inboxRoutes({ guarded, billing, ...parts }: InboxRouteParts) {
  const inbox = new Inbox({ ...parts, budgetOf: budgetOf(billing) })
  return new Elysia({ name: 'inbox', prefix: '/api/v1', tags: ['Inbox'] })
    .use(guarded)
    .get('/inbox', ({ caller, query }) => inbox.read(caller, query), {
      permission: 'agent-runs:get',
      orPermissions: [...new Set([...Object.values(permissionOfKind), 'agents:manage-workflows' as const])],
      query: InboxQuery,
      response: { 200: InboxPage },
      errors: ['invalid_cursor', 'not_found'],
      detail: doc(
        'getInbox',
        'What needs somebody',
        'What waits for a person in all Environments that the credential may read, the latest first, and how much of each ' +
          'kind there is. A kind is shown to whoever has the permission that reads its things; without any of these ' +
          'permissions it is 403. A key that is bound to an Agent is refused: counts do not tell Agents apart.',
      ),
    })
}
