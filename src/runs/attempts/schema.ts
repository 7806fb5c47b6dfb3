/** Schemas of the runner protocol. Source: contract 5, "Runner protocol". */
import { Type as t } from '@sinclair/typebox'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { stepTokensMax } from '../providers/step.ts'
import { type CallAnswer, callFailureCodes, failureCodes } from '../runner/protocol/protocol.ts'

const Anything = (description: string) => t.Unknown({ description })

export const AttemptPath = t.Object({ agentRunId: Id('run'), attemptId: Id('att') })
export const AttemptStepPath = t.Object({
  agentRunId: Id('run'),
  attemptId: Id('att'),
  agentStepId: t.Integer({ minimum: 1, description: 'The step.', parameter: 'ReportedStepId' }),
})

export const LeaseBody = t.Object(
  {
    machineId: t.String({
      minLength: 1,
      maxLength: 200,
      pattern: '^[\\x21-\\x7e]+$',
      description: 'The name of the machine.',
    }),
    slots: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: 4096,
        default: 1,
        description: 'The number of attempts that the machine can run concurrently.',
      }),
    ),
    waitSeconds: t.Integer({ minimum: 0, maximum: 25, description: 'How long to wait for a run, in seconds.' }),
  },
  { $id: 'LeaseRequest', additionalProperties: false, description: 'A lease request.' },
)

export const LeaseAnswer = t.Object(
  {
    lease: t.Object({
      attemptId: Id('att'),
      agentRunId: Id('run'),
      fencingToken: t.Integer({ description: 'Increases with every lease.' }),
      expiresAt: Timestamp('When the lease expires unless a heartbeat renews it.'),
    }),
    attemptToken: t.String({ description: 'The bearer token of this attempt.' }),
    assignment: t.Object({}, { additionalProperties: true, description: 'The assignment of the attempt.' }),
  },
  { $id: 'LeasedAttempt', description: 'An attempt leased to the machine.' },
)

export const HeartbeatBody = t.Object(
  { lastStepSequence: t.Integer({ minimum: 0, description: 'The number of steps that the attempt has started.' }) },
  { $id: 'Heartbeat', description: 'The progress of the attempt.', additionalProperties: false },
)

export const HeartbeatAnswer = t.Object(
  {
    expiresAt: Timestamp('When the renewed lease expires.'),
    signal: oneOf(['continue', 'cancel', 'drain'], { description: 'The signal for the runner.' }),
  },
  { $id: 'ProlongedLease', description: 'The renewed lease.' },
)

const Failure = t.Object(
  {
    code: oneOf([...new Set([...failureCodes, ...callFailureCodes])], { description: 'Why.' }),
    message: t.String({ maxLength: 2000 }),
  },
  { additionalProperties: false },
)

const tokens = t.Integer({ minimum: 0, maximum: stepTokensMax })
export const TokenUsage = t.Object(
  {
    inputTokens: tokens,
    outputTokens: tokens,
    totalTokens: t.Integer({ minimum: 0, maximum: 2 * stepTokensMax }),
    cachedInputTokens: tokens,
    reasoningTokens: tokens,
  },
  { $id: 'TokenUsage', description: 'The tokens that the model read and wrote.', additionalProperties: false },
)

const Execution = t.Object(
  {
    provider: t.Optional(nullable(t.String({ maxLength: 100 }))),
    model: t.Optional(nullable(t.String({ maxLength: 200 }))),
    finishReason: t.Optional(nullable(t.String({ maxLength: 100 }))),
    toolCallId: t.Optional(nullable(t.String({ maxLength: 200 }))),
    retries: t.Optional(t.Integer({ minimum: 0 })),
    workflowRunId: t.Optional(Id('wfr', 'The workflow run of a call that waits for one.')),
  },
  { additionalProperties: false },
)

export const StepBody = t.Object(
  {
    parentAgentStepId: t.Optional(
      nullable(t.Integer({ minimum: 1, description: "Default: the attempt's root step." })),
    ),
    agentId: t.Optional(
      t.String({
        maxLength: 200,
        description: "The step's agent: a delegate of the assignment. Default: the run's agent.",
      }),
    ),
    kind: oneOf(['agent', 'model', 'tool', 'delegate']),
    name: t.String({ minLength: 1, maxLength: 200 }),
    input: t.Optional(Anything('The input of the step.')),
    execution: t.Optional(Execution),
  },
  { $id: 'NewAgentStep', description: 'A new step.', additionalProperties: false },
)

export const StepPatch = t.Object(
  {
    status: oneOf(['waiting', 'completed', 'failed', 'canceled']),
    output: t.Optional(Anything('What came of it.')),
    error: t.Optional(Failure),
    tokenUsage: t.Optional(TokenUsage),
    execution: t.Optional(Execution),
  },
  { $id: 'AgentStepEnd', description: 'The end or the suspension of a step.', additionalProperties: false },
)

