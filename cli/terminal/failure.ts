/** Converts a thrown value to a message for people and an exit code. */
import { ApiError, ConnectionError, RunError, TroupeError } from '../../sdk/src/index.ts'
import { DocumentFault } from '../../src/platform/documents.ts'
import { CommandError, type exitCodes } from './exit-codes.ts'
import { plain, styled } from './text.ts'

export interface Described {
  exit: keyof typeof exitCodes
  code: string
  message: string
  hints: readonly string[]
  requestId?: string | undefined
  details?: unknown
}

const exitOf = ({ status }: ApiError): keyof typeof exitCodes => {
  // the page of another program in place of an answer
  if (status < 400) return 'away'
  if (status === 401) return 'signedOut'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'missing'
  return status === 429 || status >= 500 ? 'away' : 'refused'
}

const hintsOf = (error: ApiError, url: string | undefined): string[] => {
  if (error.status === 401 && error.code !== 'invalid_credentials')
    return [`Sign in with: troupe login --url ${url ?? 'URL'}`]
  if (error.code === 'unexpected_answer') return [`Is ${url ?? 'that'} the address of a Troupe server?`]
  if (error.code === 'no_active_deployment') return ['Deploy and activate what a manifest describes with: troupe apply']
  const permission = error.details.permission
  if (error.status === 403 && typeof permission === 'string') {
    return [
      `The key lacks the permission ${permission}: create one that has it by troupe keys create, or ask an owner.`,
    ]
  }
  return error.issues.map(({ path, message }) => `${path}: ${message}`)
}

/** Of errors that the SDK finds before it sends a request. */
const exitOfCode: Partial<Record<string, keyof typeof exitCodes>> = {
  agent_not_found: 'missing',
  call_not_awaited: 'refused',
  invalid_manifest: 'usage',
}

/** The message of an error; `url` is the server that was used. */
export function describe(error: unknown, url?: string): Described {
  if (error instanceof CommandError) return error
  if (error instanceof ApiError) {
    const { code, message, requestId, details } = error
    return { exit: exitOf(error), code, message, hints: hintsOf(error, url), requestId, details }
  }
  if (error instanceof ConnectionError) {
    const hints = [`Does a server run at ${url ?? 'that address'}? troupe dev starts one.`]
    return { exit: 'away', code: error.code, message: error.message, hints }
  }
  if (error instanceof RunError) return { exit: 'unsuccessful', code: error.code, message: error.message, hints: [] }
  if (error instanceof TroupeError) {
    return { exit: exitOfCode[error.code] ?? 'failed', code: error.code, message: error.message, hints: [] }
  }
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof DocumentFault) return { exit: 'usage', code: 'usage', message, hints: [] }
  return { exit: 'failed', code: 'failed', message, hints: [] }
}

/** Prints it on the standard error: in words, or as one line of JSON. */
export function report({ code, message, hints, requestId, details }: Described, json: boolean): void {
  if (json) {
    process.stderr.write(`${JSON.stringify({ error: { code, message, hints, requestId, details } })}\n`)
    return
  }
  const id = requestId ? ` (${code}, request ${requestId})` : ''
  const lines = [
    `${styled('red', 'Error:', process.stderr)} ${plain(message)}${id}`,
    ...hints.map((hint) => `  ${plain(hint)}`),
  ]
  process.stderr.write(`${lines.join('\n')}\n`)
}
