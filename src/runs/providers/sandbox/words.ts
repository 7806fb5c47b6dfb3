/** Words, the sandbox model's tokens, separated by white space. */
import type { AssistantContent, ModelMessage, ToolContent, UserContent } from 'ai'
import { nextTurn } from '../../../platform/time/next-turn.ts'

/** The words of a text, each with its trailing white space; joined, they are the text. */
export function* wordsOf(text: string): Generator<string, void, undefined> {
  for (const [word] of text.matchAll(/\S+\s*/g)) yield word
}

/** The number of characters that are read in some milliseconds. */
const charactersInTurn = 1024 * 1024

/** The number of words of a text; yields to other requests during a long one. */
export async function countWords(text: string): Promise<number> {
  let words = 0
  let inWord = false
  for (let at = 0; at < text.length; at++) {
    if (at % charactersInTurn === charactersInTurn - 1) await nextTurn()
    const code = text.charCodeAt(at)
    const isSpace = code <= 32 ? code === 32 || (code >= 9 && code <= 13) : code > 127 && isWideSpace.test(text[at]!)
    if (!isSpace && !inWord) words++
    inWord = !isSpace
  }
  return words
}

const isWideSpace = /\s/

/** The text of a message: its text parts, joined by line breaks. */
export function textOf(content: UserContent | AssistantContent): string {
  if (typeof content === 'string') return content
  if (content.length === 1 && content[0]!.type === 'text') return content[0]!.text
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** The number of words in a prompt: instructions, messages and tool results. */
export async function promptWords(system: string, messages: ModelMessage[]): Promise<number> {
  let words = await countWords(system)
  for (const { role, content } of messages) {
    if (role === 'tool') words += await resultWords(content)
    else words += await countWords(role === 'system' ? content : textOf(content))
  }
  return words
}

async function resultWords(content: ToolContent): Promise<number> {
  let words = 0
  for (const part of content) {
    if (part.type !== 'tool-result') continue
    const { output } = part
    if (output.type === 'text' || output.type === 'error-text') words += await countWords(output.value)
    else if (output.type === 'json' || output.type === 'error-json')
      words += await countWords(JSON.stringify(output.value))
  }
  return words
}
