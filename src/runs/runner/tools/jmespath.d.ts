/** Types for the part of the library that is used; it has none of its own. */
declare module 'jmespath' {
  /** A node of a parsed query. */
  export interface JmesNode {
    type: string
    name?: string
    value?: unknown
    children?: (JmesNode | number | null)[]
  }
  /** Throws for a query that is none. */
  export function compile(query: string): JmesNode
  /** Throws as `compile` does, and for values that a function does not take. */
  export function search(data: unknown, query: string): unknown
}
