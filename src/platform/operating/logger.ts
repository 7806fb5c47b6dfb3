/**
 * Logs as JSON lines on stdout. Properties with names of secrets are redacted at any depth, and errors are reduced to name,
 * message, code, stack and cause. Source: contract 9, "Configuration"; design 6.
 */
import pino, { type DestinationStream, type Logger } from 'pino'

export type { Logger } from 'pino'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const hidden = '[redacted]'
const depthMax = 8
/** Compared without case and separators: `X-Api-Key`, `apiKey` and `api_key` are equal. */
const secretName =
  /^(?:(?:proxy|x)?authorization|(?:set)?cookie|.*(?:secret|password|passphrase|apikey|privatekey|secretkey|masterkeys?|csrftoken)|(?:.*[a-z])?token|credentials?)$/

const isSecretName = (name: string) => secretName.test(name.replace(/[-_\s]/g, '').toLowerCase())

function describeError(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error
  const code =
    'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? error.code : undefined
  return { type: name, message, code, stack, cause: cause === undefined ? undefined : redact(cause, depth + 1) }
}

function redact(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > depthMax) return '[…]'
  if (value instanceof Error) return describeError(value, depth)
  if (value instanceof Headers) return redact(Object.fromEntries(value), depth)
  if ('toJSON' in value && typeof value.toJSON === 'function') return redact(value.toJSON(), depth + 1)
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isSecretName(name) ? hidden : redact(item, depth + 1)]),
  )
}

/** A logger to stdout, or to the given destination. `fieldsOf` returns additional fields for each line. */
export function createLogger(level: LogLevel, destination?: DestinationStream, fieldsOf?: () => object): Logger {
  return pino(
    {
      level,
      base: undefined,
      ...(fieldsOf && { mixin: fieldsOf }),
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redact(fields, 0) as Record<string, unknown>,
      },
      // errors are converted above, like all other values
      serializers: { err: (error: unknown) => error },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  )
}
