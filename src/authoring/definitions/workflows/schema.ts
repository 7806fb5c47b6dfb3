/** The shape of a workflow's source. Source: contract 3, "workflow source"; contract 14, "Workflows". */
import { Type } from '@sinclair/typebox'
import { Description, oneOf } from '../../../platform/http/schema.ts'
import { hourMs } from '../../../platform/time/durations.ts'
import { freeForm, jsonSchema, operationPattern, Word } from '../shapes.ts'

const backoffMsMax = hourMs
const stepId = Word('Unique in the workflow.', 'find-order')

const WorkflowCondition = Type.Union(
  [
    Type.String({ minLength: 1, description: 'A comparison.', examples: ['{{steps.find.output.sum}} > 100'] }),
    freeForm('An operator with its operands, such as `{"and": ["{{params.paid}}", {">": ["{{params.sum}}", 100]}]}`.'),
  ],
  {
    $id: 'WorkflowCondition',
    description:
      'A comparison of two values as text, a placeholder alone, or a tree of operators: `and`, `or`, `!`, `==`, `!=`, `<`, `<=`, `>`, `>=`, ' +
      '`in` (an item of a list, a part of a text). Values are placeholders, texts, numbers, `true`, `false`, `null` and lists of these. `false`, `null`, 0, ' +
      'an empty text and an empty list are not true; only two numbers or two texts have an order. At most 100 operators and ' +
      'operands, 10 operators deep; the values that it looks at may have 262,144 characters as JSON.',
  },
)

/** The longest sleep, and the longest wait for an event: 365 days. */
const waitMsMax = 31_536_000_000

/** The name of an event that workflows wait for. */
export const EventName = Type.String({
  pattern: '^[a-zA-Z0-9_.-]{1,64}$',
  description: 'The name of the event.',
  examples: ['payment.received'],
})

const Step = Type.Object({
  id: stepId,
  operation: Type.Optional(
    Type.String({
      pattern: operationPattern,
      description:
        '`<definition>.<operation>`. A step has exactly one of `operation`, `workflow`, `sleep` and `waitFor`.',
      examples: ['orders.find'],
    }),
  ),
  workflow: Type.Optional(
    Word(
      'The name of a workflow of the Release, which the step runs: `input` are its params, its output is that of the step.',
      'refund-order',
    ),
  ),
  sleep: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: waitMsMax,
      description: 'The step does nothing and succeeds after this many milliseconds, at most 365 days.',
      examples: [86_400_000],
    }),
  ),
  waitFor: Type.Optional(
    Type.Object(
      {
        event: EventName,
        correlation: Type.String({
          minLength: 1,
          maxLength: 2_000,
          description:
            'Which of these events it waits for, with placeholders: at most 256 characters when they are filled in.',
          examples: ['{{params.order}}'],
        }),
        timeoutMs: Type.Integer({
          minimum: 1,
          maximum: waitMsMax,
          description:
            'The step fails with `wait_timed_out` if none has come after this many milliseconds, at most 365 days.',
        }),
      },
      {
        description:
          'The step waits for an event (`POST {P}/workflow-events`) with this name and correlation, also one that came within the last 24 ' +
          "hours and that no other step was given. Its output is the event's `data`.",
      },
    ),
  ),
  when: Type.Optional(WorkflowCondition),
  forEach: Type.Optional(
    Type.String({
      pattern: '^\\{\\{[^{}]+\\}\\}$',
      maxLength: 2_000,
      description:
        'A placeholder of a list of at most 1,000 items: the step is done for each of them, with `{{item}}` and `{{index}}` in its `input`. ' +
        'Its output is the list of outputs; one item that fails, after its own `retry`, fails the step.',
      examples: ['{{params.orders}}'],
    }),
  ),
  concurrency: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'For how many items of `forEach` at once; default: 10.' }),
  ),
  input: Type.Optional(freeForm('With `{{params.x}}` and `{{steps.id.output.y}}` for values.')),
  after: Type.Optional(
    Type.Array(stepId, { maxItems: 100, description: 'Steps to wait for, besides those whose output it uses.' }),
  ),
  retry: Type.Optional(
    Type.Object({
      maxAttempts: Type.Integer({ minimum: 1, maximum: 10, description: 'The first one included.' }),
      backoffMs: Type.Integer({ minimum: 0, maximum: backoffMsMax, description: 'Between two attempts.' }),
    }),
  ),
  onError: Type.Optional(oneOf(['fail', 'continue'], { description: 'Default: `fail`.' })),
  compensate: Type.Optional(
    Type.Object(
      {
        operation: Type.String({
          pattern: operationPattern,
          description: '`<definition>.<operation>`',
          examples: ['orders.release'],
        }),
        input: Type.Optional(
          freeForm('With placeholders as in the input of a step, also for the output of this step.'),
        ),
      },
      {
        description:
          'The operation that takes the step back if the run fails or is canceled. Once nothing is open, the steps that have succeeded are ' +
          'compensated in reverse order of their completion, one at a time, with the `retry` of the step; one that fails stops no other. ' +
          'Only for a step with an `operation`.',
      },
    ),
  ),
})

export const WorkflowSource = Type.Object(
  {
    description: Type.Optional(
      Description('The purpose of the workflow, for the model of an Agent that has it as a tool.'),
    ),
    params: jsonSchema('The params of a run: an object.'),
    steps: Type.Array(Step, {
      minItems: 1,
      maxItems: 100,
      description:
        'Each runs as soon as the steps that it waits for are done. One whose condition (`when`) does not hold is `skipped`, and ' +
        'the steps after it run and see null.',
    }),
    output: Type.Optional(freeForm('Its output, with placeholders as in the input of a step.')),
  },
  { $id: 'WorkflowSource', description: 'The source of a Definition of kind `workflow`: steps without cycles.' },
)
