/** TypeIDs: a prefix, `_`, 26 base32 characters of a UUIDv7; they sort by creation. Source: contract 0, "Ids". */
import { TypeID } from 'typeid-js'

export type IdPrefix =
  | 'org'
  | 'usr'
  | 'ivt'
  | 'ugr'
  | 'key'
  | 'prj'
  | 'grt'
  | 'env'
  | 'cfr'
  | 'agt'
  | 'agr'
  | 'tpl'
  | 'run'
  | 'att'
  | 'aud'
  | 'req'

/** A new id, created at this instant (epoch milliseconds; default: now). */
export const newId = (prefix: IdPrefix, at?: number): string =>
  TypeID.fromUUIDBytes(prefix, Bun.randomUUIDv7('buffer', at ?? Date.now())).toString()

const suffix = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** Whether the text is an id with this prefix. Names of built-in resources (`agt_system_…`) are not TypeIDs. */
export const isId = (prefix: IdPrefix, text: string): boolean =>
  text.startsWith(`${prefix}_`) && suffix.test(text.slice(prefix.length + 1))
