/**
 * Calls a model for one step, through the AI SDK's provider interface or the sandbox. Source: contract 4 and 5; design
 * 1.
 */
import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider'
import { vendorNames } from '../../platform/models/vendor-names.ts'
import type { Vendor } from '../../platform/models/vendors.ts'
import { AnswerTool } from './answers/answer-tool.ts'
import { AssistantMessage } from './answers/assistant.ts'
import { withinBounds } from './answers/bounds.ts'
import { clean, failureOf, notInFormat, ProviderFailure } from './errors.ts'
import { openStep } from './open-step.ts'
import { sandboxStep } from './sandbox/sandbox.ts'
import { SilenceGuard } from './silence.ts'
import { aborted, type StepPart, type StepRequest, type StepUsage, stepTokensMax } from './step.ts'

/**
 * Less than the 300 s without step activity after which an attempt counts as lost. Source: contract 5, "Statechart".
 */
const silenceMsMax = 240_000

/**
 * Runs one model step: one request to the vendor, without retries. Leaving the loop early aborts the vendor's call.
 * Throws ProviderFailure, or an AbortError after `request.signal` is aborted.
 */
export const streamStep = (request: StepRequest): AsyncIterable<StepPart> =>
  withinBounds(request.provider === 'sandbox' ? sandboxStep(request) : vendorStep(request, request.provider))

async function* vendorStep(request: StepRequest, provider: Vendor): AsyncGenerator<StepPart, void, undefined> {
  const name = vendorNames[provider]
  const guard = new SilenceGuard(request.signal, request.silenceMsMax ?? silenceMsMax)
  const failure = (thrown: unknown): Error => {
    if (request.signal.aborted) return aborted()
    return guard.silent ? silent(name) : failureOf(thrown, { vendorName: name, apiKey: request.apiKey })
  }
  try {
    if (request.signal.aborted) throw aborted()
    const { stream, isEventStream, answerTool } = await guard
      .during(openStep(request, provider, guard.signal))
      .catch((thrown) => Promise.reject(failure(thrown)))
    const reader = stream.getReader()
    const assistant = new AssistantMessage()
    const answer = answerTool && new AnswerTool(answerTool, assistant)
    let finish: Finish | undefined
    for (;;) {
      let part: LanguageModelV3StreamPart | undefined
      try {
        part = (await guard.during(reader.read())).value
      } catch (thrown) {
        // An error after the vendor has finished has no effect.
        if (!finish || request.signal.aborted) throw failure(inReading(thrown, name))
      }
      if (request.signal.aborted) throw aborted()
      if (!part) break
      if (part.type === 'error') throw failure(part.error)
      if (part.type === 'finish') finish = part
      if (answer) yield* answer.take(part)
      else {
        const seen = assistant.take(part)
        if (seen) yield seen
      }
    }
    if (answer) yield* answer.end()
    // The packages also finish a stream that was cut off, but without a reason.
    if (!finish || (finish.finishReason.unified === 'other' && finish.finishReason.raw === undefined)) {
      throw isEventStream ? endedEarly(name) : notInFormat(name, false)
    }
    yield* conclude(assistant, finish, name)
  } finally {
    guard.close()
  }
}

type Finish = Extract<LanguageModelV3StreamPart, { type: 'finish' }>

/** Emits the step's tool calls, then `finish`. */
function* conclude(assistant: AssistantMessage, { finishReason, usage }: Finish, vendorName: string) {
  const { unified, raw } = finishReason
  // Cohere's package does not know the reason TIMEOUT.
  if (unified === 'error' || /^(?:error|timeout)/i.test(raw ?? '')) {
    throw raw?.includes('FUNCTION_CALL') ? unreadableInput(vendorName) : endedWithError(vendorName, raw)
  }
  // A truncated answer makes no calls: their inputs may be incomplete.
  if (unified === 'length' || unified === 'content-filter') assistant.dropCalls()
  // The packages treat the end of the stream as the end of the call.
  if (assistant.hasOpenCall) throw endedEarly(vendorName)
  if (assistant.unreadable !== undefined) throw unreadableInput(vendorName, assistant.unreadable)
  yield* assistant.calls
  const finish: StepPart = {
    type: 'finish',
    // Some gateways report `stop` with tool calls, and some the reverse.
    finishReason: assistant.calls.length > 0 ? 'tool-calls' : unified === 'tool-calls' ? 'stop' : unified,
    usage: usageOf(usage),
    assistantMessage: assistant.message(),
  }
  yield finish
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV3Usage): StepUsage {
  const input = counted(inputTokens.total)
  const output = counted(outputTokens.total)
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + output,
    cachedInputTokens: counted(inputTokens.cacheRead),
    reasoningTokens: counted(outputTokens.reasoning),
  }
}

/** A bounded whole number of tokens. */
const counted = (tokens = 0): number => (tokens > 0 ? Math.min(Math.ceil(tokens), stepTokensMax) : 0)

/** Treats an error inside a package's stream reader as the vendor's malformed response. */
function inReading(thrown: unknown, vendorName: string): unknown {
  // Cohere's package parses tool inputs itself and throws on an invalid one.
  if (thrown instanceof Error && thrown.name === 'AI_JSONParseError') return unreadableInput(vendorName)
  return thrown instanceof TypeError ? notInFormat(vendorName, true) : thrown
}

const silent = (vendorName: string) =>
  new ProviderFailure('provider_error', `${vendorName} stayed silent for too long.`, { retryable: true })

const endedEarly = (vendorName: string) =>
  new ProviderFailure('provider_error', `The response of ${vendorName} ended before it was complete.`, {
    retryable: true,
  })

const endedWithError = (vendorName: string, reason = '') =>
  new ProviderFailure('provider_error', clean(`${vendorName} ended its reply with an error ${reason}`), {
    retryable: true,
  })

const unreadableInput = (vendorName: string, toolName?: string) =>
  new ProviderFailure(
    'invalid_model_output',
    clean(
      `The model of ${vendorName} called ${toolName ? `the tool ${toolName}` : 'a tool'} with an input that is not a JSON object, or nested too deeply.`,
    ),
    { retryable: true },
  )
