/** Words, the sandbox model's tokens, separated by white space. */
import type { AssistantContent, ModelMessage, ToolContent, UserContent } from 'ai'

/** The words of a text, each with its trailing white space; joined, they are the text. */
export const wordsOf = (text: string): string[] => text.match(/\S+\s*/g) ?? []

export function countWords(text: string): number {
  let words = 0
  let inWord = false
  for (let at = 0; at < text.length; at++) {
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
export function promptWords(system: string, messages: ModelMessage[]): number {
  let words = countWords(system)
  for (const { role, content } of messages) {
    if (role === 'tool') words += resultWords(content)
    else words += countWords(role === 'system' ? content : textOf(content))
  }
  return words
}

function resultWords(content: ToolContent): number {
  let words = 0
  for (const part of content) {
    if (part.type !== 'tool-result') continue
    const { output } = part
    if (output.type === 'text' || output.type === 'error-text') words += countWords(output.value)
    else if (output.type === 'json' || output.type === 'error-json') words += countWords(JSON.stringify(output.value))
  }
  return words
}
