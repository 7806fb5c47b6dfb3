/** Reads a statechart that was exported as JSON. */
import type { Machine } from '../../../charts/model.ts'

/** In bytes; the largest built-in statechart has some 120 KB. */
export const exportedMax = 2_000_000

export type Read = { machine: Machine } | { fault: string }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value)
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)
const areObjects = (value: unknown, fits: (one: Record<string, unknown>) => boolean): boolean =>
  Array.isArray(value) && value.every((one) => isObject(one) && fits(one))

function isMachine(value: unknown): value is Machine {
  if (!isObject(value)) return false
  const { kind, title, version, states, groups, transitions, deadlines } = value
  return (
    [kind, title, version].every(isText) &&
    isTexts(states) &&
    areObjects(groups, ({ name, parent, states }) => isText(name) && isTextOrNull(parent) && isTexts(states)) &&
    areObjects(
      transitions,
      ({ from, event, guard, to, effects, declaredAt, declaredTo }) =>
        [from, guard, declaredAt].every(isTextOrNull) && [event, to, declaredTo].every(isText) && isTexts(effects),
    ) &&
    areObjects(
      deadlines,
      ({ event, states, defaultMs }) =>
        isText(event) && isTexts(states) && (defaultMs === null || typeof defaultMs === 'number'),
    )
  )
}

/** Parses the text of a file as the statechart of a kind, or describes the problem. */
export function readExported(text: string, kind: string): Read {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { fault: 'The file is not JSON.' }
  }
  // a response of the API has the same content in `data`
  const machine = isObject(value) && isObject(value.data) ? value.data : value
  if (!isMachine(machine)) return { fault: 'The file is not a statechart: download one as JSON from the tab Export.' }
  if (machine.kind !== kind) return { fault: `The file is the statechart of ${machine.kind}, not of ${kind}.` }
  return { machine }
}
