/** The messages between the server and a worker: one request at a time, one answer each. */
import type { Issue } from '../http/answers/errors.ts'
import type { CheckResult } from './check-result.ts'
import type { JsonSchema } from './structure.ts'

export type Request =
  /** Compiles the schema and stores it under its key. */
  | { type: 'compile'; key: string; schema: JsonSchema }
  | { type: 'check'; key: string; value: unknown }
  /** Returns whether an author may publish the schema. */
  | { type: 'tryCompile'; schema: JsonSchema; path: string }

export type Answer =
  | { type: 'compiled' }
  | { type: 'result'; result: CheckResult }
  | { type: 'issues'; issues: Issue[] }
  /** No schema is stored under this key. */
  | { type: 'unknown' }
  /** The schema does not compile. */
  | { type: 'failed'; reason: string }
  /** The work ran out of stack. */
  | { type: 'exhausted' }

/** Says that the worker has started. */
export const ready = 'ready'
