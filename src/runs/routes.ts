/** Agent runs over HTTP. Source: requirement 4.14; contract 5. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { invalid } from '../platform/http/answers/errors.ts'
import { referredTo } from '../platform/http/answers/references.ts'
import { doc } from '../platform/http/doc.ts'
import type { Caller } from '../platform/http/guard/caller.ts'
import type { Guarded } from '../platform/http/guard/guarded.ts'
import type { Admission } from '../platform/http/guard/open-stream.ts'
import { dataOf, IdempotencyHeader, Pagination } from '../platform/http/schema.ts'
import { readFiles } from './admission/attachments.ts'
import {
  ContinueBody,
  DelegateResultBody,
  OutcomeQuery,
  RunPath,
  StartBody,
  StartForm,
} from './admission/request-schema.ts'
import { CancelQuery } from './control/requests.ts'
import { forkRoutes } from './forks/routes.ts'
import { logRoutes } from './logs/routes.ts'
import { runAnswer } from './records/answer.ts'
import { RunListQuery } from './records/list-queries.ts'
import { type OutcomeQuery as OutcomeOptions, ownTurnIn } from './records/outcome.ts'
import { recordRoutes } from './records/record-routes.ts'
import { AgentRun } from './schema.ts'
import type { Runs } from './service.ts'
import { statisticsRoutes } from './statistics/routes.ts'
import { changesRoutes } from './stream/changes/routes.ts'
import { streamRoutes } from './stream/routes.ts'

interface RunRoutesParts {
  guarded: Guarded
  runs: Runs
}

const mebibyte = 1024 * 1024

const isThread = <Query extends { threadKey?: string }>(query: Query): query is Query & { threadKey: string } =>
  query.threadKey !== undefined

/** Throws `validation_failed` (422) for an `ifBusy` without a conversation that could be busy. */
function assertThreaded({ ifBusy, threadKey }: { ifBusy?: string; threadKey?: string }): void {
  if (ifBusy === undefined || threadKey !== undefined) return
  const message = 'Is about the run of a `threadKey`: send one, or omit this; without it every start is a new run.'
  throw invalid([{ path: '/body/ifBusy', message }])
}

const isWaiting = ({ waitSeconds = 0 }: OutcomeOptions) => waitSeconds > 0

/** Whether the request waits or includes more than the run. */
const isPatient = (query: OutcomeOptions) => isWaiting(query) || (query.include ?? []).length > 0

