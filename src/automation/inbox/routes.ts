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
        'Get the inbox',
        'Everything that needs attention in the Environments that the credential can read, newest first, with a count for ' +
          'each kind. A kind is included if the caller has the permission to read its resources; without any of these ' +
          'permissions the answer is 403. A key that is bound to an Agent is rejected, because items are not counted by ' +
          'Agent.',
      ),
    })
}
