/** Response schemas of runs, steps, checkpoints and transitions. Source: requirement 2; contract 5. */
import { type Static, Type } from '@sinclair/typebox'
import { runStates } from '../../machines/run/states.ts'
import { Id, nullable, oneOf, Timestamp } from '../platform/http/schema.ts'
import { Cost, RunLimits } from '../platform/models/prices/schema.ts'

const principalTypes = ['user', 'apiKey', 'agentJob', 'workflow', 'system'] as const
const Digest = (description: string) =>
  Type.String({ pattern: '^sha256:[0-9a-f]{64}$', description, examples: [`sha256:${'0'.repeat(64)}`] })

export const FailureShape = Type.Object(
  {
    code: Type.String({ examples: ['provider_error'] }),
    message: Type.String({ description: 'A sentence for people.' }),
  },
  { $id: 'Failure', description: 'An error code and a message.' },
)

const awaitingKinds = [
  'tool',
  'delegate',
  'agentRun',
  'worker',
  'operation',
  'workflow',
  'approval',
  'connection',
] as const
export type AwaitingKind = (typeof awaitingKinds)[number]

const Pending = {
  kind: oneOf(awaitingKinds, {
    description:
      'Who provides the result: `tool` the client, by continuing the run; `delegate` an external delegate; `agentRun` ' +
      'the run of another Agent; `worker` a worker of an operation that may take long; `operation` an approved call, which the server makes; `workflow` the run of a workflow; `approval` a person who approves the call; `connection` a person who connects an account.',
  }),
  toolName: Type.String({ description: 'The name of the tool or delegate.' }),
  toolCallId: Type.String({ description: 'Identifies the call in a result.' }),
  input: Type.Unknown({ description: 'The input of the call.' }),
  invocationId: Type.Optional(Id('opi', 'The invocation, for a call of an operation. The run resumes when it ends.')),
  approvalId: Type.Optional(Id('apr', 'The approval that the call waits for; none once it was decided.')),
  workflowRunId: Type.Optional(
    Id('wfr', 'The workflow run, for a tool that runs a workflow. The run resumes when it ends.'),
  ),
}

export const Awaiting = Type.Object(
  { ...Pending, pending: Type.Array(Type.Object(Pending), { description: 'Every call without a result.' }) },
  { description: 'The first call that the run waits for, and all of them.' },
)

const tokens = Type.Integer({ minimum: 0 })
const TokenUsage = Type.Object({
  inputTokens: tokens,
  outputTokens: tokens,
  totalTokens: tokens,
  cachedInputTokens: tokens,
  reasoningTokens: tokens,
})