const conversation = {
  messages: t.Array(t.Object({}, { additionalProperties: true })),
  stepCount: t.Integer({ minimum: 0 }),
  pendingToolCalls: t.Array(
    t.Object(
      { toolCallId: t.String(), toolName: t.String(), input: Anything('The arguments of the call.') },
      { additionalProperties: false },
    ),
  ),
}

export const CheckpointBody = t.Object(
  {
    kind: oneOf(['step', 'suspended', 'final']),
    runtimeCheckpoint: t.Object(
      {
        version: t.Literal(1),
        ...conversation,
        chain: t.Integer({
          minimum: 0,
          description:
            'The chain of attempts whose input the messages contain: that of the assignment. 0 with `callsFirst`, until the ' +
            'input is applied.',
        }),
        delegates: t.Optional(
          t.Record(t.String({ maxLength: 200 }), t.Object(conversation, { additionalProperties: false }), {
            description: 'The conversations of active delegates, by the id of the call that each answers.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
  },
  { $id: 'NewCheckpoint', description: 'A state to resume from.', additionalProperties: false },
)

export const OperationBody = t.Object(
  {
    agentId: t.String({ maxLength: 200, description: "The agent that the tool belongs to: the run's, or a delegate." }),
    toolName: t.String({ maxLength: 200, description: 'The name of the tool in the assignment.' }),
    toolCallId: t.String({ maxLength: 200, description: 'The call. This attempt must have an open step for it.' }),
    input: t.Object({}, { additionalProperties: true, description: 'The arguments of the call.' }),
  },
  { $id: 'AttemptOperationCall', additionalProperties: false, description: 'An operation call.' },
)

export const OperationAnswer = t.Unsafe<CallAnswer>(
  t.Object(
    {
      result: t.Optional(Anything('What came of it.')),
      error: t.Optional(
        t.Object({ code: oneOf(callFailureCodes), message: t.String({ description: 'The message for the model.' }) }),
      ),
      awaiting: t.Optional(
        oneOf(['approval', 'agentRun', 'worker', 'workflow'], {
          description:
            'The call waits for an approval, for the run of another Agent, for a worker, or for the run of a workflow.',
        }),
      ),
      invocationId: t.Optional(Id('opi')),
      approvalId: t.Optional(Id('apr')),
      workflowRunId: t.Optional(Id('wfr')),
    },
    {
      $id: 'AttemptOperationOutcome',
      description: 'A result or an error; or `awaiting`, with the ids under which the run must wait for the call.',
    },
  ),
)

export const EventsBody = t.Object(
  {
    events: t.Array(
      t.Object(
        {
          type: oneOf(['step.delta']),
          agentStepId: t.Integer({ minimum: 1 }),
          data: t.Object(
            {
              kind: oneOf(['text', 'reasoning', 'toolInput']),
              text: t.String({ maxLength: 262144 }),
              toolCallId: t.Optional(
                t.String({ maxLength: 200, description: 'For `toolInput`, where it is required: the call.' }),
              ),
              toolName: t.Optional(
                t.String({ maxLength: 200, description: 'For `toolInput`, where it is required: the tool.' }),
              ),
            },
            { additionalProperties: false },
          ),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 1000 },
    ),
  },
  { $id: 'AttemptEvents', description: 'Streamed text of the model.', additionalProperties: false },
)

export const EventsAnswer = t.Object(
  {
    accepted: t.Integer({ minimum: 0, description: 'The number of events stored.' }),
  },
  { $id: 'AcceptedEvents', description: 'The result of storing the events.' },
)

const PendingInput = t.Object(
  {
    kind: oneOf(['tool', 'delegate']),
    toolName: t.String(),
    toolCallId: t.String(),
    input: Anything('The arguments of the call.'),
    invocationId: t.Optional(Id('opi', 'The invocation of a call that the server answered with `awaiting`.')),
    approvalId: t.Optional(Id('apr', 'The approval of that call, if there is one.')),
    workflowRunId: t.Optional(Id('wfr', 'The workflow run of a call that the server answered with `awaiting`.')),
    waitsFor: t.Optional(oneOf(['worker'], { description: "The server's answer with `awaiting`." })),
  },
  { additionalProperties: false },
)

export const CompleteBody = t.Object(
  {
    outcome: oneOf(['completed', 'failed', 'canceled', 'awaitingToolResult', 'awaitingDelegateResult']),
    stopReason: t.Optional(oneOf(['end_turn', 'max_steps', 'max_output_tokens', 'content_filter'])),
    output: t.Optional(Anything('The answer.')),
    error: t.Optional(
      t.Object(
        {
          code: oneOf(failureCodes, { description: 'Why.' }),
          message: t.String({ maxLength: 2000 }),
          retryable: t.Boolean(),
          retryAfterMs: t.Optional(t.Integer({ minimum: 0, maximum: 3_600_000 })),
        },
        { additionalProperties: false },
      ),
    ),
    awaiting: t.Optional(t.Array(PendingInput, { minItems: 1, maxItems: 256 })),
  },
  { $id: 'AttemptReport', additionalProperties: false, description: 'The final report of an attempt.' },
)
export type CompleteBody = typeof CompleteBody.static
