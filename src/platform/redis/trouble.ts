/** Short descriptions of Redis errors. */
export const nonsense = 'the answer is not from Redis'

/**
 * Describes an error of ioredis without the address; undefined if it only says that the connection has ended. The error
 * itself must not be logged: it has the command with its arguments, including the password of AUTH.
 */
export function trouble({ name, message, code }: Error & { code?: unknown }, patienceMs: number): string | undefined {
  if (name === 'MaxRetriesPerRequestError' || message === 'Connection is closed.') return undefined
  if (code === 'ECONNREFUSED') return 'connection refused'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'host not found'
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'connection lost'
  if (code === 'ETIMEDOUT' || /timed out|timeout/i.test(message)) return `no answer within ${patienceMs} ms`
  if (typeof code === 'string') return code
  // the message "unknown command 'HELLO', with args beginning with:" continues with the password
  if (name === 'ReplyError') return `Redis refused: ${message.split(', with args')[0]?.slice(0, 200)}`
  return nonsense
}