export const AgentRun = Type.Object(
  {
    id: Id('run'),
    organizationId: Id('org'),
    projectId: nullable(Type.String({ description: 'Null for runs of System Agents.' })),
    environmentId: nullable(Type.String({ description: 'Null for runs of System Agents.' })),
    deploymentId: nullable(Type.String({ description: 'The Deployment that was active at admission.' })),
    agentId: Type.String({ examples: ['agt_system_assistant'] }),
    agentRevisionId: Type.String({ description: 'Fixed at admission.' }),
    agentJobId: nullable(Type.String({ description: 'The job that started it, if one did.' })),
    createdBy: Type.Object({ type: oneOf(principalTypes), id: Type.String() }, { description: 'Who started the run.' }),
    subjectUserId: nullable(Type.String({ description: 'The user on whose behalf the run acts.' })),
    threadKey: nullable(Type.String({ description: "The client's key of the conversation that the run is." })),
    forkedFrom: Type.Optional(
      Type.Object(
        { agentRunId: Id('run'), checkpointId: Type.Integer({ minimum: 0, description: '0: its input.' }) },
        { description: 'The run that it was forked from, and at which of its checkpoints.' },
      ),
    ),
    queuedInputs: Type.Array(
      Type.Object({
        inputId: Type.Integer({ minimum: 1, description: '1, 2, 3 … within the run.' }),
        query: nullable(Type.String({ description: 'The first 200 characters; null for attachments alone.' })),
        createdAt: Timestamp(),
      }),
      { description: 'The messages that wait for their turns, next first.' },
    ),
    state: oneOf(runStates, { $id: 'AgentRunState', description: 'The lifecycle state.' }),
    stateReason: nullable(FailureShape),
    stopReason: nullable(
      oneOf(['end_turn', 'max_steps', 'max_output_tokens', 'content_filter'], {
        description: 'The reason why the model stopped; null unless the run is completed.',
      }),
    ),
    cost: {
      ...nullable(Cost),
      description:
        'The cost of its model steps so far; null before the first, if one has no price or another currency, and for runs ' +
        'from before the server had prices.',
    },
    limits: Type.Optional(RunLimits),
    usedTokens: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Input and output tokens of its model steps so far; counted with limits, and with prices.',
      }),
    ),
    attempt: Type.Integer({ minimum: 0, description: 'Attempts so far; 0 at admission, never reset.' }),
    turn: Type.Optional(
      Type.Integer({ minimum: 1, description: '1 at admission, one more with each accepted continue.' }),
    ),
    inputDigest: Digest('SHA-256 of the canonical JSON (RFC 8785) of `{query, contents}`.'),
    outputDigest: nullable(Digest('SHA-256 of the canonical JSON of the output.')),
    runtimeVersion: Type.String({ description: 'The version of Troupe that admitted the run.' }),
    contentRetention: Type.Object({
      policy: oneOf(['standard']),
      expiresAt: Timestamp('When the content of the run is removed, if it has ended; the record stays.'),
      removedAt: Type.Optional(Timestamp('When it was removed: the output is null since then.')),
    }),
    lastActivity: Type.Optional(Type.Object({ kind: Type.String(), at: Timestamp() })),
    startAt: Type.Optional(
      Timestamp('The requested start, if it was put off; its time in the queue counts from then.'),
    ),
    availableAt: Type.Optional(
      Timestamp(
        'For a queued run, the earliest start of the next attempt; in the future before `startAt`, and after a lost attempt.',
      ),
    ),
    awaiting: Type.Optional(Awaiting),
    output: Type.Optional(
      nullable(
        Type.Object(
          {
            text: Type.String({ description: 'The output as text.' }),
            value: Type.Optional(
              Type.Unknown({ description: 'The structured output, if the Agent has an `outputSchema`.' }),
            ),
          },
          { description: 'With `include=output`: the answer; null unless the run is completed and has it still.' },
        ),
      ),
    ),
    summary: Type.Optional(
      Type.Object(
        {
          query: Type.Optional(
            nullable(
              Type.String({
                description:
                  'The first 200 characters of its first message; null for attachments alone, and once the content was removed. ' +
                  'Absent without the permission `agent-runs:steps:get`.',
              }),
            ),
          ),
          provider: nullable(Type.String({ description: 'The provider of the model.' })),
          model: nullable(Type.String({ description: 'The model that it was last bound to.' })),
          tokenUsage: {
            ...nullable(TokenUsage),
            description: 'Of all its attempts so far; null if they are too many for one page.',
          },
        },
        { $id: 'AgentRunSummary', description: 'With `include=summary`: what distinguishes the runs of a list.' },
      ),
    ),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
    startedAt: nullable(Timestamp('When the run was first running.')),
    endedAt: nullable(Timestamp('When it reached a terminal state.')),
  },
  { $id: 'AgentRun', description: 'One run of an agent.' },
)
export type AgentRun = Static<typeof AgentRun>

export const Transition = Type.Object(
  {
    sequence: Type.Integer({ minimum: 1, description: '1, 2, 3 … without gaps.' }),
    from: nullable(Type.String()),
    to: Type.String(),
    event: Type.String({ description: 'The event that caused the transition.' }),
    actor: Type.Object({ type: oneOf([...principalTypes, 'runner']), id: Type.String() }),
    attempt: Type.Integer({ minimum: 0 }),
    reason: nullable(FailureShape),
    at: Timestamp(),
  },
  { $id: 'RunTransition', description: 'One entry of the lifecycle journal.' },
)

