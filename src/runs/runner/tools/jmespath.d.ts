/** Types for the used part of the library, which has none of its own. */
declare module 'jmespath' {
  /** A node of a parsed query. */
  export interface JmesNode {
    type: string
    name?: string
    value?: unknown
    children?: (JmesNode | number | null)[]
  }
  /** Throws for an invalid query. */
  export function compile(query: string): JmesNode
  /** Throws as `compile` does, and for values that a function does not accept. */
  export function search(data: unknown, query: string): unknown
}