export function runRoutes({ guarded, runs }: RunRoutesParts) {
  /** Reads a run with the options of the request. */
  const patient = async (
    caller: Caller,
    admission: Admission,
    runId: string,
    query: OutcomeOptions,
    signal: AbortSignal,
  ) => {
    const place = await runs.outcomes.takePlace(admission, query, 'agent-runs:get', runId)
    try {
      return await runs.outcomes.answer(caller, runId, 'agent-runs:get', query, { place, signal })
    } finally {
      place?.release()
    }
  }

  return new Elysia({ name: 'agent-runs', prefix: '/api/v1/agent-runs', tags: ['Agent runs'] })
    .use(guarded)
    .get('', ({ caller, query }) => runs.lists.list(caller, query), {
      permission: 'agent-runs:list',
      query: RunListQuery,
      response: {
        200: Type.Object({ agentRuns: Type.Array(AgentRun), pagination: Pagination }, { $id: 'AgentRunPage' }),
      },
      errors: ['invalid_cursor', 'unsupported_filter'],
      detail: doc(
        'listAgentRuns',
        'List runs',
        'Lists the runs that the credential can access, newest first by default. All filters and orders can be combined; ' +
          'where no index has the combination, a page may be short although `hasMore` is true.',
      ),
    })
    .post(
      '',
      async ({ caller, admission, body, query, request, server, set, requestId, record }) => {
        const { outcomes } = runs
        outcomes.assertMayAsk(caller, query)
        const { files, ...asked } = 'files' in body ? body : { ...body, files: undefined }
        assertThreaded(asked)
        const context = { request, set, requestId, record }
        // checked first: a 429 means that no run was started
        const place = isWaiting(query) ? await outcomes.takePlace(admission, query, 'agent-runs:create') : undefined
        try {
          const begin = isThread(asked) ? runs.conversations.startOf(asked) : undefined
          const starting = runs.starts.answer(context, caller, asked, files && (await readFiles(files)), begin)
          const named = asked.environmentId === undefined ? 'Agent' : 'Agent in this Environment'
          const started = await referredTo(starting, named, '/body/agentId')
          if (!isPatient(query) || !('data' in started)) return started
          const { id } = started.data
          if (place) place.runId = id
          server?.timeout(request, 0)
          const waits = outcomes.isWorthwhile(started.data, query) ? place : undefined
          const patience = { place: waits, signal: request.signal, own: ownTurnIn(started.data) }
          return await outcomes.answer(caller, id, 'agent-runs:create', query, patience)
        } finally {
          place?.release()
        }
      },
      {
        permission: 'agent-runs:create',
        streaming: true,
        resource: 'agentRun',
        query: OutcomeQuery,
        headers: IdempotencyHeader,
        body: Type.Union([StartBody, StartForm]),
        consumes: {
          'application/json': { schema: StartBody, bytesMax: 15 * mebibyte },
          'multipart/form-data': { schema: StartForm, bytesMax: 11 * mebibyte },
        },
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
          'invalid_subject',
          'budget_exhausted',
          'limit_exceeded',
          'too_many_streams',
          'project_paused',
          'no_active_deployment',
          'agent_not_deployed',
          'run_busy',
          'invalid_transition',
          'concurrent_change',
          'not_found',
        ],
        detail: doc(
          'startAgentRun',
          'Start a run',
          'Stores the run and returns; a runner then executes it. The agent and its revision are resolved now and ' +
            'stay fixed: an Agent of a Project, its operations, Connections and variables come from the active Deployment of ' +
            'the Environment. After a 429, a 503 or a lost answer, send the same request with the same `Idempotency-Key`.',
        ),
      },
    )
    .get(
      '/:agentRunId',
      ({ caller, admission, params, query, request, server }) => {
        if (isPatient(query)) {
          server?.timeout(request, 0)
          return patient(caller, admission, params.agentRunId, query, request.signal)
        }
        const found = runs.access.find(caller, params.agentRunId, 'agent-runs:get')
        return (found instanceof Promise ? found.then(runAnswer) : runAnswer(found)) as never
      },
      {
        permission: 'agent-runs:get',
        streaming: true,
        params: RunPath,
        query: OutcomeQuery,
        find: runs.access.finderFor('agent-runs:get'),
        response: { 200: dataOf(AgentRun) },
        errors: ['limit_exceeded', 'too_many_streams'],
        detail: doc(
          'getAgentRun',
          'Get a run',
          'Returns the run. With `waitSeconds`, responds when the run has ended or waits for input, and counts as an open ' +
            'stream until then. With `include=output`, includes the output.',
        ),
      },
    )
    .post(
      '/:agentRunId/cancel',
      ({ caller, params, query, request, set, requestId, record }) => {
        const as = query.force ? { force: true } : {}
        return runs.control.cancel({ request, set, requestId, record }, caller, params.agentRunId, as)
      },
      {
        permission: 'agent-runs:cancel',
        keysOnly: true,
        resource: 'agentRun',
        params: RunPath,
        find: runs.access.finderFor('agent-runs:cancel'),
        query: CancelQuery,
        headers: IdempotencyHeader,
        response: { 200: dataOf(AgentRun) },
        errors: [
          'invalid_idempotency_key',
          ['idempotency_key_reused', 422],
          'idempotency_in_progress',
          'invalid_transition',
        ],
        detail: doc(
          'cancelAgentRun',
          'Cancel a run',
          'A running run becomes `canceling` and stops after its current step; any other active run is canceled at once, ' +
            'as is every one with `force=true`. Repeating the request is safe. A run that has already ended otherwise is a conflict. Requires an API key.',
        ),
      },
    )
    .post(
      '/:agentRunId/continue',
      ({ caller, params, body, request, set, requestId, record }) =>
        runs.control.continue({ request, set, requestId, record }, caller, params.agentRunId, body),
      {
        permission: 'agent-runs:continue',
        resource: 'agentRun',
        hidden: true,
        params: RunPath,
        find: runs.access.finderFor('agent-runs:continue'),
        headers: IdempotencyHeader,
        body: ContinueBody,
        response: { 200: dataOf(AgentRun) },
        errors: [
          'invalid_idempotency_key',
          ['idempotency_key_reused', 422],
          'idempotency_in_progress',
          'empty_input',
          'provider_unconfigured',
          'invalid_model',
          'run_awaiting_external_result',
          'budget_exhausted',
          'limit_exceeded',
          'project_paused',
          'invalid_transition',
          'concurrent_change',
        ],
        detail: doc(
          'continueAgentRun',
          'Continue a run',
          'Continues from the latest checkpoint with a new message, or with the results of pending tool calls. Without a ' +
            'provider the run keeps its credential. An active or expired run is a conflict, as is one whose content was ' +
            'removed. An ended run of a paused Project or of a disabled System Agent begins no new turn.',
        ),
      },
    )
    .post(
      '/:agentRunId/start-now',
      ({ caller, params, record }) => runs.control.startNow(caller, params.agentRunId, record),
      {
        permission: 'agent-runs:update',
        resource: 'agentRun',
        params: RunPath,
        find: runs.access.finderFor('agent-runs:update'),
        response: { 200: dataOf(AgentRun) },
        errors: ['invalid_transition'],
        detail: doc(
          'startAgentRunNow',
          'Start a run now',
          'For a run whose start was put off (`startAt`). A queued run that may start already does not change, so that ' +
            'repeating the request is safe. A run that has started or ended is a conflict.',
        ),
      },
    )
    .post(
      '/:agentRunId/delegate-results',
      ({ caller, params, body, record }) => runs.control.delegateResult(caller, params.agentRunId, body, record),
      {
        permission: 'agent-runs:update',
        resource: 'agentRun',
        params: RunPath,
        find: runs.access.finderFor('agent-runs:update'),
        body: DelegateResultBody,
        response: { 200: dataOf(AgentRun) },
        errors: ['invalid_transition'],
        detail: doc(
          'giveDelegateResult',
          "Submit an external delegate's result",
          'The run continues once no call is pending.',
        ),
      },
    )
    .use(forkRoutes({ guarded, runs }))
    .use(changesRoutes({ guarded, changes: runs.changes }))
    .use(statisticsRoutes({ guarded, statistics: runs.statistics }))
    .use(recordRoutes({ guarded, runs }))
    .use(streamRoutes({ guarded, streams: runs.streams, access: runs.access }))
    .use(logRoutes({ guarded, logs: runs.logs, streams: runs.streams, access: runs.access }))
}
