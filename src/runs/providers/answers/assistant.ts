/** Assembles the parts of a step's stream into the assistant message of the conversation. */
import type { LanguageModelV3StreamPart, LanguageModelV3ToolCall, SharedV3ProviderMetadata } from '@ai-sdk/provider'
import type { AssistantModelMessage } from 'ai'
import type { StepPart } from '../step.ts'
import { parseToolInput } from './tool-input.ts'

type Content = Exclude<AssistantModelMessage['content'], string>
type Part = Content[number]
type ToolCall = Extract<StepPart, { type: 'toolCall' }>

/** Growing texts, reasoning and tool inputs are identified by the stream's own ids. */
export class AssistantMessage {
  #content: Part[] = []
  readonly #open = new Map<
    string,
    { type: 'text' | 'reasoning'; text: string; providerOptions?: SharedV3ProviderMetadata }
  >()
  readonly #toolNames = new Map<string, string>()
  /** Calls whose input has begun but not ended. */
  readonly #begunCalls = new Set<string>()
  /** The complete calls of the step, in order. */
  calls: ToolCall[] = []
  /** The tool of the first call whose input is not a JSON object. */
  unreadable: string | undefined

  /** Handles one part of the stream and returns the part to show at once. */
  take(part: LanguageModelV3StreamPart): StepPart | undefined {
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        return this.#grow('text', part)
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        return this.#grow('reasoning', part)
      case 'tool-input-start':
        this.#toolNames.set(part.id, part.toolName)
        this.#begunCalls.add(part.id)
        return undefined
      case 'tool-input-delta':
        if (part.delta === '') return undefined
        return {
          type: 'toolInput',
          toolCallId: part.id,
          toolName: this.#toolNames.get(part.id) ?? '',
          text: part.delta,
        }
      case 'tool-call':
        this.#begunCalls.delete(part.toolCallId)
        this.#call(part)
        return undefined
      case 'file': {
        const data = typeof part.data === 'string' ? part.data : Buffer.from(part.data).toString('base64')
        this.#content.push({ type: 'file', data, mediaType: part.mediaType, ...optionsOf(part.providerMetadata) })
        return undefined
      }
      default:
        return undefined
    }
  }

  /** Discards the calls. */
  dropCalls() {
    this.#content = this.#content.filter(({ type }) => type !== 'tool-call')
    this.calls = []
    this.unreadable = undefined
    this.#begunCalls.clear()
  }

  /** Whether a call is incomplete. */
  get hasOpenCall(): boolean {
    return this.#begunCalls.size > 0
  }

  /** Replaces all text by `text`. */
  replaceText(text: string) {
    this.#content = this.#content.filter(({ type }) => type !== 'text')
    const at = this.#content.findIndex(({ type }) => type === 'tool-call')
    this.#content.splice(at === -1 ? this.#content.length : at, 0, { type: 'text', text })
  }

  /** The message so far, without empty texts. */
  message(): AssistantModelMessage {
    const kept = this.#content.filter(
      (part) => !((part.type === 'text' || part.type === 'reasoning') && part.text === '' && !part.providerOptions),
    )
    return { role: 'assistant', content: kept }
  }

  #grow(
    type: 'text' | 'reasoning',
    { id, delta, providerMetadata }: { id: string; delta?: string; providerMetadata?: SharedV3ProviderMetadata },
  ): StepPart | undefined {
    const key = `${type} ${id}`
    let part = this.#open.get(key)
    if (!part) {
      part = { type, text: '' }
      this.#open.set(key, part)
      this.#content.push(part as Part)
    }
    if (providerMetadata) part.providerOptions = merged(part.providerOptions, providerMetadata)
    if (!delta) return undefined
    part.text += delta
    return { type, text: delta }
  }

  #call({ toolCallId, toolName, input: json, providerExecuted, providerMetadata }: LanguageModelV3ToolCall) {
    if (providerExecuted) return
    const input = parseToolInput(json)
    if (!input) {
      this.unreadable ??= toolName
      return
    }
    this.calls.push({ type: 'toolCall', toolCallId, toolName, input })
    this.#content.push({ type: 'tool-call', toolCallId, toolName, input, ...optionsOf(providerMetadata) })
  }
}

const optionsOf = (metadata: SharedV3ProviderMetadata | undefined) => (metadata ? { providerOptions: metadata } : {})

/** Metadata may arrive in pieces: OpenAI names the item at its start and adds the encrypted reasoning at its end. */
function merged(known: SharedV3ProviderMetadata | undefined, news: SharedV3ProviderMetadata): SharedV3ProviderMetadata {
  if (!known) return news
  const all = { ...known }
  for (const [vendor, values] of Object.entries(news)) all[vendor] = { ...all[vendor], ...values }
  return all
}
