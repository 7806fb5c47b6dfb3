/**
 * Handles a model that answers by calling a tool: the answer is shown to clients and stored in the conversation as
 * text. A model that answers with plain text works too.
 */
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import type { StepPart } from '../step.ts'
import type { AssistantMessage } from './assistant.ts'
import type { AnswerToolDefinition } from './structured-output.ts'
import { parseToolInput } from './tool-input.ts'

export class AnswerTool {
  /** Text that may be the answer, or only precede it. */
  #held = ''
  /** Whether text is passed on at once. */
  #passing = false
  /** The id of the answering call. */
  #callId: string | undefined
  #input = ''
  #answered = false

  constructor(
    private readonly tool: AnswerToolDefinition,
    private readonly assistant: AssistantMessage,
  ) {}

  /** Handles one part of the stream and returns the parts to show at once. */
  take(part: LanguageModelV3StreamPart): StepPart[] {
    switch (part.type) {
      case 'tool-input-start':
        if (part.toolName !== this.tool.name) return this.#others(part)
        if (this.#answered) return []
        this.#callId ??= part.id
        return this.#asReasoning()
      case 'tool-input-delta':
        if (part.id !== this.#callId) return this.#others(part)
        this.#input += part.delta
        return this.tool.wrapped || part.delta === '' ? [] : [{ type: 'text', text: part.delta }]
      case 'tool-call':
        return part.toolName === this.tool.name ? this.#answer(part.input) : this.#others(part)
      default:
        return this.#others(part)
    }
  }

  /** Ends the stream: text so far is the answer, unless the tool gave one. */
  end(): StepPart[] {
    if (this.#answered || this.#input !== '') {
      this.assistant.replaceText(this.#answered || !this.tool.wrapped ? this.#input : '')
      return []
    }
    return this.#asText()
  }

  #answer(json: string): StepPart[] {
    if (this.#answered) return []
    const shown = this.tool.wrapped ? '' : this.#input
    this.#answered = true
    this.#input = this.tool.wrapped ? unwrapped(json) : shown || json
    return [...this.#asReasoning(), ...(shown === '' ? [{ type: 'text' as const, text: this.#input }] : [])]
  }

  #others(part: LanguageModelV3StreamPart): StepPart[] {
    const seen = this.assistant.take(part)
    if (seen?.type === 'text' && !this.#passing) {
      this.#held += seen.text
      // text that begins like JSON is the answer itself
      return /^\s*[{["`]/.test(this.#held) ? this.#asText() : []
    }
    if (part.type !== 'tool-input-start' && part.type !== 'tool-call') return seen ? [seen] : []
    return [...this.#asText(), ...(seen ? [seen] : [])]
  }

  #asText(): StepPart[] {
    this.#passing = true
    return this.#release('text')
  }

  #asReasoning = (): StepPart[] => this.#release('reasoning')

  #release(type: 'text' | 'reasoning'): StepPart[] {
    const text = this.#held
    this.#held = ''
    return text === '' ? [] : [{ type, text }]
  }
}

function unwrapped(json: string): string {
  const input = parseToolInput(json)
  return input && 'answer' in input ? JSON.stringify(input.answer) : json
}
