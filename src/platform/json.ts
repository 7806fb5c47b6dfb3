/** JSON values of unknown shape, and pointers into them. */

type JsonObject = Record<string, unknown>

/** Whether the value is an object, not a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The key as a JSON pointer: `/key`, escaped. Source: RFC 6901. */
export const pointer = (key: string): string => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** A value with more levels is neither checked by a schema nor passed to a tool. Bodies of requests have less nesting. */
export const valueDepthMax = 200
