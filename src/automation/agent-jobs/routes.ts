/** The routes of agent jobs. Source: requirement 5; contract 6, Jobs. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { creating, keyErrorsWithConflict } from '../../platform/http/changes/creations.ts'
import type { Idempotency } from '../../platform/http/changes/idempotency.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import { pageQueryByName } from '../../platform/http/pagination.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { dataOf, IdempotencyHeader, pageOf } from '../../platform/http/schema.ts'
import { AgentJob, JobChanges, JobPath, JobRun, NewJob } from './schema.ts'
import { type JobParts, Jobs } from './service.ts'

const resource = 'agentJob'

export function jobRoutes({
  guarded,
  idempotency,
  ...parts
}: JobParts & { guarded: Guarded; idempotency: Idempotency }) {
  const create = creating(idempotency)
  const jobs = new Jobs(parts)
  const findFor =
    (permission: Permission) =>
    ({ caller, params }: Naming<typeof JobPath>) =>
      jobs.find(caller, params, permission)
  return new Elysia({
    name: 'agent-jobs',
    prefix: '/api/v1/projects/:projectId/environments/:environmentId/agent-jobs',
    tags: ['Jobs'],
  })
    .use(guarded)
    .get('', ({ caller, params, query }) => jobs.list(caller, params, query), {
      permission: 'agent-jobs:list',
      params: EnvironmentPath,
      query: pageQueryByName,
      response: { 200: pageOf(AgentJob) },
      errors: ['invalid_cursor'],
      detail: doc(
        'listAgentJobs',
        'List agent jobs',
        'Newest first; a key that is bound to an Agent gets the jobs of that Agent.',
      ),
    })
    .post(
      '',
      (context) =>
        create(context, {
          status: 201,
          work: ({ caller, params, body }, record) => jobs.create(caller, params, body, record),
        }),
      {
        permission: 'agent-jobs:create',
        resource,
        params: EnvironmentPath,
        body: NewJob,
        headers: IdempotencyHeader,
        response: { 201: dataOf(AgentJob) },
        errors: [...keyErrorsWithConflict, 'limit_exceeded', 'schema_too_costly', 'schema_not_supported'],
        detail: doc(
          'createAgentJob',
          'Create an agent job',
          'Each tick sends the query to the Agent in the Deployment that is active then, or starts its workflow there. A local time skipped because ' +
            'clocks go forward becomes the first instant after the gap; one that occurs twice counts once. An Environment ' +
            'has at most 200 jobs.',
        ),
      },
    )
    .get('/:jobId', async ({ caller, params }) => ({ data: await jobs.get(caller, params) }), {
      permission: 'agent-jobs:get',
      params: JobPath,
      find: findFor('agent-jobs:get'),
      response: { 200: dataOf(AgentJob) },
      detail: doc('getAgentJob', 'Get an agent job', 'Includes its last ticks.'),
    })
    .patch(
      '/:jobId',
      async ({ caller, params, body, record }) => ({ data: await jobs.change(caller, params, body, record) }),
      {
        permission: 'agent-jobs:update',
        resource,
        params: JobPath,
        find: findFor('agent-jobs:update'),
        body: JobChanges,
        response: { 200: dataOf(AgentJob) },
        errors: ['schema_too_costly', 'schema_not_supported'],
        detail: doc(
          'updateAgentJob',
          'Change an agent job',
          'A new schedule, or one that is enabled again, counts from now: missed ticks are not caught up. A tick ' +
            'that is being handled is not affected.',
        ),
      },
    )
    .delete('/:jobId', ({ caller, params, record }) => jobs.remove(caller, params, record), {
      permission: 'agent-jobs:delete',
      resource,
      params: JobPath,
      find: findFor('agent-jobs:delete'),
      response: { 204: Type.Void() },
      detail: doc('deleteAgentJob', 'Delete an agent job', 'Its runs remain, and a running one continues.'),
    })
    .post(
      '/:jobId/run-now',
      // names what it takes: a body would be parsed if it took the whole context
      ({ caller, params, route, request, set, requestId, record }) =>
        create(
          { caller, params, route, request, set, requestId, record, body: null },
          {
            status: 202,
            work: async (_, record) => (await jobs.runNow(caller, params, record)) as JobRun,
          },
        ),
      {
        permission: 'agent-jobs:run-now',
        resource: 'agentRun',
        params: JobPath,
        headers: IdempotencyHeader,
        find: findFor('agent-jobs:run-now'),
        response: { 202: dataOf(JobRun) },
        errors: [
          ...keyErrorsWithConflict,
          'provider_unconfigured',
          'invalid_model',
          'budget_exhausted',
          'project_paused',
          'no_active_deployment',
          'agent_not_deployed',
          'concurrent_change',
          'deletion_in_progress',
          'limit_exceeded',
          'schema_too_costly',
          'schema_not_supported',
        ],
        detail: doc(
          'runAgentJobNow',
          'Run an agent job now',
          'Starts a run at once, even if the job is disabled or another run of it is live; the schedule does not change. The ' +
            'creator of the run is the caller, and the run has the `agentJobId`.',
        ),
      },
    )
}
