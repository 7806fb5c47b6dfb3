import type { JsonText } from '../../../platform/http/body/json-lines.ts'

/** A value as the console writes it. */
export const textOf = (value: unknown): string => JSON.stringify(value, null, 2)

/** Line of a pointer, or of its nearest ancestor that has one. */
export function lineOf({ lines }: JsonText, pointer: string): number {
  let path = pointer
  while (!lines.has(path) && path !== '') path = path.slice(0, path.lastIndexOf('/'))
  return lines.get(path) ?? 1
}
