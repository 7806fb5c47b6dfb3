/** Checks the recorded events of a server against the schemas of their kinds. Source: contract 6, "Decided since". */
import { expect } from 'bun:test'
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { eventDescriptions, portable } from '../../src/events/kinds/described.ts'
import { openRows } from './world/rows.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)

/** Undescribed fields are an error, at least in tests. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.fromEntries(Object.entries(value).map(([word, part]) => [word, closed(part)]))
  return 'properties' in value ? { additionalProperties: false, ...parts } : parts
}

const schemas = new Map(eventDescriptions.map(({ kind, schema }) => [kind as string, schema]))
const validators = new Map<string, ValidateFunction>()

/** The validator of a kind, compiled for its first event; undefined if the kind has no schema. */
export function validatorOf(kind: string): ValidateFunction | undefined {
  const schema = schemas.get(kind)
  if (!schema) return undefined
  const validate = validators.get(kind) ?? ajv.compile(closed(portable(schema)) as object)
  validators.set(kind, validate)
  return validate
}

/** Checks that every event in the store's file fits the schema of its kind. Returns the kinds that it found. */
export function expectDescribedEvents(file: string): Set<string> {
  const store = openRows(file)
  const rows = store.all<{ type: string; body: string }>('select type, body from environment_events')
  store.close()
  for (const { type, body } of rows) {
    const validate = validatorOf(type)
    const valid = validate?.(JSON.parse(body))
    expect({ type, errors: valid ? [] : (validate?.errors ?? ['no schema']), body: valid ? '' : body }).toEqual({
      type,
      errors: [],
      body: '',
    })
  }
  return new Set(rows.map(({ type }) => type))
}
