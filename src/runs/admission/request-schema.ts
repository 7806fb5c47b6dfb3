/** Request schemas of runs. Source: requirement 4.14, 8; contract 5. */
import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { Id, oneOf, Printable, saying, Timestamp } from '../../platform/http/schema.ts'
import { RunLimits } from '../../platform/models/prices/schema.ts'
import { vendorIds } from '../../platform/models/vendors.ts'

const IntegerId = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description })

export const RunPath = Type.Object({ agentRunId: Id('run') })
export const StepPath = Type.Object({ agentRunId: Id('run'), agentStepId: IntegerId('The step.') })
export const CheckpointPath = Type.Object({ ...StepPath.properties, checkpointId: IntegerId('The checkpoint.') })

const modelRequest = {
  provider: Type.Optional(
    oneOf(vendorIds, {
      description: 'If omitted, the platform default. A named provider uses a credential of the organization only.',
    }),
  ),
  model: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'The name of a model of the provider.' }),
  ),
  reasoningBudget: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: 100_000 }), oneOf(['low', 'medium', 'high'])], {
      description: 'The reasoning budget: a number of tokens, or a level.',
      fault: 'Must be 0 to 100,000 tokens, or one of: low, medium, high.',
    }),
  ),
  maxRetries: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 10, description: 'Retries after the first attempt. Default at a start: 2.' }),
  ),
}

export const ThreadKey = Printable(128, 'A key of your own for the conversation: 1 to 128 printable characters.')

const startRequest = {
  agentId: Type.String({ minLength: 1, maxLength: 100, description: 'The agent.', examples: ['agt_system_assistant'] }),
  environmentId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Required for Project Agents; not allowed for System Agents.',
    }),
  ),
  query: Type.Optional(
    Type.String({ description: "The user's message, at most 5 MiB.", examples: ['What day is it in 100 days?'] }),
  ),
  ...modelRequest,
  subjectUserId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'The user on whose behalf the run acts. Requires an API key. A later message with the same `threadKey` may ' +
        'repeat it, but not change it.',
    }),
  ),
  threadKey: Type.Optional({
    ...ThreadKey,
    description:
      'A key of your own for the conversation with this agent: the first start with it makes the run, a later one continues ' +
      'that run. 1 to 128 printable characters.',
    examples: ['support-4711'],
  }),
  ifBusy: Type.Optional(
    oneOf(['reject', 'enqueue', 'interrupt'], {
      description:
        'What a start does while the run of its `threadKey` is active: `reject` (the default) is a conflict, `enqueue` has ' +
        'the message wait for its turn (at most 16 wait), `interrupt` cancels the current turn and continues with the message.',
    }),
  ),
  startAt: Type.Optional(
    Timestamp(
      'When the run may start, at most 30 days ahead; it is `queued` until then, and can be canceled. A time in the past ' +
        'means now. Only for a new run.',
    ),
  ),
  limits: Type.Optional(
    saying(
      RunLimits,
      'The limits of the run over all attempts, delegates and continuations; the smallest of these, the limits of the ' +
        'Agent and those of the organization apply.',
    ),
  ),
}

const base64 = Type.String({ description: 'Base64; at most 5 MiB of content.' })
export const ContentItem = Type.Union(
  [
    Type.Object({ type: Type.Literal('text'), text: Type.String({ minLength: 1 }) }),
    Type.Object({
      type: Type.Literal('image'),
      mediaType: Type.String({ maxLength: 100, description: 'image/png, image/jpeg, image/gif or image/webp' }),
      data: base64,
    }),
    Type.Object({
      type: Type.Literal('file'),
      mediaType: Type.Unsafe<'application/pdf' | 'text/plain'>(
        Type.String({ maxLength: 100, description: 'application/pdf, or text/plain for ASCII text' }),
      ),
      filename: Type.String({ minLength: 1, maxLength: 255 }),
      data: base64,
    }),
  ],
  { $id: 'ContentItem', description: 'A text, an image or a file.' },
)

const HistoryMessage = Type.Object(
  { role: oneOf(['user', 'assistant']), content: Type.String({ minLength: 1, maxLength: 262_144 }) },
  { $id: 'HistoryMessage', description: 'A message from before the run.' },
)

export const StartBody = Type.Object(
  {
    ...startRequest,
    contents: Type.Optional(
      Type.Array(ContentItem, { maxItems: 1000, description: 'At most 5 MiB each and 10 MiB in all, texts included.' }),
    ),
    history: Type.Optional(
      Type.Array(HistoryMessage, {
        maxItems: 200,
        description:
          'Earlier messages of the conversation, oldest first. A run that is continued has its own, and is refused another.',
      }),
    ),
    context: Type.Optional(
      Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
        description:
          'Values for operations, as `{{run.context.x}}`: at most 16 KiB of JSON. The model does not see them. A later ' +
          'start with the same `threadKey` replaces them, or leaves them as they are.',
        examples: [{ customerId: 'c-4711' }],
      }),
    ),
  },
  { $id: 'NewAgentRun', description: 'A new run. Requires a query or contents.' },
)

const UploadedFiles = t.Files({
  description: 'ASCII text, images or PDF; each at most 5 MiB, 10 MiB in total.',
  fault: 'Must be a file: a part of the form with a filename.',
})
// Elysia's placeholder would add files that were not sent
delete UploadedFiles.default

export const StartForm = Type.Object(
  {
    ...startRequest,
    files: Type.Optional(UploadedFiles),
  },
  { $id: 'NewAgentRunWithFiles', description: 'A new run with files.' },
)

export const ContinueBody = Type.Object(
  {
    query: Type.String({
      description:
        'The next message; while the run waits for a tool its result, as JSON or text. Several results: ' +
        '`{"toolResults": [{"toolCallId", "result"}]}`.',
      examples: ['And in 200 days?'],
    }),
    ...modelRequest,
  },
  { $id: 'AgentRunContinuation', description: 'How to continue the run.' },
)

export const DelegateResultBody = Type.Object(
  {
    toolCallId: Type.String({ minLength: 1, maxLength: 200, description: 'The `toolCallId` in `awaiting`.' }),
    result: Type.Optional(Type.Any({ description: "The delegate's result." })),
    error: Type.Optional(
      Type.Object(
        {
          code: Type.String({ minLength: 1, maxLength: 100 }),
          message: Type.String({ minLength: 1, maxLength: 2000 }),
        },
        { description: 'The error, if the delegate failed.' },
      ),
    ),
  },
  { $id: 'DelegateResult', description: 'Exactly one of `result` and `error`.' },
)

/** Query options of a start and a read. */
export const OutcomeQuery = Type.Object({
  waitSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 60,
      description:
        'Seconds to wait for the run to end or to wait for input; for a message that is queued, until its own turn has ' +
        'ended. After that the current state is returned.',
    }),
  ),
  include: Type.Optional(
    Type.Array(oneOf(['output']), {
      minItems: 1,
      maxItems: 10,
      description: '`output` adds the answer; requires the permission `agent-runs:steps:get`.',
    }),
  ),
})
