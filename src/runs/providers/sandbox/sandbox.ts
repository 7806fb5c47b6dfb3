/**
 * The sandbox model: deterministic, without a network, not a language model. The quickstart, tests and benchmarks use
 * it. Source: contract 5, "The sandbox model" and "Precise points".
 * Without a directive it answers `You said: <query>`. Otherwise it executes the directive lines of the last user
 * message in order; each `/call` ends a step. It reads completed calls from the conversation, so that a step depends
 * only on its request.
 */
import type { ModelMessage } from 'ai'
import { systemClock } from '../../../platform/time/clock.ts'
import { nextTurn } from '../../../platform/time/next-turn.ts'
import { pause } from '../../../platform/time/pause.ts'
import { parseToolInput } from '../answers/tool-input.ts'
import { clean, ProviderFailure } from '../errors.ts'
import { aborted, type StepPart, type StepRequest } from '../step.ts'
import { promptWords, textOf, wordsOf } from './words.ts'

type Directive =
  | { does: 'say'; text: string }
  | { does: 'sleep'; ms: number }
  | { does: 'call'; toolName: string; json: string }
  | { does: 'fail'; message: string }
  | { does: 'flaky'; attempts: number }
  | { does: 'tokens'; count: number }

/** A line with a directive's name but invalid arguments, such as `/sleep soon`, is not a directive. */
const directiveLine =
  /^\/(?:(say|fail)(?:[ \t]+(.*))?|(sleep|flaky|tokens)[ \t]+(\d{1,9})[ \t]*|call[ \t]+(\S+)(?:[ \t]+(.*))?)$/

const slashLine = /(?<=^|\n)\/[^\n]*/g

const tokensMax = 1_000_000
const wordsInTurn = 1_000
const linesInTurn = 10_000

/** The directives of a message, in order; yields to other requests during a long one. */
async function directivesOf(query: string): Promise<Directive[]> {
  if (!query.includes('/')) return []
  const directives: Directive[] = []
  let lines = 0
  for (const [line] of query.matchAll(slashLine)) {
    if (++lines % linesInTurn === 0) await nextTurn()
    const match = directiveLine.exec(line.endsWith('\r') ? line.slice(0, -1) : line)
    if (!match) continue
    const [, word, text = '', counted, number, toolName, json = ''] = match
    if (word === 'say') directives.push({ does: 'say', text })
    else if (word === 'fail') directives.push({ does: 'fail', message: text })
    else if (counted === 'sleep') directives.push({ does: 'sleep', ms: Number(number) })
    else if (counted === 'flaky') directives.push({ does: 'flaky', attempts: Number(number) })
    else if (counted) directives.push({ does: 'tokens', count: Math.min(Number(number), tokensMax) })
    else if (toolName) directives.push({ does: 'call', toolName, json })
  }
  return directives
}

/** Runs one step of the sandbox. Throws as a vendor's step does. */
export async function* sandboxStep(request: StepRequest): AsyncGenerator<StepPart, void, undefined> {
  const { messages, signal, attempt } = request
  if (signal.aborted) throw aborted()
  const { query, callsBefore, callsSince } = survey(messages)
  const directives = await directivesOf(query)
  const speech = new Speech(request.maxOutputTokens)
  let call: { toolCallId: string; toolName: string; input: Record<string, unknown> } | undefined

  if (directives.length === 0) yield* speech.say(wordsOf(`You said: ${query}`), signal)
  for (let at = afterCall(directives, callsSince); at < directives.length && !call && !speech.cut; at++) {
    const directive = directives[at]!
    switch (directive.does) {
      case 'say':
        yield* speech.say(wordsOf(directive.text), signal)
        break
      case 'tokens':
        yield* speech.say(tokenWords(directive.count), signal)
        break
      case 'sleep':
        await pause(systemClock, directive.ms, signal)
        if (signal.aborted) throw aborted()
        break
      case 'fail':
        throw new ProviderFailure('provider_error', clean(directive.message) || 'The sandbox was told to fail.')
      case 'flaky':
        if (attempt > directive.attempts) break
        throw new ProviderFailure('provider_error', `The sandbox was told to fail attempt ${attempt}.`, {
          retryable: true,
        })
      case 'call': {
        const { toolName, json } = directive
        call = { toolCallId: `call_${callsBefore + callsSince + 1}`, toolName, input: inputOf(toolName, json) }
        yield { type: 'toolInput', toolCallId: call.toolCallId, toolName, text: json.trim() || '{}' }
        yield { type: 'toolCall', ...call }
      }
    }
  }

  const inputTokens = await promptWords(request.system, messages)
  const outputTokens = speech.words
  const text = speech.text
  yield {
    type: 'finish',
    finishReason: call ? 'tool-calls' : speech.cut ? 'length' : 'stop',
    usage: {
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      cachedInputTokens: 0,
      reasoningTokens: 0,
    },
    assistantMessage: {
      role: 'assistant',
      content: call
        ? [...(text === '' ? [] : [{ type: 'text' as const, text }]), { type: 'tool-call', ...call }]
        : text,
    },
  }
}

/** The text of a step. The texts of several directives are joined by spaces. */
class Speech {
  text = ''
  words = 0
  /** Whether the limit truncated the text. */
  cut = false
  /** Avoids scanning the whole text for each directive. */
  #endsInSpace = false

  constructor(private readonly wordsMax = Number.POSITIVE_INFINITY) {}

  async *say(words: Iterable<string>, signal: AbortSignal): AsyncGenerator<StepPart, void, undefined> {
    let glue = this.text === '' || this.#endsInSpace ? '' : ' '
    for (const word of words) {
      if (signal.aborted) throw aborted()
      if (this.words >= this.wordsMax) {
        this.cut = true
        return
      }
      const text = glue + word
      glue = ''
      this.words++
      this.text += text
      this.#endsInSpace = /\s$/.test(word.slice(-1))
      // yields to other requests during very long texts
      if (this.words % wordsInTurn === 0) await nextTurn()
      yield { type: 'text', text }
    }
  }
}

/** The last user message, and the number of tool calls before and after it. */
function survey(messages: ModelMessage[]) {
  let query = ''
  let callsBefore = 0
  let callsSince = 0
  for (const message of messages) {
    if (message.role === 'user') {
      query = textOf(message.content)
      callsBefore += callsSince
      callsSince = 0
    } else if (message.role === 'assistant' && typeof message.content !== 'string') {
      for (const part of message.content) if (part.type === 'tool-call') callsSince++
    }
  }
  return { query, callsBefore, callsSince }
}

/** The directive to resume from after the first `calls` calls. */
function afterCall(directives: Directive[], calls: number): number {
  let at = 0
  for (let left = calls; left > 0 && at < directives.length; at++) if (directives[at]!.does === 'call') left--
  return at
}

function inputOf(toolName: string, json: string): Record<string, unknown> {
  const input = parseToolInput(json)
  if (!input) {
    throw new ProviderFailure(
      'invalid_model_output',
      clean(`The input for the tool ${toolName} is not a JSON object, or nested too deeply.`),
    )
  }
  return input
}

function* tokenWords(count: number): Generator<string, void, undefined> {
  for (let left = count; left > 1; left--) yield 'word '
  if (count > 0) yield 'word'
}
