/**
 * Passes the answer's schema to each vendor: as its structured output, or as a tool whose input is the answer. The
 * instructions contain the schema in any case. Source: contract 3, `outputSchema`.
 */
import type { LanguageModelV3CallOptions, LanguageModelV3FunctionTool, SharedV3ProviderOptions } from '@ai-sdk/provider'
import type { Vendor } from '../../../platform/models/vendors.ts'
import type { ToolDefinition } from '../step.ts'

type Schema = Record<string, unknown>

/** The tool by which a model answers. */
export interface AnswerToolDefinition {
  name: string
  /**
   * Whether the answer is wrapped in the property `answer`, because its schema is not an object's and a tool input must
   * be an object.
   */
  wrapped: boolean
}

export interface StructuredOutput {
  options: Pick<LanguageModelV3CallOptions, 'responseFormat' | 'tools' | 'toolChoice'>
  providerOptions: SharedV3ProviderOptions[string]
  /** Set if the answer is the input of a tool. */
  answerTool?: AnswerToolDefinition
}

/**
 * | vendor | schema of an answer |
 * |---|---|
 * | anthropic, openai, xai | structured output, also together with tools |
 * | google, mistral, groq, cohere | structured output, which they reject together with tools: then a tool |
 * | deepseek | only `json_object`, without a schema: a tool |
 */
const kinds: Readonly<Record<Vendor, 'own' | 'ownWithoutTools' | 'tool'>> = {
  anthropic: 'own',
  openai: 'own',
  xai: 'own',
  google: 'ownWithoutTools',
  mistral: 'ownWithoutTools',
  groq: 'ownWithoutTools',
  cohere: 'ownWithoutTools',
  deepseek: 'tool',
}

/** The vendor's options for the answer's schema; null: the instructions alone. */
export function structuredOutput(provider: Vendor, schema: Schema, tools: ToolDefinition[]): StructuredOutput | null {
  const kind = kinds[provider]
  // Anthropic's package uses this name for models without structured output
  const nameTaken = provider === 'anthropic' && tools.some(({ name }) => name === 'json')
  const own = kind !== 'tool' && (kind === 'own' || tools.length === 0) && !nameTaken
  if (own && (schema.type === 'object' || provider === 'google')) {
    const named = schema as NonNullable<
      Extract<LanguageModelV3CallOptions['responseFormat'], { type: 'json' }>['schema']
    >
    return {
      options: { responseFormat: { type: 'json', schema: named, name: 'answer' } },
      providerOptions: hasStrictness(provider) ? { strictJsonSchema: isClosed(schema) } : {},
    }
  }
  const answerTool = answerToolOf(schema, tools)
  if (!answerTool) return null
  return {
    options: {
      ...(provider === 'deepseek' && !answerTool.wrapped ? { responseFormat: { type: 'json' } } : {}),
      tools: [functionOf(answerTool, schema)],
      // DeepSeek's and Anthropic's models reject a forced tool call while reasoning
      toolChoice: { type: provider === 'deepseek' || provider === 'anthropic' ? 'auto' : 'required' },
    },
    providerOptions: {},
    answerTool,
  }
}

/** Added to the instructions of a model that answers by a tool. */
export const answerToolInstructions = ({ name, wrapped }: AnswerToolDefinition) =>
  `\n\nGive your final answer by calling the tool ${name}: ${wrapped ? 'the property "answer" of its input' : 'its input'} is the JSON value.`

/** null for a schema that cannot be nested in another one. */
function answerToolOf(schema: Schema, tools: ToolDefinition[]): AnswerToolDefinition | null {
  const wrapped = schema.type !== 'object'
  if (wrapped && JSON.stringify(schema).includes('"$ref"')) return null
  let name = 'final_answer'
  while (tools.some((tool) => tool.name === name)) name += '_'
  return { name, wrapped }
}

function functionOf({ name, wrapped }: AnswerToolDefinition, schema: Schema): LanguageModelV3FunctionTool {
  const inputSchema = wrapped ? { type: 'object', properties: { answer: schema }, required: ['answer'] } : schema
  return {
    type: 'function',
    name,
    description: 'Submits your final answer and ends the task.',
    inputSchema: inputSchema as LanguageModelV3FunctionTool['inputSchema'],
  }
}

const hasStrictness = (provider: Vendor) => provider === 'openai' || provider === 'groq' || provider === 'mistral'

const closedKeywords = new Set(
  (
    '$schema $id $ref $defs definitions title description type enum const properties required additionalProperties items ' +
    'anyOf pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems'
  ).split(' '),
)

/** Whether vendors accept the schema as strict: closed objects, no optional properties, few keywords. */
function isClosed(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return false
  const { type, properties = {}, required = [], additionalProperties, items, anyOf = [] } = schema as Schema
  if (Object.keys(schema).some((keyword) => !closedKeywords.has(keyword))) return false
  const names = Object.keys(properties as Schema)
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object')) || names.length > 0
  if (isObject && additionalProperties !== false) return false
  if (names.some((name) => !(required as string[]).includes(name))) return false
  const { $defs = {}, definitions = {} } = schema as Record<string, Schema>
  const inner = [properties as Schema, $defs, definitions].flatMap((named) => Object.values(named))
  return [...inner, ...(anyOf as unknown[]), ...(items === undefined ? [] : [items])].every(isClosed)
}
