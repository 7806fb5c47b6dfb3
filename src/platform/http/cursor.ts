/**
 * Opaque cursors: where a list goes on. A cursor is bound to its list, its filters, its order and the organization by a
 * signature, so that it means nothing anywhere else. The page size is not bound. Source: contract 0, "Paging".
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalidCursor } from './answers/errors.ts'

/** Values of the last item's sort keys, as the list's query compares them. */
export type Position = (string | number | null)[]

/** What a cursor is bound to. */
export interface CursorScope {
  /** The name of the list, `agent-runs`. */
  list: string
  organizationId: string
  /** The filters in effect; undefined ones and the order of the names do not matter, nor that of a list's values. */
  filters?: Record<string, string | number | boolean | readonly (string | number)[] | undefined>
  order?: string
}

export interface Cursors {
  /** A cursor for the position. */
  seal(scope: CursorScope, position: Position): string
  /** The position of a cursor. Throws `invalid_cursor` (422) unless it was sealed for this scope. */
  open(scope: CursorScope, cursor: string): Position
}

const signatureBytes = 16
const cursorLengthMax = 1024

const isScalar = (value: unknown) => value === null || typeof value === 'string' || typeof value === 'number'

/** The scope as one text: equal scopes have equal texts, different ones different texts. */
function canonical({ list, organizationId, filters = {}, order = '' }: CursorScope): string {
  const set = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, Array.isArray(value) ? [...new Set(value)].sort() : value] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([list, organizationId, set, order])
}

/** Cursors signed with the key (at least 32 bytes). */
export function createCursors(key: Uint8Array): Cursors {
  const sign = (scope: CursorScope, payload: Buffer) =>
    createHmac('sha256', key).update(canonical(scope)).update('\0').update(payload).digest().subarray(0, signatureBytes)

  return {
    seal(scope, position) {
      const payload = Buffer.from(JSON.stringify(position))
      return Buffer.concat([sign(scope, payload), payload]).toString('base64url')
    },
    open(scope, cursor) {
      if (cursor.length > cursorLengthMax) throw invalidCursor()
      const bytes = Buffer.from(cursor, 'base64url')
      // decoding forgives what encoding never writes; a cursor is passed back unchanged
      if (bytes.length <= signatureBytes || bytes.toString('base64url') !== cursor) throw invalidCursor()
      const payload = bytes.subarray(signatureBytes)
      if (!timingSafeEqual(sign(scope, payload), bytes.subarray(0, signatureBytes))) throw invalidCursor()
      const position: unknown = JSON.parse(payload.toString())
      if (!Array.isArray(position) || !position.every(isScalar)) throw invalidCursor()
      return position
    },
  }
}
