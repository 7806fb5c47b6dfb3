/** Merges additions to the counters of one row into one statement. */
import type { Write } from './store.ts'

const upsert =
  /^insert (?:or fail )?into "(?<table>\w+)" \((?<columns>[^)]*)\) values \((?<values>[^)]*)\) on conflict \((?<key>[^)]*)\) do update set (?<sets>[\s\S]+?)(?: where (?<bound>[\s\S]+))?$/
const addition = /^"(\w+)" = "?\w+"?\."?(\w+)"? \+ excluded\."?(\w+)"?$/
const filling = /^"(\w+)" = coalesce\(excluded\.(\w+), \w+\.(\w+)\)$/
const unquoted = (text: string) => text.split(', ').map((name) => name.replaceAll('"', ''))
/** Splits at the commas between assignments. */
const setsOf = (text: string) => text.split(/, (?="\w+" = )/)

export interface Sums {
  /** The positions, from 0, of the parameters to add up. */
  added: readonly number[]
  /** The positions of the other parameters, which must be equal. */
  same: readonly number[]
  /** Whether the sum is checked against a bound. */
  isBounded: boolean
}

type Parameters = Write['parameters']

const known = new Map<string, Sums | null>()

/** How statements with this text can be added up; null if they do more than add. */
export function sumsOf(sql: string): Sums | null {
  let sums = known.get(sql)
  if (sums === undefined) {
    sums = read(sql)
    known.set(sql, sums)
  }
  return sums
}

function read(sql: string): Sums | null {
  const { columns = '', values = '', sets = '', bound } = upsert.exec(sql)?.groups ?? {}
  const names = unquoted(columns)
  // each column takes the parameter at its position
  const places = values.split(', ')
  if (places.length !== names.length || places.some((place, at) => place !== '?' && place !== `$${at + 1}`)) return null
  const added: number[] = []
  for (const set of setsOf(sets)) {
    const [, column = '', ...others] = addition.exec(set) ?? filling.exec(set) ?? []
    if (column === '' || others.some((other) => other !== column)) return null
    if (addition.test(set)) added.push(names.indexOf(column))
  }
  const bounds = bound === undefined ? 0 : (bound.match(/\?|\$\d+/g)?.length ?? 0)
  const all = Array.from({ length: names.length + bounds }, (_, at) => at)
  return { added, same: all.filter((at) => !added.includes(at)), isBounded: bound !== undefined }
}

/** Whether two statements add to the same row. */
export function isSamePlace({ same }: Sums, parameters: Parameters, others: Parameters): boolean {
  for (const at of same) if (parameters[at] !== others[at]) return false
  return true
}

/** The parameters that must be equal, joined into one key. */
export function placeOf({ same }: Sums, parameters: Parameters): string {
  let place = ''
  for (const at of same) {
    const value = parameters[at]
    place += typeof value === 'string' ? `'${value}'\n` : `${value}\n`
  }
  return place
}

/** Whether the statement can be added up: the sum is within the bound exactly if each addition is. */
export function canBeAdded({ added, isBounded }: Sums, parameters: Parameters): boolean {
  for (const at of added) {
    const value = parameters[at]
    if (typeof value !== 'number' || (isBounded && value < 0)) return false
  }
  return true
}

/** Adds a statement's parameters to a sum. */
export function addTo({ added }: Sums, sum: unknown[], parameters: Parameters): void {
  for (const at of added) (sum[at] as number) += parameters[at] as number
}
