/** What Redis answers when it is not Redis, or not well. */
export const nonsense = 'the answer is not one of Redis'

/**
 * An error of ioredis in a few words, without the address; undefined where it only says that the connection has ended. The
 * error itself goes no further: it carries the command with its arguments, the password of AUTH included.
 */
export function trouble({ name, message, code }: Error & { code?: unknown }, patienceMs: number): string | undefined {
  if (name === 'MaxRetriesPerRequestError' || message === 'Connection is closed.') return undefined
  if (code === 'ECONNREFUSED') return 'connection refused'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'host not found'
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'connection lost'
  if (code === 'ETIMEDOUT' || /timed out|timeout/i.test(message)) return `no answer within ${patienceMs} ms`
  if (typeof code === 'string') return code
  // "unknown command 'HELLO', with args beginning with:" would go on with the password.
  if (name === 'ReplyError') return `Redis refused: ${message.split(', with args')[0]?.slice(0, 200)}`
  return nonsense
}
