/** The events and the queries of the streams of runs, for the API document. Source: contract 5, "Stream". */
import { type TSchema, Type } from '@sinclair/typebox'
import { Revoked, SentEvent } from '../../platform/http/event-stream.ts'
import { agentFilter, Id, idFilter, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { Cost, RunLimits } from '../../platform/models/prices/schema.ts'
import { AgentRun, AgentStep, Awaiting, Checkpoint, Transition } from '../schema.ts'
import { type StreamType, streamTypes } from './render.ts'

const event = (type: StreamType, data: TSchema) =>
  SentEvent(
    type,
    Type.Object({
      sequence: Type.Integer({ minimum: 0, description: '1, 2, 3 … over attempts and continues.' }),
      at: Timestamp(),
      attempt: Type.Integer({ minimum: 0 }),
      agentStepId: Type.Optional(Type.Integer({ minimum: 1, description: 'The step that it is about.' })),
      data,
    }),
  )

const Snapshot = Type.Object({
  run: AgentRun,
  openSteps: Type.Array(AgentStep),
  lastSequence: Type.Integer({ minimum: 0 }),
  gap: Type.Boolean({ description: 'Whether events are missing before it.' }),
})

const Delta = Type.Object({
  kind: Type.Union([Type.Literal('text'), Type.Literal('reasoning'), Type.Literal('toolInput')]),
  text: Type.String(),
  toolCallId: Type.Optional(Type.String({ description: 'With `toolInput`.' })),
  toolName: Type.Optional(Type.String({ description: 'With `toolInput`.' })),
})

const Warning = Type.Object({
  percent: Type.Literal(80),
  limits: RunLimits,
  usedTokens: Type.Integer({ minimum: 0 }),
  cost: nullable(Cost),
})

/** The last event of a stream that its run has ended. */
export const RunEnd = event('end', AgentRun)

export const AgentRunEvent = Type.Union(
  [
    event('run.snapshot', Snapshot),
    event('run.transition', Transition),
    event('step.started', AgentStep),
    event('step.delta', Delta),
    event('step.completed', AgentStep),
    event('step.failed', AgentStep),
    event('checkpoint.created', Checkpoint),
    event('input.requested', Awaiting),
    event('budget.warning', Warning),
    RunEnd,
    Revoked,
  ],
  { $id: 'AgentRunEvent', description: 'An event of the stream of a run.' },
)

export const RunChangesEvent = Type.Union(
  [SentEvent('runs.changed', Type.Object({ agentRunIds: Type.Array(Id('run')), gap: Type.Boolean() }), false), Revoked],
  { $id: 'AgentRunChangesEvent', description: 'An event of the stream of changes of runs.' },
)

export const StreamQuery = Type.Object({
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'The last id that the client received; 0 for the whole stream. `Last-Event-ID` wins over it.',
    }),
  ),
  types: Type.Optional(
    Type.Array(oneOf(streamTypes), { minItems: 1, maxItems: 50, description: 'Only these events.' }),
  ),
  depth: Type.Integer({
    minimum: 0,
    maximum: 10,
    default: 0,
    description: '1: events of root steps only. 0 and more than 1: events of all steps.',
  }),
})

export const RunChangesQuery = Type.Object({
  projectId: idFilter('prj', 'Runs of this Project.'),
  environmentId: idFilter('env', 'Runs in this Environment.'),
  agentId: agentFilter('Runs of this agent.'),
})
