/** The licences that what ships may have, and the packages that are let in by name. */

/** SPDX ids of licences that ask for no more than to be named and kept. */
export const allowed: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
])

interface Exception {
  /** What the package says of itself: with another licence it is looked at again. */
  licence: string | null
  reason: string
}

/** By name. */
export const exceptions: Readonly<Record<string, Exception>> = {
  elkjs: {
    licence: 'EPL-2.0 OR GPL-3.0-or-later',
    reason: 'Lays out the charts of the console. It is used as published, and EPL-2.0 reaches its own files only.',
  },
}
