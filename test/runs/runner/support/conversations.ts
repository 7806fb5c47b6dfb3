/** The rules of a conversation that can be sent to a vendor. */
import { expect } from 'bun:test'
import type { ModelMessage } from 'ai'

/**
 * Every call is answered exactly once, after it was made and before another message; `open` calls have no answer yet.
 */
export function expectWellFormed(messages: ModelMessage[], open: readonly string[] = []) {
  const waiting = new Set<string>()
  const made = new Set<string>()
  for (const message of messages) {
    if (message.role === 'tool') {
      for (const part of message.content) {
        if (part.type !== 'tool-result') throw new Error(`unexpected ${part.type}`)
        expect(waiting.delete(part.toolCallId)).toBe(true)
      }
      continue
    }
    expect([...waiting]).toEqual([])
    if (message.role !== 'assistant' || typeof message.content === 'string') continue
    for (const part of message.content) {
      if (part.type !== 'tool-call') continue
      expect(made.has(part.toolCallId)).toBe(false)
      made.add(part.toolCallId)
      waiting.add(part.toolCallId)
    }
  }
  expect([...waiting].sort()).toEqual([...open].sort())
}

/** The results of the tools, by call. */
export function toolResults(messages: ModelMessage[]): Record<string, unknown> {
  const results: Record<string, unknown> = {}
  for (const message of messages) {
    if (message.role !== 'tool') continue
    for (const part of message.content) {
      if (part.type === 'tool-result' && 'value' in part.output) results[part.toolCallId] = part.output.value
    }
  }
  return results
}
