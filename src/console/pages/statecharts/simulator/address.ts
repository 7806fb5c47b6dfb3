/**
 * A whole simulation as a short text, for the address:
 *
 *     submit~+60000~+5000;approve!tagged!-late{"tags":["ready"]}
 *
 * Steps are separated by `~`. Each waits (`+` and milliseconds), sends an event, or does both, separated by `;`. The event is
 * followed by assumed guards (`!name` holds, `!-name` does not), then by its fields as JSON.
 */

export interface Step {
  waitMs?: number
  event?: { type: string } & Record<string, unknown>
  assume?: Record<string, boolean>
}

/** A simulation as the address contains it. */
export interface Setup {
  /** For an actor: start a new one instead of a copy. */
  isFromStart: boolean
  /** RFC 3339; undefined for now. */
  at: string | undefined
  /** Fields of the initial context. */
  context: Record<string, unknown>
  steps: Step[]
}

/** The most steps of one request. */
const stepsMax = 50
/** The longest text; a longer one is not read. */
const lengthMax = 8_000

const encoded = (name: string): string =>
  encodeURIComponent(name).replaceAll('%2F', '/').replaceAll('!', '%21').replaceAll('~', '%7E')

function textOf({ waitMs, event, assume = {} }: Step): string {
  const parts: string[] = []
  if (waitMs) parts.push(`+${waitMs}`)
  if (event) {
    const { type, ...fields } = event
    const given = Object.entries(assume).map(([guard, holds]) => `!${holds ? '' : '-'}${encoded(guard)}`)
    const data = Object.keys(fields).length > 0 ? JSON.stringify(fields).replaceAll('~', '\\u007e') : ''
    parts.push(`${encoded(type)}${given.join('')}${data}`)
  }
  return parts.join(';')
}

const textOfSteps = (steps: readonly Step[]): string => steps.map(textOf).join('~')

const form = /^(?:\+(\d{1,15}))?;?(?:([^!{;+]+)((?:![^!{]+)*)(\{.*\})?)?$/s

/** A JSON object, or undefined. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

function stepIn(text: string): Step | undefined {
  const [, wait, name, guards = '', data] = form.exec(text) ?? []
  if (wait === undefined && name === undefined) return undefined
  const fields = data === undefined ? {} : objectIn(data)
  if (!fields) return undefined
  try {
    const given = guards.split('!').slice(1)
    const assume = Object.fromEntries(
      given.map((guard) => [decodeURIComponent(guard.replace(/^-/, '')), !guard.startsWith('-')]),
    )
    return {
      ...(wait !== undefined && { waitMs: Number(wait) }),
      ...(name !== undefined && { event: { ...fields, type: decodeURIComponent(name) } }),
      ...(given.length > 0 && { assume }),
    }
  } catch {
    // malformed percent encoding
    return undefined
  }
}

/** Parses the simulation in a query string; undefined if it is malformed. */
export function setupIn(query: URLSearchParams): Setup | undefined {
  const [steps = '', context = ''] = [query.get('steps') ?? '', query.get('context') ?? '']
  if (steps.length + context.length > lengthMax) return undefined
  const read = steps === '' ? [] : steps.split('~').map(stepIn)
  const given = context === '' ? {} : objectIn(context)
  const at = query.get('clock') ?? undefined
  if (read.length > stepsMax || read.includes(undefined) || !given) return undefined
  if (at !== undefined && Number.isNaN(Date.parse(at))) return undefined
  return { isFromStart: query.get('from') === 'start', at, context: given, steps: read as Step[] }
}

/** The text of a simulation; undefined if it is too long for an address. */
export function queryOf({ isFromStart, at, context, steps }: Setup): URLSearchParams | undefined {
  const query = new URLSearchParams()
  if (isFromStart) query.set('from', 'start')
  if (at !== undefined) query.set('clock', at)
  if (Object.keys(context).length > 0) query.set('context', JSON.stringify(context))
  if (steps.length > 0) query.set('steps', textOfSteps(steps))
  const length = (query.get('steps') ?? '').length + (query.get('context') ?? '').length
  return length > lengthMax || steps.length > stepsMax ? undefined : query
}
