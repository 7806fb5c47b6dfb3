/** The fork of a run over HTTP. Source: contract 14, "Fork". */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { dataOf, IdempotencyHeader, omissible } from '../../platform/http/schema.ts'
import { RunPath } from '../admission/request-schema.ts'
import { AgentRun } from '../schema.ts'
import type { Runs } from '../service.ts'
import { ForkBody } from './schema.ts'

const mebibyte = 1024 * 1024

export const forkRoutes = ({ guarded, runs: { access, forks } }: { guarded: Guarded; runs: Runs }) =>
  new Elysia({ name: 'agent-run-forks', prefix: '/:agentRunId', tags: ['Agent runs'] })
    .use(guarded)
    .post(
      '/fork',
      ({ caller, params, body, request, set, requestId, record }) =>
        forks.answer({ request, set, requestId, record }, caller, params.agentRunId, body),
      {
        permission: 'agent-runs:create',
        resource: 'agentRun',
        params: RunPath,
        find: access.finderFor('agent-runs:create'),
        headers: IdempotencyHeader,
        body: omissible(ForkBody),
        consumes: { 'application/json': { schema: ForkBody, bytesMax: 15 * mebibyte } },
        response: { 200: dataOf(AgentRun) },
        errors: [
          'invalid_idempotency_key',
          ['idempotency_key_reused', 422],
          'idempotency_in_progress',
          'empty_input',
          'attachment_too_large',
          'unsupported_attachment',
          'provider_unconfigured',
          'invalid_model',
          'budget_exhausted',
          'limit_exceeded',
          'project_paused',
          'agent_not_deployed',
          'invalid_transition',
          'concurrent_change',
        ],
        detail: doc(
          'forkAgentRun',
          'Fork a run',
          'Starts a new run that goes on from a checkpoint of this one, with the same revision and Deployment. This run is ' +
            'not changed, and may be active. What it did before the checkpoint is not repeated; a tool call that was open ' +
            'there is made again by the fork. At a `final` checkpoint a query or messages are required; at a `suspended` ' +
            'one the fork waits for the same call, unless the query answers it. A run whose content was removed is a conflict.',
        ),
      },
    )
