/** Strict parsing of entity operation inputs, which agents and workflows write. Source: contract 6, "Entity inputs". */
import type { Loose } from '../../authoring/definitions/loose.ts'
import { isObject } from '../../platform/json.ts'
import { toolError } from '../operations/failure.ts'
import { assertFits } from '../operations/fitting.ts'
import type { EntityCall } from './calls.ts'

export type EntityCommand =
  | { action: 'create'; data: Loose }
  | { action: 'update'; id: string; data: Loose; expectedVersion: number | undefined }
  | { action: 'transition'; id: string; event: string; expectedVersion: number | undefined }
  | { action: 'delete'; id: string }

const fieldsOf: Record<EntityCall['action'], readonly string[]> = {
  create: ['data'],
  update: ['id', 'data', 'expectedVersion'],
  transition: ['id', 'event', 'expectedVersion'],
  delete: ['id'],
}

/** The most bytes of data as JSON. */
const dataBytesMax = 262_144

const wrong = (path: string, what: string) => toolError(`The input is not valid: ${path} ${what}`)

function text(input: Loose, field: string): string {
  const value = input[field]
  if (typeof value !== 'string' || value === '') throw wrong(`/${field}`, 'must be a string.')
  return value
}

function data(input: Loose): Loose {
  if (!isObject(input.data)) throw wrong('/data', 'must be an object.')
  return input.data
}

function expectedVersion({ expectedVersion: version }: Loose): number | undefined {
  if (version === undefined) return undefined
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) {
    throw wrong('/expectedVersion', 'must be an integer of at least 1.')
  }
  return version
}

/** Throws `OperationFailure` with the path of the fault. */
export function readInput({ action, input }: Pick<EntityCall, 'action' | 'input'>): EntityCommand {
  if (!isObject(input)) throw wrong('/', 'must be an object.')
  const unknown = Object.keys(input).find((field) => !fieldsOf[action].includes(field))
  if (unknown !== undefined) throw wrong(`/${unknown}`, `is unknown: the fields are ${fieldsOf[action].join(', ')}.`)
  switch (action) {
    case 'create':
      return { action, data: data(input) }
    case 'update':
      return { action, id: text(input, 'id'), data: data(input), expectedVersion: expectedVersion(input) }
    case 'transition':
      return { action, id: text(input, 'id'), event: text(input, 'event'), expectedVersion: expectedVersion(input) }
    case 'delete':
      return { action, id: text(input, 'id') }
  }
}

/** The data as JSON. Throws `OperationFailure` with the path of the fault. */
export async function fittingData(type: string, schema: Loose, given: Loose, organizationId: string): Promise<string> {
  const json = JSON.stringify(given)
  if (Buffer.byteLength(json) > dataBytesMax) {
    throw wrong('/data', `may have at most ${dataBytesMax.toLocaleString('en')} bytes as JSON.`)
  }
  await assertFits({
    schema,
    value: given,
    organizationId,
    message: `The data does not fit the entity ${type}`,
    at: '/data',
  })
  return json
}