export const AgentStep = Type.Object(
  {
    agentStepId: Type.Integer({
      minimum: 1,
      description: 'Unique on the server; it does not determine the order of steps.',
    }),
    agentRunId: Id('run'),
    parentAgentStepId: nullable(Type.Integer({ minimum: 1, description: 'The parent step; null for a root step.' })),
    sequence: Type.Integer({
      minimum: 0,
      description:
        'The number of its `step.started` in the stream of the run: steps began in this order. 0 for a step of an earlier version, which came before all others.',
    }),
    kind: oneOf(['agent', 'model', 'tool', 'delegate'], { description: 'The kind of step.' }),
    name: Type.String({ description: 'The name of the agent, model, tool or delegate.' }),
    status: oneOf(['running', 'waiting', 'completed', 'failed', 'canceled'], {
      description: 'The status of the step.',
    }),
    attempt: Type.Integer({ minimum: 0, description: 'The attempt number.' }),
    agent: Type.Object({ agentId: Type.String(), agentRevisionId: Type.String(), name: Type.String() }),
    timing: Type.Object({
      startedAt: Timestamp(),
      endedAt: nullable(Timestamp()),
      durationMs: nullable(Type.Integer({ minimum: 0 })),
    }),
    tokenUsage: TokenUsage,
    cost: {
      ...nullable(Cost),
      description:
        'The cost of a model step, fixed when it ends; null before that, without a price, and for other steps.',
    },
    execution: Type.Object({
      provider: nullable(Type.String()),
      model: nullable(Type.String()),
      finishReason: nullable(Type.String()),
      toolCallId: nullable(Type.String()),
      retries: Type.Integer({ minimum: 0 }),
      workflowRunId: Type.Optional(Id('wfr', 'The workflow run of the call, for a tool that runs a workflow.')),
    }),
    input: Type.Unknown({ description: 'The input of the step.' }),
    output: Type.Unknown({ description: 'null until the step has an output.' }),
    error: nullable(FailureShape),
    lastCheckpointId: nullable(
      Type.Integer({ minimum: 1, description: 'The last checkpoint written during the step.' }),
    ),
    abridged: Type.Optional(
      Type.Literal(true, {
        description: 'This list omits `input` and `output` because of their size; get the step to read them.',
      }),
    ),
    childAgentSteps: Type.Array(Type.Unsafe<unknown>({ $ref: '#/components/schemas/AgentStep' }), {
      description: 'Child steps, down to `depth` levels.',
    }),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { $id: 'AgentStep', description: 'A step of a run; root steps are the attempts.' },
)
export type AgentStep = Static<typeof AgentStep>

export const Checkpoint = Type.Object(
  {
    checkpointId: Type.Integer({ minimum: 0, description: '0: the input.' }),
    agentStepId: nullable(
      Type.Integer({ minimum: 1, description: 'The step during which it was written; null for the input.' }),
    ),
    agentRunId: Id('run'),
    attempt: Type.Integer({ minimum: 0 }),
    sequence: Type.Integer({ minimum: 0, description: '0, 1, 2, 3 … within the run.' }),
    kind: oneOf(['input', 'step', 'suspended', 'final'], {
      description: 'When it was written: the input, after a step, while the run waits, or at its end.',
    }),
    artifact: Type.Object(
      {
        digest: Digest('SHA-256 of the canonical JSON of the artifact.'),
        sizeBytes: Type.Integer({ minimum: 0 }),
        mediaType: oneOf(['application/json']),
      },
      { description: 'The state that a continue resumes from.' },
    ),
    createdAt: Timestamp(),
  },
  { $id: 'Checkpoint', description: 'A point from which a run can be continued.' },
)
export type Checkpoint = Static<typeof Checkpoint>
