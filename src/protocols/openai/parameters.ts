/** Parameters of OpenAI's requests: their meaning for an Agent, and those that are ignored. */
import { invalid } from '../../platform/http/answers/errors.ts'
import { checkedContext } from '../../runs/admission/input.ts'
import type { Message } from '../turns/turns.ts'
import { unsupported } from './errors.ts'

/** Clients send them by default; the Agent's revision and the Environment decide instead. */
const decidedElsewhere = [
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'max_tool_calls',
  'presence_penalty',
  'frequency_penalty',
  'seed',
  'stop',
  'verbosity',
  'parallel_tool_calls',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'service_tier',
  'store',
]

/** Other accepted parameters, with the values that have no effect. */
const neutral = new Map<string, (value: unknown) => boolean>(
  Object.entries({
    n: (value) => value === 1,
    tool_choice: (value) => value === 'auto',
    truncation: (value) => value === 'disabled' || value === 'auto',
    include: (value) => Array.isArray(value),
    modalities: (value) => Array.isArray(value) && value.every((each) => each === 'text'),
    logprobs: (value) => value === false,
  } satisfies Record<string, (value: unknown) => boolean>),
)

const reasons = new Map(
  Object.entries({
    instructions: "The Agent's revision has the instructions; they cannot be replaced by a request.",
    tool_choice: "The Agent's model chooses its tools: only `auto` is taken.",
    conversation: 'Continue with `previous_response_id`.',
    prompt: "The Agent's revision is the prompt.",
  }),
)

/** The reasoning budget of each effort: OpenAI has more levels than Agents. */
const efforts = new Map<unknown, NonNullable<Message['reasoningBudget']>>([
  ['none', 0],
  ['minimal', 0],
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'high'],
])

/** Throws `unsupported_parameter` (400) for a parameter that is neither in `taken` nor ignored. */
export function refuseOthers(body: object, taken: readonly string[]): void {
  for (const [name, value] of Object.entries(body)) {
    if (value === null || taken.includes(name) || decidedElsewhere.includes(name)) continue
    if (neutral.get(name)?.(value)) continue
    throw unsupported(
      name,
      reasons.get(name) ?? `An Agent does not take \`${name}\`${neutral.has(name) ? ' with this value' : ''}.`,
    )
  }
}

/** `effort` of the request, and its `metadata`, available to operations as `{{run.context.x}}`. */
export function optionsOf(
  effort: unknown,
  metadata: unknown,
  path: string,
): Pick<Message, 'reasoningBudget' | 'context'> {
  const level = efforts.get(effort)
  if (effort !== undefined && effort !== null && level === undefined) {
    throw unsupported(path, `The effort is one of ${[...efforts.keys()].join(', ')}.`)
  }
  const isTexts = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)
  if (metadata !== undefined && metadata !== null && !isTexts) {
    throw invalid([{ path: '/body/metadata', message: 'Must be an object.' }])
  }
  const context = isTexts && Object.keys(metadata).length > 0 ? (metadata as Record<string, unknown>) : undefined
  return {
    ...(level !== undefined && { reasoningBudget: level }),
    ...(context && { context: checkedContext(context, '/body/metadata') }),
  }
}
