/** The route of events that workflows wait for. Source: contract 14, "Workflows". */
import { Elysia } from 'elysia'
import { creating, keyErrorsWithConflict } from '../../platform/http/changes/creations.ts'
import type { Idempotency } from '../../platform/http/changes/idempotency.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { dataOf, IdempotencyHeader } from '../../platform/http/schema.ts'
import { NewWorkflowEvent, WorkflowEvent, WorkflowEvents } from './events.ts'
import type { WorkflowParts } from './service.ts'

export function workflowEventRoutes({
  guarded,
  idempotency,
  ...parts
}: WorkflowParts & { guarded: Guarded; idempotency: Idempotency }) {
  const events = new WorkflowEvents(parts)
  const create = creating(idempotency)
  return new Elysia({
    name: 'workflow-events',
    prefix: '/api/v1/projects/:projectId/environments/:environmentId/workflow-events',
    tags: ['Workflows'],
  })
    .use(guarded)
    .post(
      '',
      (context) =>
        create(context, {
          status: 202,
          work: ({ caller, params, body }, record) => events.accept(caller, params, body, record),
        }),
      {
        permission: 'agents:manage-workflows',
        resource: 'workflowEvent',
        params: EnvironmentPath,
        body: NewWorkflowEvent,
        headers: IdempotencyHeader,
        response: { 202: dataOf(WorkflowEvent) },
        errors: [...keyErrorsWithConflict, 'limit_exceeded', 'deletion_in_progress'],
        detail: doc(
          'sendWorkflowEvent',
          'Send an event to workflows',
          'It goes to every run of the Environment with a step that waits for it (`waitFor`), and is the output of that step. If ' +
            'none waits it is kept for 24 hours, and given to the first step that waits for it then; an Environment keeps 2,000.',
        ),
      },
    )
}
