/**
 * The sandbox model: no network, deterministic, not a language model. It makes the quickstart, tests and benchmarks honest
 * and repeatable. Source: contract 5, "The sandbox model" and "Precise points".
 *
 * Without a directive it answers `You said: <query>`. Otherwise the lines of the last user message that begin with a
 * directive are obeyed in order, and each `/call` ends a step. Which calls are done is read from the conversation, so that
 * a step depends on nothing but its request.
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

/** A line that names a directive but not what it needs, as in `/sleep soon`, is no directive. */
const directiveLine =
  /^\/(?:(say|fail)(?:[ \t]+(.*))?|(sleep|flaky|tokens)[ \t]+(\d{1,9})[ \t]*|call[ \t]+(\S+)(?:[ \t]+(.*))?)$/

const tokensMax = 1_000_000
const wordsInTurn = 1_000

/** The directives of a message, in order. */
export function directivesOf(query: string): Directive[] {
  if (!query.includes('/')) return []
  const directives: Directive[] = []
  for (const line of query.split(/\r?\n/)) {
    const match = line.startsWith('/') && directiveLine.exec(line)
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

/** One step of the sandbox. Throws like a step of a vendor. */
export async function* sandboxStep(request: StepRequest): AsyncGenerator<StepPart, void, undefined> {
  const { messages, signal, attempt } = request
  if (signal.aborted) throw aborted()
  const { query, callsBefore, callsSince } = survey(messages)
  const directives = directivesOf(query)
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

  const inputTokens = promptWords(request.system, messages)
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

/** What has been said in a step. What several directives say becomes one text, with a space in between. */
class Speech {
  text = ''
  words = 0
  /** Whether the limit ended it. */
  cut = false
  /** Looking at the whole text for each directive would take a time that grows with both. */
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
      // a million words are said in one breath, and others are waiting
      if (this.words % wordsInTurn === 0) await nextTurn()
      yield { type: 'text', text }
    }
  }
}

/** The last user message, and how many tools were called before it and since. */
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

/** Where to go on when the first `calls` calls are done. */
function afterCall(directives: Directive[], calls: number): number {
  let at = 0
  for (let left = calls; left > 0 && at < directives.length; at++) if (directives[at]!.does === 'call') left--
  return at
}

function inputOf(toolName: string, json: string): Record<string, unknown> {
  const input = parseToolInput(json)
  if (!input) {
    throw new ProviderFailure('invalid_model_output', clean(`The input for the tool ${toolName} is not a JSON object.`))
  }
  return input
}

function* tokenWords(count: number): Generator<string, void, undefined> {
  for (let left = count; left > 1; left--) yield 'word '
  if (count > 0) yield 'word'
}
