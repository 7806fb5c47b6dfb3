/**
 * Opaque cursors: the position at which a list continues. A cursor is signed together with its list, filters, order and
 * organization, and is not valid for any other. The page size is not bound. Source: contract 0, "Paging".
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalidCursor } from './answers/errors.ts'

/** Values of the last item's sort keys, as the list's query compares them. */
export type Position = (string | number | null)[]

/** What a cursor is bound to. */
export interface CursorScope {
  /** The name of the list, such as `agent-runs`. */
  list: string
  organizationId: string
  /** The filters. Undefined values, the order of names and the order within lists do not matter. */
  filters?: Record<string, string | number | boolean | readonly (string | number)[] | undefined>
  order?: string
}

export interface Cursors {
  seal(scope: CursorScope, position: Position): string
  /** The position of a cursor. Throws `invalid_cursor` (422) unless it was sealed for this scope. */
  open(scope: CursorScope, cursor: string): Position
}

const signatureBytes = 16
const cursorLengthMax = 1024

const isScalar = (value: unknown) => value === null || typeof value === 'string' || typeof value === 'number'

/** The scope as text: two scopes have the same text only if they are equal. */
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
      // the decoder accepts forms that the encoder never writes
      if (bytes.length <= signatureBytes || bytes.toString('base64url') !== cursor) throw invalidCursor()
      const payload = bytes.subarray(signatureBytes)
      if (!timingSafeEqual(sign(scope, payload), bytes.subarray(0, signatureBytes))) throw invalidCursor()
      const position: unknown = JSON.parse(payload.toString())
      if (!Array.isArray(position) || !position.every(isScalar)) throw invalidCursor()
      return position
    },
  }
}
