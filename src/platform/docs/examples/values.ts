/** Values for the examples of the API document: one id of each kind, one day, one caller. */
import type { IdPrefix } from '../../../../storage/ids.ts'

export interface Example {
  request?: unknown
  answer?: unknown
  /** By status, in place of `answer`. */
  answers?: Record<number, unknown>
}

export const id = (prefix: IdPrefix) => `${prefix}_01h455vb4pex5vsknk084sn02q`
export const digest = (letter: string) => `sha256:${letter.repeat(64)}`
export const at = (time: string) => `2026-01-31T${time}Z`
export const createdBy = { type: 'apiKey', id: id('key') }
export const made = { createdAt: at('12:00:00.000'), updatedAt: at('12:00:00.000') }
/** The only page of a list. */
export const pageOf = (...items: unknown[]) => ({ data: { items }, pagination: { limit: 20, hasMore: false } })
