/** The runner protocol over HTTP. Source: contract 5, "Runner protocol". */
import { Elysia } from 'elysia'
import type { RunContext } from '../../../machines/run.ts'
import { getCheckpoint } from '../../../storage/runs/checkpoints.ts'
import { getStep } from '../../../storage/runs/steps.ts'
import type { Store } from '../../../storage/store.ts'
import { orNotFound } from '../../platform/http/answers/errors.ts'
import { doc } from '../../platform/http/doc.ts'
import type { AttemptNaming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { dataOf } from '../../platform/http/schema.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Actors } from '../../runtime/actors.ts'
import { presentCheckpoint, presentRun, presentStep } from '../present.ts'
import { type RunRecord, runAddress } from '../record.ts'
import type { CheckpointReport, StepStart } from '../runner/protocol/protocol.ts'
import { AgentRun, AgentStep, Checkpoint } from '../schema.ts'
import type { ModelCalls } from './gateway/model-calls.ts'
import { attemptModelRoutes } from './gateway/model-routes.ts'
import { attemptOperationRoutes } from './gateway/operation-routes.ts'
import type { AttemptOperations } from './gateway/operations.ts'
import type { Leasing } from './leasing/leasing.ts'
import type { AttemptReports } from './reports/attempt-reports.ts'
import { assertAwaited } from './reports/awaited-calls.ts'
import { completion } from './reports/completion.ts'
import { deltasOf } from './reports/deltas.ts'
import { ReportRepeats } from './reports/repeats.ts'
import { assertOwn, leasesAway, reporting } from './reports/reporting.ts'
import { assertSteps } from './reports/step-references.ts'
import * as shapes from './schema.ts'
import type { RunnerTokens } from './tokens.ts'

export interface RunnerRoutesParts {
  guarded: Guarded
  store: Store
  actors: Actors
  leasing: Leasing
  attemptReports: AttemptReports
  operations: AttemptOperations
  modelCalls: ModelCalls
  tokens: RunnerTokens
}

const checkpointBytesMax = 32 * 1024 * 1024
/** The limit on a step's content, equal to that of a model's answer. */
const stepBytesMax = 8 * 1024 * 1024

export function runnerRoutes(parts: RunnerRoutesParts) {
  const { guarded, store, actors, leasing, attemptReports, operations, modelCalls, tokens } = parts
  const repeats = new ReportRepeats(store, (claims) => attemptReports.assertCurrent(claims))
  const report = reporting(actors)
  const run = async (runId: string) => {
    const actor = orNotFound(await actors.read<RunRecord, RunContext>(runAddress(runId)))
    return presentRun(actor.row.row, actor.context)
  }
  const step = async (runId: string, agentStepId: number) => {
    const row = orNotFound(await store.first(getStep(store, { runId, agentStepId })))
    return presentStep(row)
  }

  const findStep = ({ attempt, params }: AttemptNaming<typeof shapes.AttemptStepPath>) => {
    assertOwn({ attempt, params })
    return step(params.agentRunId, params.agentStepId)
  }

  const ofAttempt = { runner: 'attempt', params: shapes.AttemptPath, find: assertOwn } as const
  const ofStep = { runner: 'attempt', params: shapes.AttemptStepPath, find: findStep } as const

  return new Elysia({ name: 'runner-protocol', prefix: '/api/v1', tags: ['Runner protocol'] })
    .use(guarded)
    .use(attemptOperationRoutes({ guarded, report, operations }))
    .use(attemptModelRoutes({ guarded, report, modelCalls }))
    .post(
      '/runner/leases',
      async ({ body, set, request, runner }) => {
        const given = await leasing.leaseBegun(body, request.signal, runner).catch((error) => {
          throw leasesAway(error)
        })
        if (!given) {
          set.status = 204
          return undefined as never
        }
        const { claims, expiresAt, assignment } = given
        const { attemptId, agentRunId, fencingToken } = claims
        return {
          data: {
            lease: { attemptId, agentRunId, fencingToken, expiresAt: timestamp(expiresAt) },
            attemptToken: await tokens.sign(claims),
            assignment: { ...assignment },
          },
        }
      },
      {
        runner: 'registration',
        body: shapes.LeaseBody,
        response: { 200: dataOf(shapes.LeaseAnswer) },
        errors: ['rate_limited'],
        detail: doc(
          'leaseAttempt',
          'Lease the next attempt',
          "Waits for a queued run that the token's pool may execute and leases a machine slot for it. Answers 204 if none " +
            'became available in time.',
          { responses: { 204: { description: 'No run is available.' } } },
        ),
      },
    )
    .group('/agent-runs/:agentRunId/attempts/:attemptId', (attempts) =>
      attempts
        .post(
          '/boot',
          ({ attempt, params }) =>
            report(attempt, params, async () => {
              await attemptReports.boot(attempt)
              return { data: await run(params.agentRunId) }
            }),
          {
            ...ofAttempt,
            reportPermission: 'agent-runs:attempts:heartbeat',
            response: { 200: dataOf(AgentRun) },
            errors: ['stale_attempt', 'not_found'],
            detail: doc(
              'bootAttempt',
              'Report that the runner has booted',
              "Moves the run to `running` and creates the attempt's root step.",
            ),
          },
        )
        .post(
          '/heartbeat',
          ({ attempt, params }) =>
            report(attempt, params, async () => {
              const { expiresAt, signal } = await attemptReports.heartbeat(attempt)
              return { data: { expiresAt: timestamp(expiresAt), signal } }
            }),
          {
            ...ofAttempt,
            reportPermission: 'agent-runs:attempts:heartbeat',
            body: shapes.HeartbeatBody,
            response: { 200: dataOf(shapes.HeartbeatAnswer) },
            errors: ['stale_attempt', 'not_found'],
            detail: doc(
              'beatAttempt',
              'Renew the lease',
              'Returns a signal for the runner: continue, stop because of a cancel, or hand the attempt back.',
            ),
          },
        )
        .post(
          '/events',
          ({ attempt, params, body, request }) =>
            report(attempt, params, async () => {
              const events = deltasOf(body)
              const named = events.map(({ agentStepId }, index): [number, string] => [
                agentStepId,
                `/body/events/${index}/agentStepId`,
              ])
              await assertSteps(store, params.agentRunId, new Map(named))
              await repeats.once<null>(attempt, request, events, async (remember) => {
                await attemptReports.deltas(attempt, events, remember)
                return null
              })
              return { data: { accepted: events.length } }
            }),
          {
            ...ofAttempt,
            reportPermission: 'agent-runs:steps:create',
            body: shapes.EventsBody,
            response: { 200: dataOf(shapes.EventsAnswer) },
            errors: ['stale_attempt', 'not_found'],
            detail: doc(
              'reportAttemptEvents',
              'Report streamed text',
              'Adds streamed text of open steps, in small groups and in order.',
            ),
          },
        )
        .post(
          '/complete',
          ({ attempt, params, body }) =>
            report(attempt, params, async () => {
              const outcome = completion(body)
              await assertAwaited(store, params.agentRunId, outcome, () => attemptReports.assertCurrent(attempt))
              await attemptReports.complete(attempt, outcome)
              return { data: await run(params.agentRunId) }
            }),
          {
            ...ofAttempt,
            reportPermission: 'agent-runs:attempts:complete',
            body: shapes.CompleteBody,
            bodyLimit: stepBytesMax,
            response: { 200: dataOf(AgentRun) },
            errors: ['stale_attempt', 'not_found'],
            detail: doc(
              'completeAttempt',
              'Report the outcome of the attempt',
              'Repeating the same report returns the same answer; a different report is a conflict.',
            ),
          },
        )
        .post(
          '/steps',
          ({ attempt, params, body, request }) =>
            report(attempt, params, async () => {
              const { input = null, parentAgentStepId: parent, ...rest } = body
              if (parent) await assertSteps(store, params.agentRunId, new Map([[parent, '/body/parentAgentStepId']]))
              const { agentStepId } = await repeats.once<{ agentStepId: number }>(
                attempt,
                request,
                body,
                async (remember) => {
                  const started = { ...rest, input, parentAgentStepId: parent ?? null } as StepStart
                  return attemptReports.startStep(attempt, started, remember)
                },
              )
              return { data: await step(params.agentRunId, agentStepId) }
            }),
          {
            ...ofAttempt,
            reportPermission: 'agent-runs:steps:create',
            body: shapes.StepBody,
            response: { 201: dataOf(AgentStep) },
            errors: ['stale_attempt', 'not_found', 'idempotency_key_reused'],
            detail: doc(
              'startAgentStep',
              'Start a step',
              'Starts a model, tool or delegate step under the root step of the attempt or under the step of a delegate.',
            ),
          },
        )
        .patch(
          '/steps/:agentStepId',
          ({ attempt, params, body }) =>
            report(attempt, params, async () => {
              await step(params.agentRunId, params.agentStepId)
              await attemptReports.endStep(attempt, params.agentStepId, body as never)
              return { data: await step(params.agentRunId, params.agentStepId) }
            }),
          {
            ...ofStep,
            reportPermission: 'agent-runs:steps:create',
            body: shapes.StepPatch,
            bodyLimit: stepBytesMax,
            response: { 200: dataOf(AgentStep) },
            errors: ['stale_attempt', 'not_found'],
            detail: doc('endAgentStep', 'End or suspend a step', 'A step that has ended does not change.'),
          },
        )
        .post(
          '/steps/:agentStepId/checkpoints',
          ({ attempt, params, body, request }) =>
            report(attempt, params, async () => {
              const { agentStepId } = params
              await step(params.agentRunId, agentStepId)
              const given = body as unknown as CheckpointReport
              const { checkpointId } = await repeats.once<{ checkpointId: number }>(
                attempt,
                request,
                { agentStepId, ...given },
                (remember) => attemptReports.checkpoint(attempt, agentStepId, given, remember),
              )
              const row = orNotFound(
                await store.first(getCheckpoint(store, { runId: params.agentRunId, checkpointId })),
              )
              return { data: presentCheckpoint(row) }
            }),
          {
            ...ofStep,
            reportPermission: 'agent-runs:steps:checkpoints:create',
            body: shapes.CheckpointBody,
            bodyLimit: checkpointBytesMax,
            response: { 201: dataOf(Checkpoint) },
            errors: ['stale_attempt', 'not_found'],
            detail: doc('writeCheckpoint', 'Write a checkpoint', 'Stores the state that a later attempt resumes from.'),
          },
        ),
    )
}
