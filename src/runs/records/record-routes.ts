/** Routes of transitions, steps and checkpoints. Source: requirement 4.14; contract 5. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { dataOf, nullable, Pagination, pageOf } from '../../platform/http/schema.ts'
import { CheckpointPath, RunPath, StepPath } from '../admission/request-schema.ts'
import { AgentStep, Checkpoint, Transition } from '../schema.ts'
import type { Runs } from '../service.ts'
import { StepListQuery } from './list-queries.ts'

const StepPage = Type.Object(
  {
    data: Type.Object({ items: Type.Array(AgentStep) }),
    pagination: Type.Object({
      ...Pagination.properties,
      totalCount: Type.Integer({ minimum: 0, description: 'The number of all steps; from depth 1 on, of root steps.' }),
    }),
  },
  { $id: 'AgentStepPage' },
)

const LatestCheckpoint = Type.Object(
  {
    checkpoint: Checkpoint,
    runtimeCheckpoint: Type.Object(
      {
        version: Type.Literal(1),
        messages: Type.Array(Type.Any(), { description: 'The conversation so far.' }),
        stepCount: Type.Integer({ minimum: 0, description: 'Model steps since the latest start or continue.' }),
        pendingToolCalls: Type.Array(Type.Any(), { description: 'Calls without a result.' }),
        chain: Type.Integer({
          minimum: 0,
          description: '1 for the start, one more for each continue; 0 of a fork whose message is not applied yet.',
        }),
        delegates: Type.Optional(
          Type.Record(
            Type.String(),
            Type.Object({
              messages: Type.Array(Type.Any()),
              stepCount: Type.Integer({ minimum: 0 }),
              pendingToolCalls: Type.Array(Type.Any()),
            }),
            { description: 'The conversations of active delegates, by the id of the call that each answers.' },
          ),
        ),
      },
      { description: 'The state that an attempt resumes from.' },
    ),
    stepPayload: nullable(AgentStep),
  },
  { $id: 'LatestCheckpoint', description: 'The latest checkpoint with its artifact.' },
)

export function recordRoutes({ guarded, runs }: { guarded: Guarded; runs: Runs }) {
  const { records, steps } = runs
  const findStep = ({ caller, params }: Naming<typeof StepPath>) =>
    steps.get(caller, params.agentRunId, params.agentStepId)
  return new Elysia({ name: 'agent-run-records', prefix: '/:agentRunId', tags: ['Agent runs'] })
    .use(guarded)
    .get('/transitions', ({ caller, params, query }) => records.transitions(caller, params.agentRunId, query), {
      permission: 'agent-runs:get',
      params: RunPath,
      find: runs.access.finderFor('agent-runs:get'),
      query: pageQuery,
      response: { 200: pageOf(Transition) },
      errors: ['invalid_cursor'],
      detail: doc('listAgentRunTransitions', 'List transitions', 'The lifecycle journal, oldest entry first.'),
    })
    .get('/steps', ({ caller, params, query }) => steps.list(caller, params.agentRunId, query), {
      permission: 'agent-runs:steps:list',
      params: RunPath,
      find: runs.access.finderFor('agent-runs:steps:list'),
      query: StepListQuery,
      response: { 200: StepPage },
      errors: ['invalid_cursor'],
      detail: doc('listAgentSteps', 'List steps', 'Steps, oldest first by default, flat or as a tree.'),
    })
    .get(
      '/steps/:agentStepId',
      async ({ caller, params }) => ({ data: await steps.get(caller, params.agentRunId, params.agentStepId) }),
      {
        permission: 'agent-runs:steps:get',
        params: StepPath,
        find: findStep,
        response: { 200: dataOf(AgentStep) },
        detail: doc('getAgentStep', 'Get a step', 'The step without its child steps.'),
      },
    )
    .get(
      '/steps/:agentStepId/checkpoints/:checkpointId',
      async ({ caller, params, set }) => {
        const { agentRunId, agentStepId, checkpointId } = params
        const data = await records.checkpoint(caller, agentRunId, agentStepId, checkpointId)
        set.headers.etag = `"${data.artifact.digest}"`
        return { data }
      },
      {
        permission: 'agent-runs:steps:checkpoints:get',
        params: CheckpointPath,
        find: ({ caller, params }: Naming<typeof CheckpointPath>) =>
          records.checkpoint(caller, params.agentRunId, params.agentStepId, params.checkpointId),
        response: { 200: dataOf(Checkpoint) },
        detail: doc(
          'getCheckpoint',
          "Get a checkpoint's artifact metadata",
          'The `ETag` is the digest of the artifact; HEAD has the same headers.',
        ),
      },
    )
    .get('/checkpoints', ({ caller, params, query }) => records.checkpoints(caller, params.agentRunId, query), {
      permission: 'agent-runs:checkpoints:list',
      params: RunPath,
      find: runs.access.finderFor('agent-runs:checkpoints:list'),
      query: pageQuery,
      response: { 200: pageOf(Checkpoint) },
      errors: ['invalid_cursor'],
      detail: doc(
        'listCheckpoints',
        'List checkpoints',
        'Lists the stored checkpoints, newest first. The last one, checkpoint 0, is the input of the run.',
      ),
    })
    .get(
      '/checkpoints/latest',
      async ({ caller, params }) => ({ data: await records.latestCheckpoint(caller, params.agentRunId) }),
      {
        permission: 'agent-runs:steps:checkpoints:get',
        params: RunPath,
        find: ({ caller, params }: Naming<typeof RunPath>) => records.latestCheckpoint(caller, params.agentRunId),
        response: { 200: dataOf(LatestCheckpoint) },
        detail: doc(
          'getLatestCheckpoint',
          'Get the latest checkpoint',
          'Returns the checkpoint that a continue would resume from, with its artifact and step. Initially it is ' +
            'checkpoint 0, the input, which belongs to no step: `stepPayload` is null.',
        ),
      },
    )
}
