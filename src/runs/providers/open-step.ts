/**
 * Sends a model step to its vendor, up to the first byte of the response. Source: contract 3, `outputSchema`; contract
 * 5.
 */
import type { LanguageModelV3FunctionTool, LanguageModelV3Prompt } from '@ai-sdk/provider'
import type { ModelMessage } from 'ai'
import type { Vendor } from '../../platform/models/vendors.ts'
import { tracePairs } from '../../platform/tracing/trace-context.ts'
import { answerToolInstructions, type StructuredOutput, structuredOutput } from './answers/structured-output.ts'
import { field, readAnswer } from './answers/vendor-answer.ts'
import { resolveModel } from './resolve.ts'
import { sentSettings } from './sent-settings.ts'
import type { StepRequest, ToolDefinition } from './step.ts'

/**
 * Sends the request. An answer schema is sent as structured output; if the vendor, model or gateway rejects it, the
 * request is repeated without it, since the instructions contain the schema too.
 */
export async function openStep(request: StepRequest, provider: Vendor, signal: AbortSignal) {
  const { outputSchema, tools } = request
  const structured = outputSchema ? structuredOutput(provider, outputSchema, tools) : null
  try {
    return await ask(request, provider, signal, structured)
  } catch (thrown) {
    if (!structured || signal.aborted || !isRefusalOf(thrown)) throw thrown
    return ask(request, provider, signal, null)
  }
}

async function ask(
  request: StepRequest,
  provider: Vendor,
  abortSignal: AbortSignal,
  structured: StructuredOutput | null,
) {
  const { model: modelName, apiKey, baseUrl, reasoningBudget, tools: own, fetch, trace } = request
  const { answerTool, options } = structured ?? {}
  const prompt = await promptOf(
    request.system + (answerTool ? answerToolInstructions(answerTool) : ''),
    request.messages,
  )
  const choice = { provider, model: modelName, apiKey, baseUrl, reasoningBudget, fetch }
  const { model, providerOptions } = await resolveModel(choice)
  const tools = [...own.map(functionTool), ...(options?.tools ?? [])]
  const { stream, response } = await model.doStream({
    prompt,
    providerOptions: structured
      ? { ...providerOptions, [provider]: { ...providerOptions[provider], ...structured.providerOptions } }
      : providerOptions,
    abortSignal,
    // vendors themselves do not use it
    ...(trace && baseUrl && { headers: tracePairs(trace) }),
    ...sentSettings({ ...request }),
    ...(options?.responseFormat ? { responseFormat: options.responseFormat } : {}),
    ...(tools.length === 0 ? {} : { tools, toolChoice: options?.toolChoice ?? { type: 'auto' } }),
  })
  const isEventStream = response?.headers?.['content-type']?.includes('text/event-stream') ?? false
  return { stream, isEventStream, answerTool }
}

/**
 * Converts the conversation for the provider interface. The `ai` package takes 60 ms to load and is loaded on first
 * use.
 */
async function promptOf(system: string, messages: ModelMessage[]): Promise<LanguageModelV3Prompt> {
  const { convertToLanguageModelPrompt } = await import('ai/internal')
  return convertToLanguageModelPrompt({
    // Vendors reject messages with empty content.
    prompt: { system, messages: messages.filter(({ role, content }) => role !== 'assistant' || content.length > 0) },
    supportedUrls: {},
    // Messages contain their files; nothing is downloaded.
    download: async (files) => files.map(() => null),
  })
}

const functionTool = ({ name, description, inputSchema }: ToolDefinition): LanguageModelV3FunctionTool => ({
  type: 'function',
  name,
  ...(description === undefined ? {} : { description }),
  inputSchema: inputSchema as LanguageModelV3FunctionTool['inputSchema'],
})

const ofStructuredOutput =
  /(?:response|output|text).?(?:format|schema|config|mime)|json.?(?:schema|mode|object)|structured|tool.?choice|tool use|schema/i

/** Whether the package or the vendor rejected the structured output. */
function isRefusalOf(thrown: unknown): boolean {
  const name = field(thrown, 'name')
  if (name === 'AI_UnsupportedFunctionalityError') return true
  if (name !== 'AI_APICallError') return false
  const { status, text } = readAnswer(thrown)
  return (status === 400 || status === 422) && ofStructuredOutput.test(text ?? '')
}
