/** The routes of workflow runs. Source: requirement 4.4; contract 6. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { dataOf, pageOf } from '../../platform/http/schema.ts'
import { Transition } from '../../runtime/transition.ts'
import {
  ActorQuery,
  NewWorkflowRun,
  UnknownResolution,
  WorkflowRun,
  WorkflowRunListQuery,
  WorkflowRunPath,
  WorkflowRunSummary,
} from './schema.ts'
import { type WorkflowParts, Workflows } from './service.ts'
import type { WorkflowStarts } from './start.ts'

const permission = 'agents:manage-workflows'
const resource = 'workflowRun'
const run = dataOf(WorkflowRun)

interface WorkflowRoutesParts extends WorkflowParts {
  guarded: Guarded
  workflowStarts: WorkflowStarts
}

export function workflowRoutes({ guarded, workflowStarts, ...parts }: WorkflowRoutesParts) {
  const workflows = new Workflows(parts)
  const find = ({ caller, params }: Naming<typeof WorkflowRunPath>) => workflows.assertThere(caller, params)
  return new Elysia({
    name: 'workflows',
    prefix: '/api/v1/projects/:projectId/environments/:environmentId/workflows',
    tags: ['Workflows'],
  })
    .use(guarded)
    .get('', ({ caller, params, query }) => workflows.list(caller, params, query), {
      permission,
      params: EnvironmentPath,
      query: WorkflowRunListQuery,
      response: { 200: pageOf(WorkflowRunSummary) },
      errors: ['invalid_subject'],
      detail: doc(
        'listWorkflowRuns',
        'List runs of workflows',
        'Newest first. Runs for a user are listed only if the request names that user.',
      ),
    })
    .post(
      '',
      async ({ caller, params, body, record, set }) => {
        const { data, hasEnded } = await workflowStarts.start(caller, params, body, record)
        set.status = hasEnded ? 200 : 202
        return { data }
      },
      {
        permission,
        resource,
        params: EnvironmentPath,
        body: NewWorkflowRun,
        response: { 200: run, 202: run },
        errors: [
          'limit_exceeded',
          'invalid_subject',
          'no_active_deployment',
          'agent_not_deployed',
          'project_paused',
          'request_key_mismatch',
          'schema_too_costly',
          'schema_not_supported',
          'deletion_in_progress',
          'concurrent_change',
        ],
        detail: doc(
          'startWorkflowRun',
          'Start a workflow',
          'Stores the run and answers 202; its steps run in the background. A repeated request with the same `requestKey` ' +
            'finds the same run: 200 once it has ended.',
        ),
      },
    )
    .get(
      '/:workflowRunId',
      async ({ caller, params, query }) => ({ data: await workflows.get(caller, params, query.actorUserId) }),
      {
        permission,
        params: WorkflowRunPath,
        find,
        query: ActorQuery,
        response: { 200: run },
        errors: ['invalid_subject'],
        detail: doc('getWorkflowRun', 'Get a run of a workflow'),
      },
    )
    .get('/:workflowRunId/transitions', ({ caller, params, query }) => workflows.transitions(caller, params, query), {
      permission,
      params: WorkflowRunPath,
      find,
      query: Type.Object({ ...pageQuery.properties, ...ActorQuery.properties }),
      response: { 200: pageOf(Transition) },
      errors: ['invalid_subject'],
      detail: doc('listWorkflowRunTransitions', "List a run's moves", 'The journal of its statechart, ascending.'),
    })
    .post(
      '/:workflowRunId/cancel',
      async ({ caller, params, query, record }) => ({
        data: await workflows.cancel(caller, params, query.actorUserId, record),
      }),
      {
        permission,
        resource,
        params: WorkflowRunPath,
        find,
        query: ActorQuery,
        response: { 200: run },
        errors: ['invalid_subject'],
        detail: doc(
          'cancelWorkflowRun',
          'Cancel a run of a workflow',
          'No more steps start, approvals are withdrawn, and running steps complete (`canceling`). A run ' +
            'that has ended does not change.',
        ),
      },
    )
    .post(
      '/:workflowRunId/resolve-unknown',
      async ({ caller, params, query, body, record }) => ({
        data: await workflows.resolveUnknown(caller, params, body, query.actorUserId, record),
      }),
      {
        permission,
        resource,
        params: WorkflowRunPath,
        find,
        query: ActorQuery,
        body: UnknownResolution,
        response: { 200: run },
        errors: [
          'invalid_subject',
          'schema_too_costly',
          'schema_not_supported',
          'invalid_transition',
          'project_paused',
          'limit_exceeded',
          'deletion_in_progress',
          'concurrent_change',
        ],
        detail: doc(
          'resolveUnknownWorkflowStep',
          'Resolve an unknown step',
          'A step is `unknown` if it is not idempotent and its result was lost or cannot be used. Its invocation is resolved too. Once ' +
            'all unknown steps are resolved, `resume` continues the run; `failed` fails it at once, unless the step has `continue`.',
        ),
      },
    )
    .post(
      '/:workflowRunId/resume',
      async ({ caller, params, query, record }) => ({
        data: await workflows.resume(caller, params, query.actorUserId, record),
      }),
      {
        permission,
        resource,
        params: WorkflowRunPath,
        find,
        query: ActorQuery,
        response: { 200: run },
        errors: [
          'invalid_subject',
          'invalid_transition',
          'project_paused',
          'limit_exceeded',
          'deletion_in_progress',
          'concurrent_change',
        ],
        detail: doc(
          'resumeWorkflowRun',
          'Resume a run of a workflow',
          'Continues a failed run, or one whose unknown steps are resolved, with the steps that have not succeeded. ' +
            'Succeeded steps are not repeated.',
        ),
      },
    )
}
