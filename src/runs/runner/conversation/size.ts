/**
 * The size of a conversation: the texts and attachments of its messages. With the largest answer that models give, it
 * fits into a checkpoint and into a request to the model gateway. Source: contract 5.
 */
import { conversationMebibytesMax } from '../../../../machines/run/words.ts'

/** The limit on a conversation, in bytes of UTF-8. */
export const conversationBytesMax = conversationMebibytesMax * 1024 * 1024

export const conversationTooLarge = {
  code: 'provider_error',
  message:
    `conversation_too_large: the conversation is larger than ${conversationMebibytesMax} MiB. ` +
    'Start a new run, or fork this one at an earlier checkpoint.',
  retryable: false,
} as const

/** The bytes of all texts in the value, in UTF-8. */
export function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return 0
  let bytes = 0
  for (const inner of Object.values(value)) bytes += textBytes(inner)
  return bytes
}
